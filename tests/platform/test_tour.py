from proctor.platform.tour import tour


def test_each_part_that_the_paper_lists_is_on_a_desk_of_its_own():
    found = tour()
    assert len(found) == 7 and found["holds"].all(), found.to_string()

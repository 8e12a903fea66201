from desk.forms import AnswerForm, ListForm
from django.http import QueryDict


def test_the_list_sorts_by_match_only_where_words_were_given():
    for text, first in (("q=prime", "best match"), ("", "most votes")):
        assert ListForm(QueryDict(text), [], []).fields["sort"].choices[0][1] == first


def test_what_only_people_may_leave_empty_is_not_called_optional():
    form = AnswerForm({"people": "", "organisation": "Lab", "system": "S", "text": "T"})
    assert set(form.errors) == {"base_model", "prompt"} and form.fields["base_model"].required
    assert AnswerForm({"people": "on", "organisation": "Lab", "system": "S", "text": "T"}).is_valid()

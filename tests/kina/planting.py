"""Few of our own ten-option items, whose questions are quick to draw, and defects planted in them."""

import functools

from proctor.kina.generated_items import plain_items, pseudo_items
from proctor.kina.items import problems

QUICK = ("ages", "speed", "fence", "tank", "angles", "choices", "letter_values", "painters", "percent")


@functools.cache
def plain():
    return plain_items(per_level=1, families=QUICK)


@functools.cache
def sets(antichain=True):
    return pseudo_items(10, families=QUICK, antichain=antichain)


def broken(item):
    return [problem.rule for problem in problems(item)]


def nine(item):
    return item.model_copy(update={"options": tuple(one for one in item.options if one != item.wrong[-1])})


def unsourced(item):
    bare = tuple(one.model_copy(update={"source": ""}) for one in item.options)
    return item.model_copy(update={"options": bare, "question_source": ""})

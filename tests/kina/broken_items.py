"""Items with a planted defect, for the tests of rules and of their refinement."""

from proctor.kina.item_rules import problems
from proctor.kina.items import Option, join_stem, statements


def broken(item):
    return [problem.rule for problem in problems(item)]


def nine(item):
    last = item.wrong[-1]
    return item.model_copy(update={"options": tuple(one for one in item.options if one != last)})


def eleven(item):
    more = Option(key="K", answer="1, 6" if item.sets else "77")
    return item.model_copy(update={"options": (*item.options, more)})


def misordered(item):
    return item.model_copy(update={"options": item.options[1:] + item.options[:1]})


def doubled(item):
    """A wrong option with another's text, written otherwise."""
    a, b = item.wrong[:2]
    text = a.answer.replace(", ", " and ") if item.sets else f" {a.answer.upper()}."
    changed = tuple(one.model_copy(update={"answer": text}) if one == b else one for one in item.options)
    return item.model_copy(update={"options": changed})


def leaning(item):
    return item.model_copy(update={"question": f"As discussed in Chapter 1, this holds. {item.question}"})


def unexplained(item):
    changed = tuple(one.model_copy(update={"explanation": " "}) if one == item.right else one for one in item.options)
    return item.model_copy(update={"options": changed})


def unsourced(item):
    bare = tuple(one.model_copy(update={"source": ""}) for one in item.options)
    return item.model_copy(update={"options": bare, "question_source": ""})


def five_statements(item):
    """Without its last statement, wherever an option names it named by the first one instead."""
    lead = item.question.splitlines()[0]
    return item.model_copy(update={"question": join_stem(lead, statements(item.question)[:5])})

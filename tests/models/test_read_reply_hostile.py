"""Nothing that a model writes stops or holds up a reader: those of verdicts, scores, choices, repairs and audits."""

import time

import pytest
from proctor.cbu.judges import JUDGES, score_probabilities, stated_score
from proctor.data.schemas import Question
from proctor.exam.run_exam import extract_answer, grade, judgement
from proctor.hle_verified.stages import read_choice, read_repair
from proctor.kina.item_refinement import read_audit, read_change
from proctor.kina.items import Item, Option
from proctor.models.final_line import p_accept, verdict, why_unreadable
from proctor.models.messages import Reply
from proctor.models.read_answer import answer_probability, letter, stated

CANDIDATE = "It is right.\nAccepted: [[Y]]\nIssue: none"
EXACT = Question(id="q", question="What is 2 + 2?", answer="4", rationale="2 + 2 = 4.")
CHOICE = EXACT.model_copy(update=dict(options=("3", "4"), answer="B", answer_type="multipleChoice"))
ITEM = Item(
    index="i",
    discipline="sums",
    question="What is 2 + 2?",
    options=tuple(Option(key=key, answer=str(n)) for n, key in enumerate("ABCDEFGHIJ")),
    correct_answer="E",
)
HOSTILE = [
    "\n" * 250_000,
    "[[Y]]" * 50_000,
    "Accepted: [[Y]] " * 15_000,
    "Accepted" + " :" * 120_000 + "[[Y",
    "```\n" * 60_000,
    "* " * 125_000 + "[[N]]",
    '{"a": ' * 40_000,
    '{"a": "' * 35_000,
    "{" * 250_000,
    "\u200b" * 250_000,
    " " * 150_000,
    "*" * 150_000,
    "[" * 150_000,
    "[[ " * 80_000,
    "{" + '"a":[' * 30_000,
    '{"accepted": ' * 30_000,
    "option" + " " * 16_000,
    "answer:" * 35_000,
    "Answer: a" + " " * 200_000 + "b",
    "Confidence: " + "9" * 150_000,
    "Explanation:" + "\n" * 150_000 + "Answer:",
    "(A) " * 60_000,
    "A" * 150_000,
    "Problem" + " " * 150_000 + "\nSolution:\nAnswer:",
    "Problem: a\nSolution: b\nAnswer:" + " *" * 120_000,
    "Why: " + "a " * 120_000,
    ("Issue" + " " * 5_000) * 50,
    "Change: A\nText:" + "\n" * 150_000,
    "Change: statement " + "9" * 150_000 + "\nText: x",
    "Change: A\nText: x\n" * 15_000,
    "Score: [[" + "1" * 150_000 + "]]",
    '{"confidence": ' + "9" * 150_000 + ', "correct": "yes"}',
    '{"extracted_final_answer": "", "reasoning": "", "correct": "yes", "confidence": [' + "[" * 900 + "]" * 900 + "]}",
    "Exact Answer: " + "9" * 90_000,
    "Exact Answer: " + "(" * 90_000,
    "Exact Answer: " + "1" + "^9" * 40_000,
    "\ud800 [[Y]]",
]
READERS = {
    "verdict": lambda reply: verdict(reply, CANDIDATE),
    "verdict behind its beginning": lambda reply: verdict(reply, CANDIDATE, "Accepted: [["),
    "probability": lambda reply: p_accept(reply, CANDIDATE),
    "why": why_unreadable,
    "judgement": lambda reply: judgement(reply, CANDIDATE),
    "score": lambda reply: stated_score(reply, JUDGES["judge 1-10"], CANDIDATE),
    "probabilities of scores": lambda reply: score_probabilities(reply, JUDGES["judge 1-10"]),
    "choice": lambda reply: read_choice(reply, CANDIDATE),
    "repair": lambda reply: read_repair(reply.text, EXACT),
    "audit": lambda reply: read_audit(reply.text, CANDIDATE),
    "change": lambda reply: read_change(ITEM, reply.text),
    "stated": stated,
    "answer": lambda reply: grade(EXACT, extract_answer(EXACT, reply)),
    "chosen answer": lambda reply: grade(CHOICE, extract_answer(CHOICE, reply)),
    "letter": lambda reply: letter(reply.text, 4),
    "probability of an answer": answer_probability,
}


MOST = 0.1  # seconds of CPU; what is quadratic takes many, since the texts are longer than the tail that is read


def least_seconds(read, reply: Reply) -> float:
    """The least of three: other work on the machine must not count."""
    times = []
    for _ in range(3):
        began = time.process_time()
        read(reply)
        times.append(time.process_time() - began)
        if times[-1] < MOST:
            break
    return min(times)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: f"{text[:20]!r}")
def test_no_text_stops_or_holds_up_a_reader(text):
    reply = Reply(text, tokens=tuple((letter_, -0.1) for letter_ in text[:30_000]))
    times = {name: least_seconds(read, reply) for name, read in READERS.items()}
    assert {name: seconds for name, seconds in times.items() if seconds >= MOST} == {}


REPEATED = [
    *("\n", " ", "*", "[", "{", "A", "- ", "answer:", "answer\n", "\\boxed{", "Answer:\n", "answer is "),
    *("confidence, ", "the answer is ", "Answer: a\n", "confidence: x\n", "Answer: $$ x\n\n", "Answer: **a"),
    *("(A) ", "Answer:\\boxed{x}", "option ", "Explanation: answer ", "# Answer\n`", "Confidence: 9"),
]


@pytest.mark.parametrize("piece", REPEATED, ids=repr)
def test_no_repeated_piece_holds_up_the_reader_of_answers(piece):
    text = piece * (250_000 // len(piece))
    for reply in (text, f"Answer: a{text}b", f"Confidence: {text}"):
        assert least_seconds(stated, Reply(reply)) < MOST

"""A local server that speaks OpenAI's and Anthropic's interfaces and answers Proctor's prompts in many shapes.

The model's name says how: `mixed` answers as models do (Markdown headings, boxed answers, no confidence, refusals, empty
text, cut off, reasoning apart or in the text), `mute` says nothing that can be read, `right` gives the key and accepts,
`wrong` never does. What stands after a dash is another model of the kind (`mixed-2`). No reply has token
probabilities. Which shape a conversation gets hangs on the model, the conversation and how often it was asked.
"""

import hashlib
import json
import random
import re
from collections import Counter

from aiohttp import web
from faulty_server import Server
from proctor.workflow import params
from proctor.workflow.notebook import all_notebooks

TAG = re.compile(r"`(\w[\w ]*): \[\[(\w)\]\]`")
SMALL = {  # values of parameters, where a notebook has them and no smaller ones
    "per_level": 1,
    "per_kind": 2,
    "levels": 1,
    "n_exam": 12,
    "n_open": 3,
    "audited": 2,
    "resamples": 60,
    "trials": 30,
    "tokens": 2000,
    "exams": 100,
    "games": 1000,
    "comparisons": 300,
    "questions": 40,
}
REFUSAL = "I'm sorry, but I can't help with that."
LINES = [  # of a verdict, a score or a choice: label and mark
    "{tag}: [[{mark}]]",
    "The steps hold, as far as I can see.\n\n{tag}: [[{mark}]]",
    "## Analysis\nFirst the numbers, then the words.\n\n**{tag}: [[{mark}]]**",
    "<think>Is it so? Perhaps [[N]], perhaps [[Y]].</think>\n{tag}: [[{mark}]]",
    "- one thing\n- another\n\n`{tag}: [[{mark}]]`",
]
ANSWERS = [
    "Explanation: it follows.\nExact Answer: {answer}\nConfidence: {percent}%",
    "Explanation: it follows.\n\nExact Answer: {answer}",
    "### Explanation\nIt follows from the numbers.\n\n### Exact Answer\n{answer}\n\n### Confidence\n{percent} %",
    "**Explanation:** It follows.\n\n**Answer:** {answer}\n\n**Confidence:** 0.{percent}",
    "We compute step by step.\n\n$$\\boxed{{{answer}}}$$\n\nConfidence: {percent}%",
    "The final answer is {answer}.",
    "<think>Perhaps {answer}, perhaps not.</think>\nAnswer: {answer}\nConfidence: rather sure",
]


class ManyShapes(Server):
    """`keys`: the right answer to a question, by its text. `share`: how many answers of `mixed` are right."""

    def __init__(self, keys: dict[str, str] | None = None, share: float = 0.5):
        super().__init__()
        self.keys, self.share, self.turns, self.calls = keys or {}, share, Counter(), Counter()

    async def _answer(self, request: web.Request, fault: str, text: str, body: dict) -> web.Response:
        talk = json.dumps([body["model"], body.get("system"), body["messages"]])
        self.turns[talk] += 1
        self.calls[body["model"], request.path] += 1
        draw = random.Random(hashlib.sha256(f"{talk} {self.turns[talk]}".encode()).digest())
        manner = body["model"].partition("-")[0]
        said, finish = self.say(body, manner, draw), "stop"
        if manner == "mute" or manner == "mixed" and draw.random() < 0.15:
            said, finish = draw.choice([(REFUSAL, "stop"), ("", "stop"), (said[: len(said) // 3], "length")])
        return web.json_response(_as_reply(said, finish, request.path, draw))

    def say(self, body: dict, manner: str, draw: random.Random) -> str:
        """What the model says, before it is refused or cut off."""
        asked = "\n".join(str(message["content"]) for message in body["messages"] if message["role"] != "assistant")
        asked = f"{body.get('system', '')}\n{asked}"
        yes = {"right": True, "wrong": False}.get(manner, draw.random() < 0.5)
        if "extracted_final_answer" in asked:
            fields = dict(extracted_final_answer="7", reasoning="so", correct="yes" if yes else "no", confidence=70)
            told = json.dumps(fields)
            return draw.choice([told, f"```json\n{told}\n```", f"Here it is:\n\n{told}"])
        if "Issue" in asked and "Where" in asked:
            issue = draw.choice(["none", "unsupported", "competing", "ambiguity", "stem"])
            return f"Why: a phrase has two readings.\nWhere: {draw.choice(['question', 'B'])}\nIssue: {issue}"
        if "Mend it so" in asked:
            return f"**Change:** {draw.choice(['question', 'C'])}\n**Text:** Which of these is right, if any?"
        if "Solvers found" in asked:
            return f"Problem: SAME\nSolution: it follows.\nAnswer: {draw.choice([self.key_or_other(asked, yes, draw), 'EMPTY'])}"
        if marks := TAG.findall(asked):
            tag = marks[-1][0]
            marks = {"Choice": "ABCE", "Score": "123456789X", "Points": "01234567"}.get(tag, "01234")
            if tag in ("Accepted", "Same", "Sound"):
                mark = "Y" if yes else "N"
            else:
                mark = {"right": marks[-1], "wrong": marks[0]}.get(manner, draw.choice(marks))
            return draw.choice(LINES).format(tag=tag, mark=mark)
        if re.search(r"[Ee]xact answer|Exact Answer|letter", asked):
            answer = self.key_or_other(asked, yes if manner != "mixed" else draw.random() < self.share, draw)
            return draw.choice(ANSWERS).format(answer=answer, percent=draw.randrange(10, 100))
        return f"What is {draw.randrange(90)} + {draw.randrange(90)}?"

    def key_or_other(self, asked: str, right: bool, draw: random.Random) -> str:
        found = [(asked.rfind(text), key) for text, key in self.keys.items() if text in asked]
        key = max(found)[1] if found else "17"
        if right:
            return key
        return draw.choice([x for x in "ABCD" if x != key]) if key in "ABCD" else str(draw.randrange(100, 999))


def _as_reply(said: str, finish: str, path: str, draw: random.Random) -> dict:
    spent = 5 + len(said) // 4
    if path == "/v1/messages":
        thought = [{"type": "thinking", "thinking": "Perhaps.", "signature": "s"}] * (draw.random() < 0.3)
        reason = "max_tokens" if finish == "length" else "refusal" if said == REFUSAL else "end_turn"
        usage = {"input_tokens": 100, "output_tokens": spent}
        content = [*thought, *([{"type": "text", "text": said}] if said else [])]
        return {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None} | {
            "stop_reason": reason,
            "content": content,
            "usage": usage,
        }
    message = {"role": "assistant", "content": said or None}
    if draw.random() < 0.3:
        message["reasoning_content"] = "Perhaps."
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": spent, "total_tokens": 100 + spent},
    }


def asking_notebooks() -> list[str]:
    """The notebooks that ask models: those with a parameter `mode`."""
    return [notebook.name for notebook in all_notebooks() if "mode" in params.declared(notebook)]


def provider_values(name: str, url: str, kind: str, models: list[str]) -> dict:
    """Parameters of a notebook: all models that it asks are `models` of the server at `url`, by the interface `kind`."""
    notebooks = {notebook.name: notebook for notebook in all_notebooks()}
    known = params.declared(notebooks[name])
    served = [f"{kind}/{model}@{url}{'/v1' if kind == 'openai' else ''}" for model in models]
    values = {"mode": "auto", "budget": "none", "settings": {"max_tokens": 400}} | {
        key: served for key in ("models", "authors", "auditors") if key in known
    }
    if "judges" in known:
        values["judges"] = served[:1]
    if "judge" in known:
        values["judge"] = served[0]
    if "millions" in known:
        values["millions"] = {model: 10.0 ** (i + 1) for i, model in enumerate(served)}
    quick = params.resolve(notebooks.values(), params.PARAMS / "quick.yaml", {})[name]
    for key, small in SMALL.items():
        given = quick.get(key, known[key].default) if key in known else None
        if isinstance(given, int):
            values[key] = min(small, given)
    return values

"""Checks that are programs and ask no model: rules of a field that a machine can test (UQ, appendix I.1).

    @program("short")
    def short(question, answer):
        return Finding(len(answer.text) < 500, f"{len(answer.text)} characters")

    validate(session, Run("short => units => (C x3|U)", ["o3"]), questions, answers)

A program stands in the notation like any check, costs no call and says the same each time. It rejects where it finds a
fault; where the question gives it nothing to test it accepts and says so. Three are here, each reading a field of
`Question.extra`:

    units          extra["unit"], "m/s": the answer's last quantity must have that dimension
    substitution   extra["equation"], "x^2 - 5x + 6 = 0": each value that the answer gives the unknown must solve it
    tests          extra["tests"], Python with asserts: the answer's last code block must pass them, in processes of
                   their own with limits of time, memory and files (below: what these don't stop)

`run_tests(code, tests)` runs the code of a stranger in two processes, with only plain data between them. The code runs
in one process. The tests run in another, where each function of the code stands for what is there: a call sends its
arguments as plain data (None, truth values, numbers, text, bytes, lists, tuples, sets, dictionaries, ranges, fractions)
and gets plain data back; of an iterator, such as a generator, its items. So `==`, `isinstance`, `sorted`, `math` in a
test are Python's, whatever the code did to them, to frames or to the garbage collector; the tests' text never reaches
it. Lists, sets and dictionaries that a call changes in place are changed for the tests too. Undecided, for nobody can
judge them: tests that call a builtin which the code replaced, and those that pass or get what is no plain data, such as
a function, an instance of a class, or an iterator without end.

Each process has limits of time, memory and file size, a folder of its own, no environment, and a watch that refuses
sockets, other processes, and making, listing, reading or writing files elsewhere. What this does not stop: a watch
within a process is no wall. Code that is written to break out (through a fault of the interpreter, or by `os.mknod` and
`os.mkfifo`, which Python does not report to a watch) has the rights of the user who runs it, and the limit on processes
does not bind root. For answers from strangers run all of this in a container, as a user without rights.
"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from proctor.data.schemas import Answer, Question
from proctor.exam.formula import Undecided, indexed, parse_formula, values
from proctor.uq import sandboxed
from proctor.uq.sandboxed import PASSED, UNDECIDED


class Finding(NamedTuple):
    """accept: True, False, or None where the program could not decide. why: for the trace."""

    accept: bool | None
    why: str


Program = Callable[[Question, Answer], Finding]
PROGRAMS: dict[str, Program] = {}


def program(name: str) -> Callable[[Program], Program]:
    """Register a function as the check `name`: at least two small letters, also with `_`, since capitals ask models.

    Raises ValueError for another name, or one that is taken.
    """
    if not re.fullmatch(r"[a-z][a-z_]+", name):
        raise ValueError(f"{name!r}: name a program with two or more small letters, as in `units`")

    def register(function: Program) -> Program:
        if PROGRAMS.setdefault(name, function) is not function:
            raise ValueError(f"a program {name} is there already: choose another name")
        return function

    return register


def run_program(name: str, question: Question, answer: Answer) -> Finding:
    """What the program says; undecided, with the error, where it raises one."""
    try:
        return Finding(*PROGRAMS[name](question, answer))
    except Exception as error:  # of somebody's program, on any text: the other answers go on
        return Finding(None, f"the program {name} failed ({type(error).__name__}: {error})"[:300])


# units and dimensions

_SYMBOLS = "m g s A K mol cd Hz N Pa J W C V F Ω Ohm ohm S Wb T H L l eV bar cal Bq Gy Sv u Da rad t"
_WORDS = "metre meter gram gramme second ampere kelvin mole candela hertz newton pascal joule watt coulomb volt farad "
_WORDS += "siemens weber tesla henry litre liter electronvolt calorie becquerel gray sievert dalton radian tonne"
_ALONE = "min minute h hr hour d day yr year ha atm °C ° deg degree % sr mi mile ft foot feet"  # without a prefix
_PREFIXES = "giga mega kilo hecto deci centi milli micro nano pico tera"
KNOWN = {prefix + name: name for name in _SYMBOLS.split() for prefix in ("", *"GMkhdcmµμunpfT")}
KNOWN |= {prefix + name + s: name for name in _WORDS.split() for prefix in ("", *_PREFIXES.split()) for s in ("", "s")}
KNOWN |= {name + s: name for name in _ALONE.split() for s in ("", "s" * (len(name) > 3))}  # no "has"
_IN_PINT = {"Ohm": "ohm", "gramme": "gram", "°": "degree"}
_LOCK = threading.Lock()  # pint fills its caches as it computes
_NUMBER = r"[-+−]?\d[\d,]*(?:\.\d+)?(?:\s*(?:[x×*]|\\times|\\cdot)\s*10\s*\^?\s*\{?\s*[-−]?\d+\s*\}?|[eE][-+]?\d+)?"
_FACTOR = re.compile(r"\s*(\*|·|⋅|/|per\b|)\s*([A-Za-zµμΩ°%]+)(?:\s*\^?\s*([-−]?\d+))?")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def dimension(unit: str) -> tuple[dict[str, int], str]:
    """The powers of what a unit measures, and what is left behind it.

    >>> dimension("km/h at most")
    ({'[length]': 1, '[time]': -1}, ' at most')
    """
    total, divided = Counter[str](), False
    while found := _FACTOR.match(unit):
        sign, name, power = found.groups()
        if name not in KNOWN:
            break
        divided = divided or sign in ("/", "per")  # all that follows a stroke is divided by, as in J/mol K
        times = int((power or "1").replace("−", "-")) * (-1 if divided else 1)
        for of, n in _dimension_of(KNOWN[name]).items():
            total[of] += n * times
        unit = unit[found.end() :]
    return {of: n for of, n in total.items() if n}, unit


@cache
def _dimension_of(name: str) -> dict[str, int]:
    import pint  # here: it takes half a second

    with _LOCK:
        registry = pint.get_application_registry()
        powers = registry.get_dimensionality(registry.parse_units(_IN_PINT.get(name, name)))
    return {of: int(n) for of, n in powers.items()}


@program("units")
def units(question: Question, answer: Answer) -> Finding:
    """The answer's last quantity has the dimension of the unit that the question asks for."""
    wanted = str(question.extra.get("unit", ""))
    if not wanted:
        return Finding(True, "nothing to test: the question gives no unit")
    asked, rest = dimension(_plain(wanted))
    if rest.strip():
        return Finding(None, f"the question's unit {wanted!r} is not known here")
    text = _plain(answer.text)
    numbers = list(re.finditer(rf"(?<![\w^.−-]){_NUMBER}", text))
    if not numbers:
        return Finding(False, "the answer has no quantity")
    found, _ = dimension(text[numbers[-1].end() :])
    named = text[numbers[-1].start() :].strip()[:60]
    return Finding(found == asked, f"{named!r} {'has' if found == asked else 'has not'} the dimension of {wanted}")


def _plain(text: str) -> str:
    """LaTeX's units and signs as letters."""
    text = text.translate(_SUPERSCRIPT)
    text = re.sub(r"\\(?:text|mathrm|mathit|operatorname|unit|rm)\s*\{([^{}]*)\}", r" \1", text)
    text = re.sub(r"\^\s*\{\s*([-−]?\d+)\s*\}", r"^\1", text)
    text = text.replace("\\Omega", "Ω").replace("\\mu", "µ").replace("\\cdot", "·").replace("^\\circ", "°")
    return re.sub(r"\\[,;:! ]|[$~]|\\%", lambda found: "%" if found[0] == "\\%" else " ", text)


# substitution


@program("substitution")
def substitution(question: Question, answer: Answer) -> Finding:
    """Each value that the answer's last lines give the unknown solves the equation; a decimal stands for its
    rounding interval."""
    equation = str(question.extra.get("equation", ""))
    if not equation:
        return Finding(True, "nothing to test: the question gives no equation")
    left, _, right = equation.partition("=")
    try:
        sides = parse_formula(left), parse_formula(right)
    except Undecided as error:
        return Finding(None, f"the question's equation {equation!r} can't be read ({error})")
    unknowns = sorted({found for side in sides for found in indexed(side, every=True)})
    unknown = str(question.extra.get("unknown", unknowns[0] if len(unknowns) == 1 else ""))
    if unknown not in unknowns or len(unknowns) > 1:
        return Finding(None, f"{equation!r} has the unknowns {', '.join(unknowns) or 'none'}: one can be tested")
    given = _given(unknown, answer.text)
    if not given:
        return Finding(False, f"the answer gives no value of {unknown}")
    for text in given:
        try:
            if not _solves(sides, unknown, text):
                return Finding(False, f"{unknown} = {text} does not solve {equation}")
        except Undecided as error:
            return Finding(None, f"{unknown} = {text} can't be computed ({error})")
    return Finding(True, f"{unknown} = {', '.join(given)} solves {equation}")


_NAKED = re.compile(r"[\s$*]*[-+−]?[\d./]+[\s$*.]*$")  # a number and nothing else


def _given(unknown: str, text: str) -> list[str]:
    """The values in the last line that gives any: `x = 2 or x = 3`, `x = 2, 3`."""
    for line in reversed(text.strip().splitlines()):
        if re.search(rf"(?<![\w\\]){re.escape(unknown)}(?:_\w+)?\s*=", line):
            pieces = re.split(r"\bor\b|\band\b|[,;]|\\text\{[^}]*\}|\\quad", line)
            values_of = [piece.rpartition("=")[2] for piece in pieces if "=" in piece or _NAKED.match(piece)]
            return [value for piece in values_of if (value := piece.strip(" $*.()\\[]"))]
    return []


def _solves(sides: tuple, unknown: str, value: str) -> bool:
    value = value.replace("−", "-")
    tree = parse_formula(value)
    decimals = re.fullmatch(r"[-+]?\d*\.(\d+)", value)
    if not decimals:
        return abs(_difference(sides, unknown, tree)) < 1e-9
    half = Fraction(1, 2 * 10 ** len(decimals[1]))
    ends = [_difference(sides, unknown, Fraction(value) + sign * half) for sign in (-1, 0, 1)]
    return abs(ends[1]) < 1e-9 or math.prod(math.copysign(1, end) for end in (ends[0], ends[2])) < 0


def _difference(sides: tuple, unknown: str, value) -> float:
    """Left minus right, relative to the larger; real only."""
    one, two = map(complex, next(values(*(_put(side, unknown, value) for side in sides))))
    if abs(one.imag) + abs(two.imag) > 1e-12 * (1 + abs(one) + abs(two)):
        raise Undecided("not real")
    return (one.real - two.real) / max(abs(one), abs(two), 1e-12)


def _put(tree, name: str, value):
    if isinstance(tree, tuple):
        return (tree[0], *(_put(part, name, value) for part in tree[1:]))
    return value if tree == name else tree


# tests

_BLOCK = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)


@program("tests")
def tests(question: Question, answer: Answer) -> Finding:
    """The answer's last code block passes the question's tests."""
    wanted = str(question.extra.get("tests", ""))
    if not wanted:
        return Finding(True, "nothing to test: the question gives no tests")
    blocks = _BLOCK.findall(answer.text)
    if not blocks:
        return Finding(False, "the answer has no code block")
    return Finding(*run_tests(blocks[-1], wanted))


SECONDS, MEGABYTES = 10, 512  # of one answer's tests


def run_tests(code: str, tests: str, seconds: int = SECONDS) -> tuple[bool | None, str]:
    """(True: passes, False: does not, None: nobody can say; why)."""
    limits = dict(RLIMIT_CPU=seconds, RLIMIT_AS=MEGABYTES << 20, RLIMIT_FSIZE=1 << 20, RLIMIT_NOFILE=32)
    limits |= dict(RLIMIT_CORE=0, RLIMIT_NPROC=0)
    answers, asks = os.pipe(), os.pipe()  # each (read, write)
    children: list[subprocess.Popen] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        try:
            children.append(_start("code", folder, stdin=asks[0], stdout=answers[1]))
            children.append(_start("tests", folder, stdin=subprocess.PIPE, stdout=out, pass_fds=(answers[0], asks[1])))
            for end in (*answers, *asks):
                os.close(end)
            task = dict(code=code, tests=tests, limits=limits, ends=(answers[0], asks[1]))
            children[1].communicate(json.dumps(task).encode(), timeout=2 * seconds)
            children[0].wait(timeout=1)
            late = any(child.returncode in (-signal.SIGXCPU, -signal.SIGKILL) for child in children)
        except subprocess.TimeoutExpired:
            late = children[1].poll() is None
        finally:
            for child in children:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        out.seek(0)
        kind, _, why = out.read(1000).decode(errors="replace").partition("\n")
    if kind in (PASSED, UNDECIDED):
        return (True, "passes the tests") if kind == PASSED else (None, why)
    return False, f"no end within {seconds} s" if late else why or "the process ended early"


def _start(part: str, folder: str, **how) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", sandboxed.__file__, part],
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={},
        start_new_session=True,
        **how,
    )

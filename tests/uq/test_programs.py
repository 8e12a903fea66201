"""Checks that are programs: what they find, and that code of an answer does no harm."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from proctor.data.schemas import Answer, Question
from proctor.uq.programs import PROGRAMS, Finding, dimension, program, run_program, run_tests


def finds(name, text, **extra):
    question = Question(id="q", question="?", extra=extra)
    return run_program(name, question, Answer(id="a", question_id="q", text=text))


@pytest.mark.parametrize(
    "unit, text, accept",
    [
        ("m/s", "First 3 kg, then the speed is 9.8 m/s.", True),
        ("m/s", "36 km/h", True),
        ("m/s", "9.8 m/s^2", False),
        ("m s^-2", "9.8 m·s⁻²", True),
        ("J", r"$3.2\times10^{-5}\,\text{kg m}^2/\text{s}^2$", True),
        ("J", "1.2e3 N m", True),
        ("J/mol K", "8.314 J/(mol K)", False),  # parentheses are not read: a fault of ours, told in the trace
        ("J/mol K", "8.314 J/mol K", True),
        ("Ω", r"4 k\Omega", True),
        ("K", "20 °C", True),
        ("m", "5 ft", True),
        ("N", "5", False),
        ("N", "no idea", False),
        ("ha", "It is 5 and has no end", False),
        ("furlong", "3 m", None),
    ],
)
def test_units_have_the_dimension_that_was_asked_for(unit, text, accept):
    assert finds("units", text, unit=unit).accept is accept


def test_prefixes_change_no_dimension_and_minutes_are_no_metres():
    assert dimension("mm")[0] == dimension("kilometres")[0] == dimension("m")[0]
    assert dimension("min")[0] == dimension("ms")[0] == dimension("s")[0] != dimension("m")[0]


@pytest.mark.parametrize(
    "equation, text, accept",
    [
        ("x^2 - 5x + 6 = 0", "x = 2 or x = 3", True),
        ("x^2 - 5x + 6 = 0", "So $x = 2$ or 4.", False),
        ("x^2 = 2", "Try x = 9.\nThen x = 1.41421", True),
        ("x^2 = 2", "x = 1.42", False),
        ("x^2 = 2", r"x = -\sqrt{2}", True),
        ("2^x = 8", "Therefore x=3.", True),
        ("x^2 = 2", "I do not know", False),
        ("x + y = 2", "x = 1", None),
        ("x^2 = 2", "x = two", None),
        ("1/x = 0", "x = 0", None),
    ],
)
def test_values_are_put_into_the_equation(equation, text, accept):
    assert finds("substitution", text, equation=equation).accept is accept


@pytest.mark.parametrize(
    "code, accept, why",
    [
        ("print('much' * 9)\nimport os\ndef f(x): return 2 + ('OPENAI_API_KEY' in os.environ)", True, "passes"),
        ("def f(x): return x", False, "AssertionError: wrong"),
        ("def f(x): return x +", False, "SyntaxError"),
        ("import os; os._exit(0)", False, "ended early"),
        ("raise SystemExit", False, "SystemExit"),
        ("x = 'a' * 10**10", False, "MemoryError"),
        ("open('big', 'w').write('y' * 5_000_000)", False, "too large"),
    ],
)
def test_code_is_run_against_the_tests(code, accept, why, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    found = finds("tests", f"Here:\n```python\n{code}\n```\n", tests="assert f(1) == 2, 'wrong'")
    assert found.accept is accept and why in found.why


HARM = (
    "import socket; socket.socket()",
    "open('/etc/passwd').read()",
    "open('/tmp/proctor-was-here', 'w')",
    "import subprocess; subprocess.run(['ls'])",
    "import os; os.fork()",
    "import os; os.mkdir('/tmp/proctor-was-here')",
    "import os; os.listdir('/tmp')",
    "import _posixsubprocess",
)


def test_code_does_no_harm():
    code = f"""
def refused(text):
    try:
        exec(text)
    except PermissionError as error:
        return "not allowed" in str(error)
done = [text for text in {HARM!r} if not refused(text)]
"""
    assert run_tests(code, "assert done == [], done") == (True, "passes the tests")
    assert run_tests("import socket; socket.socket()", "")[0] is False  # and not caught


EQUAL = "class E:\n    def __eq__(self, other): return True\n    __hash__ = object.__hash__\n"
FORGED = (
    EQUAL + "def f(x): return E()",
    "class E(int):\n    def __eq__(self, other): return True\n    def __hash__(self): return 2\ndef f(x): return E(7)",
    EQUAL + "def f(x): return [E()]",
    "import builtins\nbuiltins.AssertionError = None\ndef f(x): raise SystemExit(0)",
    "import sys\ndef f(x):\n    frame = sys._getframe()\n    while frame.f_back: frame = frame.f_back\n"
    "    frame.f_globals['wrong'] = frame.f_locals['reply'] = None\n    return 7",
    "import gc\nfor each in gc.get_objects():\n    if type(each) is dict and 'tests' in each: each['tests'] = ''\n"
    "def f(x): return 7",
    "import os\nfor end in range(20):\n    try: os.write(end, b'passed\\n')\n    except OSError: pass\ndef f(x): return 7",
    "import atexit, os\natexit.register(os._exit, 0)\ndef f(x): return 7",
)


FORGED = [(code, "assert f(1) == 2") for code in FORGED] + [
    (FORGED[0], "assert math.isclose(f(1), 2)"),
    ("class math:\n    isclose = lambda *args: True\ndef f(x): return 7", "assert math.isclose(f(1), 2)"),
    ("def abs(x): return 0\ndef f(x): return 7", "assert abs(f(1) - 2) < 1e-9"),
]


@pytest.mark.parametrize("code, tests", FORGED)
def test_wrong_code_can_not_judge_itself(code, tests):
    assert run_tests(code, tests)[0] is not True


@pytest.mark.parametrize(
    "code, tests",
    [
        ("def f(xs): xs.sort()", "xs = [2, 1]\nf(xs)\nassert xs == [1, 2]"),
        ("def f(n): return [(i, {i}) for i in range(n)]", "assert f(2) == [(0, {0}), (1, {1})]"),
        ("def f(x): return {'a': (x / 4, b'\\0', 10**5000)}", "assert f(1) == {'a': (0.25, b'\\0', 10**5000)}"),
        ("class Stack(list):\n    def push(self, x): self.append(x)", "assert Stack([1]) == [1]"),
        ("def f(x):\n    if x < 0: raise ValueError('negative')\n    return float('inf')",
         "assert f(1) > 1e300\ntry: f(-1)\nexcept ValueError as error: assert str(error) == 'negative'\nelse: assert 0"),
        ("import math\ndef f(x): return math.pi", "assert math.isclose(f(1), 3.14159265, rel_tol=1e-6)"),
        ("from fractions import Fraction\ndef f(x): return [Fraction(1, x), 2j * x, range(x)]",
         "from fractions import Fraction\nassert f(3) == [Fraction(1, 3), 6j, range(3)]"),
        ("def f(n):\n    for i in range(n): yield i, {i}", "assert list(f(2)) == [(0, {0}), (1, {1})] and next(f(1)) == (0, {0})"),
        ("import itertools\nnumbers = itertools.count()\ndef f(): return next(numbers)", "assert [f(), f()] == [0, 1]"),
    ],
)  # fmt: skip
def test_plain_data_passes_between_code_and_tests(code, tests):
    assert run_tests(code, tests) == (True, "passes the tests")


@pytest.mark.parametrize(
    "code, tests, why",
    [
        (EQUAL + "def f(x): return E()", "assert f(1) == 2", "f gives a E, which is no plain data"),
        (EQUAL + "e = E()", "assert e == 2", "use e, which is no plain data"),
        ("import itertools\nf = itertools.count", "assert next(f()) == 0", "f gives a count of more than 10,000 items"),
        (
            "def f():\n    yield 1\n    raise ValueError",
            "assert next(f()) == 1",
            "f gives a generator that raises ValueError",
        ),
        ("def f(g): return g(1)", "assert f(lambda x: x) == 1", "a function, which is no plain data"),
        ("def sum(xs): return 2", "assert sum([1, 1]) == 2", "use sum, which the code replaced"),
    ],
)
def test_what_nobody_can_judge_is_undecided(code, tests, why):
    accept, said = run_tests(code, tests)
    assert accept is None and why in said


def test_code_that_hangs_is_stopped():
    with ThreadPoolExecutor() as pool:
        busy, asleep = (
            pool.submit(run_tests, code, "", seconds=1) for code in ("while True: pass", "import time; time.sleep(60)")
        )
    assert busy.result() == asleep.result() == (False, "no end within 1 s")


def test_without_code_an_answer_fails_its_tests_and_a_question_that_gives_nothing_to_test_is_passed():
    found = finds("tests", "It returns x + 1.", tests="assert f(1) == 2")
    assert found == Finding(False, "the answer has no code block")
    for name in ("units", "substitution", "tests"):
        found = finds(name, "x = 5 m")
        assert found.accept is True and found.why.startswith("nothing to test")


def test_a_program_of_ones_own_is_registered_once_and_its_errors_are_undecided(monkeypatch):
    monkeypatch.setattr("proctor.uq.programs.PROGRAMS", own := dict(PROGRAMS))

    @program("divides")
    def divides(question, answer):
        return Finding(1 / int(answer.text) > 0, "done")

    assert "divides" in own and finds("divides", "3").accept is True
    found = finds("divides", "0")
    assert found.accept is None and "ZeroDivisionError" in found.why
    with pytest.raises(ValueError, match="there already"):
        program("divides")(lambda question, answer: Finding(True, ""))
    for name in ("C", "x", "Debate", "two words", "x3"):
        with pytest.raises(ValueError, match="small letters"):
            program(name)

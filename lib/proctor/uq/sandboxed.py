"""The two processes of `programs.run_tests`, as a script: `python -I -S -B sandboxed.py code`, or with `tests`.

It imports no module that starts processes or opens sockets, so that none is there to be found by the code.
"""

import ast
import builtins
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import islice

PASSED, UNDECIDED, FAILED = "passed", "undecided", "failed"


# In either process


def _bound(limits: dict[str, int]) -> None:
    """From here on the process has its limits, and is watched."""
    import resource  # not on Windows

    here, library = os.path.realpath(os.getcwd()) + os.sep, os.path.realpath(os.path.dirname(os.__file__)) + os.sep
    refused = "system fork forkpty exec posix_spawn spawn startfile kill killpg remove rename rmdir link symlink "
    refused += "chmod chown chflags truncate utime setxattr removexattr lockf chroot unshare add_dll_directory"
    events = {f"os.{name}" for name in refused.split()} | {"signal.pthread_kill", "pty.spawn", "sys.addaudithook"}
    modules = {"_posixsubprocess", "_ctypes", "_socket", "_multiprocessing"}
    reads = {"os.listdir", "os.scandir", "os.listxattr", "os.getxattr"}

    def watch(event, args):
        if event.partition(".")[0] in ("socket", "subprocess", "ctypes", "shutil") or event in events:
            raise PermissionError(event + " is not allowed here")
        if event == "import" and args[0] in modules:
            raise PermissionError(f"import {args[0]} is not allowed here")
        if event in ("open", "os.mkdir", "os.chdir", *reads) and not isinstance(args[0], int):
            path = os.path.realpath(os.fsdecode(args[0] or ".")) + os.sep
            if event == "open":
                writes = not isinstance(args[2], int) or args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            else:
                writes = event not in reads
            if not path.startswith(here) and (writes or not path.startswith(library)):
                raise PermissionError("files elsewhere are not allowed here")

    sys.set_int_max_str_digits(0)  # of what is sent
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))
    sys.addaudithook(watch)


class Opaque(BaseException):
    """What is no plain data was to be sent or tested."""


_BASES: tuple[type, ...] = (bool, int, float, str, bytes, list, tuple, set, frozenset, dict)
_PARTS = {  # of what is made again from whole numbers or floats
    complex: lambda value: [value.real, value.imag],
    Fraction: lambda value: [value.numerator, value.denominator],
    range: lambda value: [value.start, value.stop, value.step],
}
_MOST = 10_000  # items of an iterator


def _packed(value):
    """Plain data as JSON; of a subclass what its base holds. Raises Opaque for anything else."""
    if value is None:
        return None
    base = next((base for base in _BASES if issubclass(type(value), base)), None)
    if base is bool or base is str:
        return base.__str__(value) if base is str else bool(value)
    if base is int:
        return int.__add__(value, 0)
    if base is float:
        return float.__add__(value, 0.0)
    if base is bytes:
        return {"bytes": bytes.hex(value)}
    if base is dict:
        return {"dict": [[_packed(key), _packed(each)] for key, each in dict.items(value)]}
    if parts := _PARTS.get(type(value)):
        return {type(value).__name__: parts(value)}
    if base is None:
        raise Opaque(f"a {type(value).__name__}, which is no plain data")
    return {base.__name__: [_packed(each) for each in base.__iter__(value)]}


def _result(made):
    """What a function gives, packed; of an iterator, such as a generator, its items. Raises Opaque where they are more
    than _MOST, or one can't be had."""
    if not isinstance(made, Iterator):
        return _packed(made)
    try:
        items = list(islice(made, _MOST + 1))
    except Exception as error:
        raise Opaque(f"a {type(made).__name__} that raises {type(error).__name__}") from None
    if len(items) > _MOST:
        raise Opaque(f"a {type(made).__name__} of more than {_MOST:,} items")
    return {"iterator": _packed(items)["list"]}


def _unpacked(sent):
    if not isinstance(sent, dict):
        return sent
    [(kind, content)] = sent.items()
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "dict":
        return {_unpacked(key): _unpacked(value) for key, value in content}
    for made in _PARTS:
        if kind == made.__name__:
            return made(*content)
    makes = dict(list=list, tuple=tuple, set=set, frozenset=frozenset, iterator=iter)
    return makes[kind](list(map(_unpacked, content)))


# The process of the code


def _serve_code() -> None:
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    task = json.loads(asked.readline())
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
    _bound(task["limits"])
    names: dict = {"__name__": "answer"}

    def define() -> dict:
        exec(compile(task["code"], "answer", "exec"), names)
        found: dict = dict(data={}, functions=[], opaque=[])
        for name, value in names.items():
            try:
                found["data"] |= {} if name.startswith("__") else {name: _packed(value)}
            except Opaque:
                found["functions" if callable(value) else "opaque"].append(name)
        return found

    def call(name: str, args: list, keywords: dict) -> dict:
        given = [_unpacked(each) for each in args]
        made = names[name](*given, **{key: _unpacked(each) for key, each in keywords.items()})
        return {"value": _result(made), "args": [_packed(each) for each in given]}

    request = None
    while True:
        try:
            reply = call(**request) if request else define()
        except Opaque as error:
            reply = {"opaque": str(error)}
        except BaseException as error:
            reply = {"error": type(error).__name__, "why": str(error)[:200]}
        print(json.dumps(reply), file=answers, flush=True)
        line = asked.readline()
        if not line:
            return
        request = json.loads(line)


# The process of the tests


def _run_tests() -> None:
    task = json.load(sys.stdin)
    out, answers, asks = os.dup(1), os.fdopen(task["ends"][0]), os.fdopen(task["ends"][1], "w")
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()

    def reply() -> dict:
        line = answers.readline()
        if not line:
            raise SystemExit  # the code's process has ended, and no test can go on
        found = json.loads(line)
        if "error" in found:
            name = str(found["error"])
            kind = getattr(builtins, name, None)
            if not isinstance(kind, type) or not issubclass(kind, Exception):
                kind = type(name, (Exception,), {})
            raise kind(str(found["why"]))
        return found

    def call(name: str, /, *args, **keywords):
        """What stands in the tests for a function of the code."""
        sent = dict(args=[_packed(each) for each in args], keywords={key: _packed(v) for key, v in keywords.items()})
        print(json.dumps(dict(name=name) | sent), file=asks, flush=True)
        found = reply()
        if "value" not in found:
            raise Opaque(f"{name} gives {found['opaque']}")
        for given, left in zip(args, found["args"]):
            _change(given, _unpacked(left))
        return _unpacked(found["value"])

    kind, why = FAILED, ""
    try:
        print(json.dumps(dict(code=task["code"], limits=task["limits"])), file=asks, flush=True)
        _bound(task["limits"])
        defined, tree = reply(), ast.parse(task["tests"])
        names = {name: _unpacked(value) for name, value in defined["data"].items()}
        names |= {name: partial(call, name) for name in defined["functions"]}
        names = _trusted(names, defined["opaque"], tree) | {"__name__": "tests"}
        exec(compile(tree, "tests", "exec"), names)
        kind = PASSED
    except Opaque as error:
        kind, why = UNDECIDED, str(error)
    except SystemExit as error:
        why = f"SystemExit: {error}" if str(error) else ""
    except BaseException as error:
        why = f"{type(error).__name__}: {error}"[:200]
    os.write(out, f"{kind}\n{why}".encode(errors="replace"))
    os._exit(0)


def _change(given, left) -> None:
    """What a call left of its argument, put into it; plain containers only."""
    if type(given) is not type(left):
        return
    if isinstance(given, list):
        given[:] = left
    elif isinstance(given, (set, dict)):
        given.clear()
        given.update(left)


def _trusted(names: dict, opaque: list[str], tree: ast.Module) -> dict:
    """The names without those by which the code could judge itself: builtins, and modules of which a test takes
    functions. Raises Opaque where the tests use a builtin that the code replaced, or what is no plain data."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if replaced := sorted(used & {*names, *opaque} & set(dir(builtins))):
        raise Opaque(f"the tests use {', '.join(replaced)}, which the code replaced")
    holders = {
        node.value.id for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    modules = {name: importlib.import_module(name) for name in holders & {*names, *opaque} & sys.stdlib_module_names}
    if left := sorted(used & set(opaque) - set(modules)):
        raise Opaque(f"the tests use {', '.join(left)}, which is no plain data")
    return {name: value for name, value in names.items() if name not in dir(builtins)} | modules


if __name__ == "__main__":
    _serve_code() if sys.argv[1] == "code" else _run_tests()

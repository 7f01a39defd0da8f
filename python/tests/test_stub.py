"""The stub of the compiled module says what the module says. With UPDATE=1 in the environment, the test writes its documentation.

The signatures in the stub are written by hand. The documentation is that of the module.
"""

import ast
import inspect
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from slider_attacks import _native

STUB = pathlib.Path(__file__).parent.parent / "package" / "slider_attacks" / "_native.pyi"

Definition = ast.FunctionDef | ast.ClassDef


def definitions(body: list[ast.stmt], owner: Any) -> Iterator[tuple[Definition, str]]:
    """The public functions and classes of the stub, and the methods of these, each with its documentation in the module.

    Of several overloads, the first has the documentation.
    """
    done = set()
    for node in body:
        if not isinstance(node, Definition) or node.name.startswith("_") or node.name in done:
            continue
        done.add(node.name)
        thing = inspect.getattr_static(owner, node.name)
        assert thing.__doc__, f"{node.name} is documented"
        yield node, inspect.cleandoc(thing.__doc__)
        if isinstance(node, ast.ClassDef):
            yield from definitions(node.body, thing)


def literal(text: str, indent: str) -> str:
    """A string for documentation."""
    quotes = 'r"""' if "\\" in text else '"""'
    if "\n" not in text:
        return f'{indent}{quotes}{text}"""'
    lines = [f"{indent}{line}".rstrip() for line in [*text.split("\n"), '"""']]
    return f"{indent}{quotes}" + "\n".join(lines).strip()


def described(stub: str) -> str:
    """The stub with the documentation of the module in place of its own."""
    source = stub.encode()  # as the columns of nodes are in bytes
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, text in reversed(list(definitions(ast.parse(stub).body, _native))):
        first = node.body[0]
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)  # documentation, or "..."
        line, column = min((part.lineno, part.col_offset) for part in [first, *getattr(first, "decorator_list", [])])
        begin = starts[line - 1] + column if is_text else starts[line - 1]
        end = starts[(first.end_lineno or 0) - 1] + (first.end_col_offset or 0) if is_text else begin
        head = source[:begin].rstrip()
        assert head.endswith(b":"), f"{node.name} begins with a comment"
        rest = source[end:].lstrip(b"\n")
        doc = literal(text, " " * (node.col_offset + 4)).encode()
        source = b"".join([head, b"\n", doc, b"\n\n" if rest else b"\n", rest])
    return source.decode()


def test_the_documentation_of_the_stub_is_that_of_the_module() -> None:
    stub = STUB.read_text()
    expected = described(stub)
    if stub != expected and "UPDATE" in os.environ:
        STUB.write_text(expected)
    else:
        assert stub == expected, "the stub is not current: UPDATE=1 pytest python/tests/test_stub.py"


def test_the_signatures_of_the_stub_are_those_of_the_module(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    not_in_stubs = tmp_path / "allowed"
    not_in_stubs.write_text("slider_attacks._native.__all__\n")
    options = ["--concise", "--allowlist", str(not_in_stubs), "--mypy-config-file", "pyproject.toml"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", *options, "slider_attacks._native"],
        cwd=STUB.parent.parent.parent,
        env=os.environ | {"MYPYPATH": "package"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr

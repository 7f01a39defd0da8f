"""The notebook of docs/ runs, prints the text that it holds, and draws pictures in the same cells.

It runs without Jupyter, which would take longer to install than everything else here. `jupyter execute --inplace` writes text and
pictures into the notebook. With UPDATE=1 in the environment, the test removes the pictures, which are not kept in the repository.
"""

import ast
import json
import os
import pathlib
from typing import Any

import pytest

NOTEBOOK = pathlib.Path(__file__).parent.parent.parent / "docs" / "features.ipynb"


TEXTS = {"text/plain", "text/html"}


def pictures(outputs: list[dict[str, Any]]) -> int:
    """How many pictures a cell shows. Without its data, a picture is a figure's name or a board as text."""
    texts = ["".join(output["data"]["text/plain"]) for output in outputs if "data" in output]
    return sum(text.startswith(("<Figure", "8  ")) for text in texts)


def without_pictures(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook without the data of its pictures."""
    for output in (output for cell in notebook["cells"] for output in cell.get("outputs", []) if "data" in output):
        output["data"] = {kind: data for kind, data in output["data"].items() if kind in TEXTS}
    return notebook


def test_no_pictures_are_kept() -> None:
    text = NOTEBOOK.read_text()
    current = json.dumps(without_pictures(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
    if text != current and "UPDATE" in os.environ:
        NOTEBOOK.write_text(current)
    else:
        assert text == current, "UPDATE=1 pytest python/tests/test_notebook.py removes pictures"


def test_the_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    plt: Any = pytest.importorskip("matplotlib.pyplot")
    found = 0

    def show() -> None:
        nonlocal found
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
            found += 1
        plt.close("all")

    monkeypatch.setattr(plt, "show", show)
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        found = 0
        lines = ast.parse("".join(cell["source"])).body
        last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
        exec(compile(ast.Module(lines, []), f"cell {number}", "exec"), names)  # noqa: S102
        value: Any = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        if hasattr(value, "_repr_svg_"):
            assert value._repr_svg_().startswith("<svg")
            found += 1
        assert cell["outputs"], f"cell {number} was executed"
        assert found == pictures(cell["outputs"]), f"cell {number}"
        text = "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")
        assert capsys.readouterr().out == text, f"cell {number}"

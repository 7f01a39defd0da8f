"""The notebook of docs/ runs, and gives what it shows: the same text, and pictures in the same cells.

It runs without Jupyter, which would take longer to install than everything else here. `jupyter execute --inplace` writes what
the notebook shows.
"""

import ast
import json
import pathlib
from collections import Counter
from typing import Any

import pytest

NOTEBOOK = pathlib.Path(__file__).parent.parent.parent / "docs" / "features.ipynb"


def kinds(outputs: list[dict[str, Any]]) -> Counter[str]:
    """How many pictures of each kind a cell shows."""
    return Counter(kind for output in outputs for kind in output.get("data", {}) if kind.startswith("image/"))


def test_the_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    plt: Any = pytest.importorskip("matplotlib.pyplot")
    found: Counter[str] = Counter()

    def show() -> None:
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
            found["image/png"] += 1
        plt.close("all")

    monkeypatch.setattr(plt, "show", show)
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        found.clear()
        lines = ast.parse("".join(cell["source"])).body
        last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
        exec(compile(ast.Module(lines, []), f"cell {number}", "exec"), names)  # noqa: S102
        value: Any = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        if hasattr(value, "_repr_svg_"):
            assert value._repr_svg_().startswith("<svg")
            found["image/svg+xml"] += 1
        assert cell["outputs"], f"cell {number} was executed"
        assert found == kinds(cell["outputs"]), f"cell {number}"
        text = "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")
        assert capsys.readouterr().out == text, f"cell {number}"

"""Every example of the documentation, and that everything public has one."""

import doctest
import importlib.util
import inspect
import pathlib
import re
import shutil
from typing import Any

import pytest
import slider_attacks

PACKAGE = pathlib.Path(slider_attacks.__file__).parent
README = pathlib.Path(__file__).parent.parent / "README.md"
DOCS = README.parents[1] / "docs"
PAGES = [README, DOCS / "python.md", DOCS / "tutorial.md", DOCS / "summaries.md", DOCS / "training.md"]


def documented() -> list[tuple[str, str]]:
    """The public things and their documentation."""
    found = [("slider_attacks", slider_attacks.__doc__ or "")]
    for engine in ["duckdb", "datafusion", "polars"]:  # tests/engines runs those that need a cluster
        if importlib.util.find_spec(engine):
            module = importlib.import_module(f"slider_attacks.{engine}")
            found.append((engine, module.__doc__ or ""))
            found += [(f"{engine} {name}", getattr(module, name).__doc__ or "") for name in module.__all__]
    for name in slider_attacks.__all__:
        thing: Any = getattr(slider_attacks, name)
        found.append((name, thing.__doc__ or ""))
        if inspect.isclass(thing):
            members = [(member, value) for member, value in vars(thing).items() if not member.startswith("_")]
            found += [(f"{name}.{member}", value.__doc__ or "") for member, value in members]
    return found


@pytest.mark.parametrize(("name", "text"), documented(), ids=[name for name, _ in documented()])
def test_examples(name: str, text: str) -> None:
    assert text, f"{name} is documented"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.failed == 0
    if name[:1].islower() and "." not in name:
        assert results.attempted > 0, f"{name} has an example"


@pytest.mark.parametrize("module", ["", ".datafusion", ".duckdb", ".polars", ".ray", ".spark"])
def test_the_help_defines_every_product_and_column(module: str) -> None:
    thing: Any = importlib.import_module(f"slider_attacks{module}") if module else slider_attacks.analyze
    text = " ".join(thing.__doc__.split())
    for product in slider_attacks.products():
        function = "" if product["function"] == product["name"] else f" In SQL: {product['function']}(fen)."
        assert f" {product['name']} {product['definition']}.{function}" in text
        for column, meaning in product["columns"].items():
            assert re.search(rf" {column} : [a-z0-9:, ]+ {re.escape(meaning)}", text), column


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages(page: pathlib.Path, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    shutil.copy(DOCS.parent / "tests" / "data" / "games.pgn", tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        if "from torch" not in block or importlib.util.find_spec("torch"):
            exec(block, names)  # noqa: S102


def test_everything_public_has_types() -> None:
    stub = (PACKAGE / "_native.pyi").read_text()
    assert (PACKAGE / "py.typed").exists()
    for name in slider_attacks.__all__:
        thing: Any = getattr(slider_attacks, name)
        assert re.search(rf"^(def|class) {name}\b", stub, re.MULTILINE), name
        if inspect.isclass(thing):
            body = re.split(rf"^class {name}\b", stub, flags=re.MULTILINE)[1].split("\nclass ")[0]
            for member in vars(thing):
                if not member.startswith("_"):
                    assert re.search(rf"^    def {member}\b", body, re.MULTILINE), f"{name}.{member}"


def test_the_first_example_is_that_of_the_readme() -> None:
    assert (README.parent / "examples" / "first.py").read_text() in README.read_text()

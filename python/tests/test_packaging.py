"""What the package needs and says it needs: an environment with NumPy alone, extras, and types for mypy and pyright."""

import pathlib
import re
import subprocess
import sys
import tomllib
import venv

import numpy as np
import pytest
import slider_attacks

FOLDER = pathlib.Path(__file__).parent
PROJECT = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Python of an environment that has this package, NumPy, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for module in [slider_attacks, np]:
        place = pathlib.Path(module.__file__ or "").parent
        for found in place.parent.glob(f"{place.name}*"):  # the module, its libraries and its description
            (packages / found.name).symlink_to(found)
    return folder / "bin" / "python"


def run(python: pathlib.Path, program: str) -> str:
    """What a program prints."""
    done = subprocess.run([python, "-c", program], capture_output=True, check=False, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_but_numpy_is_imported(bare: pathlib.Path) -> None:
    program = """if True:
        import slider_attacks, sys
        names = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
        print(*sorted(name for name in names if not name.startswith("_")))
    """
    for python in [bare, pathlib.Path(sys.executable)]:  # also where the engines are installed
        assert run(python, program).split() in (["slider_attacks"], ["numpy", "slider_attacks"])


def test_numpy_is_enough(bare: pathlib.Path) -> None:
    readme = (FOLDER.parent / "README.md").read_text()
    print(run(bare, re.findall(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)[0]))
    program = """if True:
        import doctest, importlib.util, pydoc, re, slider_attacks
        ENGINES = "datafusion duckdb nanoarrow pandas polars pyarrow pyspark ray"
        assert not any(map(importlib.util.find_spec, ENGINES.split()))
        tried = 0
        for name in slider_attacks.__all__:
            text = pydoc.render_doc(getattr(slider_attacks, name), renderer=pydoc.plaintext)
            test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
            if not re.search(rf"import ({ENGINES.replace(' ', '|')})", text):
                tried += doctest.DocTestRunner().run(test).attempted
        for name in ["datafusion", "duckdb", "polars", "ray", "spark"]:
            assert name in dir(slider_attacks)
            assert "FUNCTIONS" in pydoc.render_doc(getattr(slider_attacks, name), renderer=pydoc.plaintext)
        assert "analyze(" in pydoc.render_doc(slider_attacks, renderer=pydoc.plaintext)
        print(tried)
    """
    assert int(run(bare, program)) > 20


@pytest.mark.parametrize(
    ("call", "package", "extra"),
    [
        ("datafusion.register(None)", "pyarrow", "datafusion"),
        ("polars.analyze('fen')", "polars", "polars"),
        ("polars.attacks('square', 'occ')", "polars", "polars"),
        ("ray.with_attacks(None)", "pyarrow", "ray"),
        ("spark.analyze('fen')", "pyarrow", "spark"),
        ("spark.with_attacks(None)", "pyarrow", "spark"),
        ("spark.attacks('square', 'occ')", "pyspark", "spark"),
        ("client", "pyarrow", "client"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(bare: pathlib.Path, call: str, package: str, extra: str) -> None:
    statement = "import slider_attacks.client" if "client" in call else f"slider_attacks.{call}"
    program = f"""if True:
        import slider_attacks
        try:
            {statement}
        except ImportError as error:
            print(error)
    """
    assert run(bare, program) == f"{package} is not installed: pip install 'slider-attacks[{extra}]'\n"
    assert any(re.match(rf"{package}\b", needed) for needed in PROJECT["optional-dependencies"][extra])


def test_lower_bounds_are_those_that_are_tested() -> None:
    oldest = dict(line.split("==") for line in (FOLDER / "oldest.txt").read_text().split())
    needed = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    bounds = {tuple(line.split(">=")) for lines in needed for line in lines}
    assert {name for name, _ in bounds} >= {"numpy", "pyarrow", "polars", "pandas", "datafusion", "duckdb"}
    for name, bound in bounds:
        if name in oldest:
            assert f"{oldest[name]}.".startswith(f"{bound}."), name

"""The project as a whole: what lies in it, how long its parts are, and what the wheel made of it can do by itself."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import shutil
import statistics
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
SHARED_SEEDS = ROOT.parent / "shared/seeds"
TOP = {"pyproject.toml", "README.md", "seeds", "bot", "recommender", "tests", "deploy", "LICENSE"}
PACKAGES = ("bot", "recommender")
MIGRATIONS = "bot/store/migrations"
MODULE_LIMIT, MODULE_MEDIAN = 350, 90  # lines
FUNCTION_LIMIT, FUNCTION_MEDIAN = 60, 10  # lines
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
Function = ast.FunctionDef | ast.AsyncFunctionDef


def tracked() -> list[str]:
    """Return the files of the repository, by path from its top."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def modules(*folders: str) -> list[Path]:
    """Return the Python files of some folders."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def own_modules() -> list[Path]:
    """Return the modules of the program, without the migrations, which are written once and never again."""
    return [path for path in modules(*PACKAGES) if MIGRATIONS not in path.as_posix()]


def functions(path: Path) -> Iterator[Function]:
    """Yield every function of a module, inner ones included."""
    yield from (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, Function))


def length(node: Function) -> int:
    """Return how many lines a function has, its decorators aside."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


class TestFiles:
    def test_the_top_holds_what_the_design_allows(self) -> None:
        found = {name.split("/")[0] for name in tracked()}
        assert {name for name in found if not name.startswith(".")} == TOP
        assert {name for name in found if name.startswith(".")} <= {".ci", ".github", ".gitignore"}

    def test_no_file_names_a_package_registrys_host(self) -> None:
        halves = [
            ("py", "pi.org"),
            ("files.python", "hosted"),
            ("npm", "js.org"),
            ("deb.", "debian.org"),
            ("crates", ".io"),
            ("proxy.", "golang.org"),
            ("docker", ".io"),
            ("gh", "cr.io"),
            ("quay", ".io"),
        ]
        pattern = re.compile("|".join(re.escape(first + second) for first, second in halves), re.IGNORECASE)
        assert matching(pattern) == []

    def test_no_file_names_a_folder_of_one_persons_machine(self) -> None:
        homes = "|".join(f"/{name}/" for name in ("work", "root", "home", "Users"))
        before = r"(?<![\w.*})/-])"  # in an address or under a variable it is another folder
        assert matching(re.compile(f"{before}(?:{homes})[A-Za-z.]|/tmp/" + "venv")) == []

    def test_the_seeds_are_as_they_were_given(self) -> None:
        if not SHARED_SEEDS.is_dir():
            pytest.skip("the given seeds are not beside this checkout")
        given = sorted(SHARED_SEEDS.iterdir())
        assert {file.name for file in given} == {file.name for file in (ROOT / "seeds").iterdir()}
        for file in given:
            assert (ROOT / "seeds" / file.name).read_bytes() == file.read_bytes()

    def test_tests_and_seeds_are_no_packages(self) -> None:
        assert [name for name in tracked() if re.fullmatch(r"(tests|seeds)/(.*/)?__init__\.py", name)] == []

    def test_no_test_folder_hides_a_library(self) -> None:
        folders = {folder.name for folder in (ROOT / "tests").rglob("*") if folder.is_dir()}
        assert {name for name in folders if name == "discord" or name.startswith("slack_")} == set()

    def test_names_of_test_files_are_unique(self) -> None:
        names = [Path(name).name for name in tracked() if re.fullmatch(r"tests/(.*/)?test_[^/]*\.py", name)]
        assert len(names) == len(set(names))


def matching(pattern: re.Pattern[str]) -> list[str]:
    """Return where the repository's texts match, as `file:line`."""
    found = []
    for name in tracked():
        lines = (ROOT / name).read_text(errors="replace").splitlines()
        found += [f"{name}:{number}" for number, line in enumerate(lines, 1) if pattern.search(line)]
    return found


class TestLengths:
    def test_a_module_is_short(self) -> None:
        long = {path.relative_to(ROOT).as_posix(): lines(path) for path in modules(*PACKAGES)}
        assert {name: count for name, count in long.items() if count > MODULE_LIMIT} == {}

    def test_the_median_module_is_short(self) -> None:
        median = statistics.median(lines(path) for path in own_modules())
        print(f"median module: {median} lines")
        assert median <= MODULE_MEDIAN

    def test_a_function_is_short(self) -> None:
        long = [
            f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length(node)}"
            for path in modules(*PACKAGES, "tests")
            for node in functions(path)
            if length(node) > FUNCTION_LIMIT and MIGRATIONS not in path.as_posix()
        ]
        assert long == []

    def test_the_median_function_is_short(self) -> None:
        median = statistics.median(length(node) for path in own_modules() for node in functions(path))
        print(f"median function: {median} lines")
        assert median <= FUNCTION_MEDIAN


def lines(path: Path) -> int:
    """Return how many lines a file has."""
    return len(path.read_text().splitlines())


def test_everything_public_says_what_it_is() -> None:
    silent = [f"{path.relative_to(ROOT)}:{name}" for path in own_modules() for name in undocumented(path)]
    assert silent == []


def undocumented(path: Path) -> Iterator[str]:
    """Yield what is public in a module and has no docstring: the module, classes, functions and methods."""
    tree = ast.parse(path.read_text())
    if tree.body and not ast.get_docstring(tree):
        yield "module"
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else []
        for one in (node, *inner):
            if not isinstance(one, ast.ClassDef | Function) or one.name.startswith("_") or is_overload(one):
                continue
            if not ast.get_docstring(one):
                yield one.name


def is_overload(node: ast.ClassDef | Function) -> bool:
    """Say whether this is one of a function's signatures, which its last definition documents."""
    return any(ast.unparse(mark).endswith("overload") for mark in node.decorator_list)


EXTRAS = {"bot/embedders/onnx.py": "dense"}  # modules that import what an extra brings


def declared(path: Path) -> set[str]:
    """Return the distributions that the program asks for, canonical, with those of an extra only for its modules."""
    extra = EXTRAS.get(path.relative_to(ROOT).as_posix(), "")
    texts = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"].get(extra, [])
    return {canonicalize_name(Requirement(text).name) for text in texts}


def imported(path: Path) -> Iterator[str]:
    """Yield the top-level names of what a module imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]


def test_what_is_imported_is_declared() -> None:
    homes = importlib.metadata.packages_distributions()
    known = {*sys.stdlib_module_names, *PACKAGES}
    outside = [(path, name) for path in modules(*PACKAGES) for name in set(imported(path)) - known]
    assert [one for one in outside if declared(one[0]).isdisjoint(map(canonicalize_name, homes.get(one[1], [])))] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as an installer would, with the build backend that is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    [file] = folder.glob("*.whl")
    return file


@pytest.mark.slow
def test_the_wheel_holds_the_program_and_its_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    ours = {name for name in tracked() if name.split("/")[0] in PACKAGES}
    assert ours <= held
    assert {f"bot/seeds/{file.name}" for file in (ROOT / "seeds").iterdir()} <= held
    assert {name.split("/")[0] for name in held} == {*PACKAGES, f"paperround-{PROJECT['project']['version']}.dist-info"}
    assert f"{MIGRATIONS}/script.py.mako" in held
    assert any(name.startswith(f"{MIGRATIONS}/versions/") and name.endswith(".py") for name in held)
    assert not any(name.endswith((".pyc", ".env")) for name in held)


def closure(wanted: Iterator[Requirement]) -> set[str]:
    """Return the distributions that these requirements bring, as installed here, by name."""
    found: set[str] = set()
    todo = list(wanted)
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        todo += map(Requirement, importlib.metadata.requires(name) or [])
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a new environment that holds what the wheel declares and no more. Returns its programs.

    The dependencies are linked from the environment of the tests, so that no network is needed.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    [site] = folder.glob("lib/python*/site-packages")
    for name in closure(map(Requirement, PROJECT["project"]["dependencies"])):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--quiet", "--disable-pip-version-check", str(wheel)], check=True, stdin=subprocess.DEVNULL)
    return folder / "bin"


def start(programs: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the installed program in / with an empty home and without this process's environment."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS") or name == "LANG"}
    return subprocess.run(
        [str(programs / "paperround"), *words],
        cwd="/",
        env={**kept, "PATH": os.defpath, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_installed_wheel_plays_the_demo_from_anywhere(installed: Path, tmp_path: Path) -> None:
    played = start(installed, "demo", home=tmp_path)
    assert played.returncode == 0, played.stderr
    assert played.stderr == ""
    assert "Imported 13 papers" in played.stdout
    assert list(tmp_path.iterdir()) == [], "the demo left something behind"


@pytest.mark.slow
def test_the_installed_wheel_imports_and_tells_how_it_is(installed: Path, tmp_path: Path) -> None:
    seeds = shutil.copytree(ROOT / "seeds", tmp_path / "papers")
    first = start(installed, "import", str(seeds / "iclr2026-abstracts.txt"), home=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "19 new" in first.stdout
    status = start(installed, "status", "--quick", home=tmp_path)
    assert (status.returncode, "database" in status.stdout) == (1, True), "no bot runs, so it is not alive"

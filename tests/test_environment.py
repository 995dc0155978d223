"""What is locked, what conda gets, and what the Makefile promises."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from helpers.bootstrap import R_PACKAGES
from helpers.environment import CONDA_FILE, EXCEPTIONS, conda_environment, pins, requirement_name
from helpers.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
LOCKED = pins(LOCK)
NAMED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]

# The packages that the project was founded on. Quarto is the exception: see pyproject.toml.
FOUNDATION = (
    "jupyterlab papermill pandas polars statsmodels pymer4 pingouin matplotlib seaborn plotnine"
    " openai"
).split()


# The lock


@pytest.mark.parametrize("name", FOUNDATION)
def test_the_lock_holds_the_foundation(name: str) -> None:
    assert name in LOCKED
    assert name in map(requirement_name, PROJECT["dependencies"])


def test_quarto_is_an_extra_and_never_locked() -> None:
    assert PROJECT["optional-dependencies"]["quarto"] == ["quarto-cli"]
    assert "quarto-cli" not in LOCKED


@pytest.mark.parametrize("requirement", NAMED)
def test_the_lock_satisfies_pyproject(requirement: str) -> None:
    assert LOCKED[requirement_name(requirement)] in Requirement(requirement).specifier


def test_every_package_of_the_lock_is_pinned_with_a_hash() -> None:
    blocks = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).strip())
    assert len(blocks) == len(LOCKED)
    for block in blocks:
        assert re.match(r"[\w.-]+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", block), block[:80]


def test_the_lock_names_no_host_and_no_folder() -> None:
    code = re.sub(r"#.*", "", LOCK)
    assert not re.search(r"://|--index|--extra|--find|--trusted|/| @ ", code)
    assert "://" not in LOCK


def test_what_is_installed_is_what_is_locked() -> None:
    assert {name: version(name) for name in LOCKED} == LOCKED


# The conda environment


def test_conda_gets_the_direct_dependencies_at_the_locks_versions() -> None:
    *conda, pip = yaml.safe_load(CONDA_FILE.read_text("utf-8"))["dependencies"]
    assert conda == list(EXCEPTIONS)
    names = {requirement_name(requirement) for requirement in PROJECT["dependencies"]}
    assert pins("\n".join(pip["pip"])) == {name: LOCKED[name] for name in names}


def test_the_exceptions_are_what_the_lock_cannot_hold() -> None:
    tools = {"python=3.11", "pip", "make", "git", "c-compiler", "quarto", "r-base=4.2"}
    assert set(EXCEPTIONS) == tools | {f"r-{name.lower()}" for name in R_PACKAGES}
    assert not set(EXCEPTIONS) & set(LOCKED)


def test_the_conda_file_is_what_make_lock_writes() -> None:
    assert CONDA_FILE.read_text("utf-8") == conda_environment(PROJECT["dependencies"], LOCK)


# R


def test_the_bridge_to_r_is_compiled_not_interpreted() -> None:
    script = "import sys, rpy2.robjects; print('_rinterface_cffi_api' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert answer.stdout.strip() == "True", answer.stderr


# The commands


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env=outside, capture_output=True, text=True
    )


def test_help_explains_every_command() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    commands = set(phony.group(1).split()) - {"set-up", "set-up-test"}
    explained = re.findall(r"^make (\S+) +\S", make("help").stdout, re.MULTILINE)
    assert sorted(explained) == sorted(commands)


def test_a_misspelt_variable_is_refused_with_the_known_ones() -> None:
    answer = make("report", "ENGIN=pandoc")
    assert answer.returncode != 0
    assert "unknown variable ENGIN" in answer.stderr
    assert "ENGINE" in answer.stderr


def test_values_reach_the_command_line_as_typed() -> None:
    setting = "title='a $b' n=1; x`y`\"z\""
    folder = '-it\'s a `b` "c" $HOME; ü'
    answer = make("-n", "report", f"P={setting}", f"STUDY={folder}", "OUT=mein Buch")
    words = shlex.split(answer.stdout.replace("\\\n", ""))
    assert words[words.index("report") + 1 :] == [
        "--engine=auto",
        f"--set={setting}",
        f"--study={folder}",
        "--out=mein Buch",
    ]


def test_an_option_that_was_not_typed_is_not_passed_on_but_an_empty_one_is() -> None:
    assert "--study" not in make("-n", "report").stdout
    assert "--study=''" in make("-n", "check", "STUDY=").stdout


def test_outputs_stay_out_of_git_once_lab_was_opened(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "execution_count": 1}
    output = {"output_type": "display_data", "data": {"text/plain": "seen"}, "metadata": {}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"helpers": {"kinds": []}}}
    text = json.dumps(notebook | {"cells": [cell | {"outputs": [output]}]})
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "a.ipynb").write_text(text)
    (tmp_path / ".gitattributes").write_text((ROOT / ".gitattributes").read_text())

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    git("add", ".")
    assert "seen" in git("show", ":notebooks/a.ipynb")
    configure = re.search(r"git config (\S+) '(.*?)'", make("-n", "lab").stdout)
    assert configure is not None
    for name, target in ((".venv", Path(sys.prefix)), ("src", ROOT / "src")):
        (tmp_path / name).symlink_to(target)
    git("config", configure[1], configure[2])
    git("add", "--renormalize", "notebooks")
    stored = json.loads(git("show", ":notebooks/a.ipynb"))
    assert stored["cells"][0]["outputs"] == []
    assert stored["cells"][0]["id"] == "a"
    assert stored["metadata"]["helpers"] == {"kinds": []}

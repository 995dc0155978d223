"""The conda environment: what the lock pins, for machines that give no root and no Debian.

`python -m helpers.environment` writes renv-free-env.yml anew; `make lock` calls it.
"""

import re
import tomllib
from collections.abc import Iterable

from helpers.bootstrap import R_PACKAGES
from helpers.files import write_text
from helpers.paths import ROOT

CONDA_FILE = ROOT / "renv-free-env.yml"

# What conda must bring that requirements.lock cannot hold, and why.
EXCEPTIONS = {
    "python=3.11": "the lock is made for it",
    "pip": "installs the last part below",
    "make": "runs the commands",
    "git": "names the commit that a book was rendered at",
    "c-compiler": "compiles rpy2 against R",
    "quarto": "optional: without it the book is rendered by pandoc and typst",
    "r-base=4.2": "R as in Debian 12; R packages are not on PyPI",
    **{f"r-{name.lower()}": "" for name in R_PACKAGES},
}

HEADER = """\
# Written by `make lock`: change pyproject.toml instead.
# All that the project needs without root and without Debian:
#   conda env create -f renv-free-env.yml
#   conda run -n judging-ai-book --no-capture-output make report
# The packages under `pip` are those that pyproject.toml names, at the versions of
# requirements.lock; `make` also installs that lock, hashes and all, in .venv.
name: judging-ai-book
channels:
  - conda-forge
  - nodefaults
dependencies:
"""


def requirement_name(requirement: str) -> str:
    """Return the package of a requirement such as `Pandera[polars]>=1`, as indexes spell it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()


def pins(lock: str) -> dict[str, str]:
    """Return each package's version from the text of a requirements file."""
    found = re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)
    return {requirement_name(name): version for name, version in found}


def conda_environment(requirements: Iterable[str], lock: str) -> str:
    """Write the conda environment file.

    Parameters
    ----------
    requirements : iterable of str
        The project's direct dependencies, as in pyproject.toml.
    lock : str
        Text of requirements.lock.

    Returns
    -------
    str
        YAML: what conda brings, then the dependencies at the lock's versions for pip.
    """
    version = pins(lock)
    conda = [f"{name}  # {why}" if why else name for name, why in EXCEPTIONS.items()]
    pip = sorted(f"{name}=={version[name]}" for name in map(requirement_name, requirements))
    lines = [f"  - {line}" for line in [*conda, "pip:"]] + [f"      - {line}" for line in pip]
    return HEADER + "\n".join(lines) + "\n"


def main() -> None:
    """Bring renv-free-env.yml in step with pyproject.toml and requirements.lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    write_text(CONDA_FILE, conda_environment(project["dependencies"], lock))


if __name__ == "__main__":
    main()

"""Where a build keeps what it makes."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Places:
    """The folders and files of one study's build, all below `_build/<study>/`.

    Parameters
    ----------
    root : Path
        The project: the folder of `_quarto.yml`.
    study : str
        Names the folder below `_build/`.
    """

    root: Path
    study: str = "default"

    @property
    def build(self) -> Path:
        """All of this build."""
        return self.root / "_build" / self.study

    @property
    def results_folder(self) -> Path:
        """The chapters' results, read by the chapters that need them."""
        return self.build / "results"

    @property
    def stage(self) -> Path:
        """The book as the renderer gets it."""
        return self.build / "stage"

    @property
    def rendered(self) -> Path:
        """Which folder holds the book rendered last."""
        return self.build / "rendered.json"

    @property
    def lock(self) -> Path:
        """Held by the one build that may write."""
        return self.build / "lock"

    @property
    def cache(self) -> Path:
        """What libraries keep between runs (matplotlib's list of fonts)."""
        return self.root / "_build" / "cache"

    def executed(self, stem: str) -> Path:
        """The chapter after a run without fault."""
        return self.build / "executed" / f"{stem}.ipynb"

    def running(self, stem: str) -> Path:
        """The chapter while it runs."""
        return self.build / "running" / f"{stem}.ipynb"

    def failed(self, stem: str) -> Path:
        """The chapter as far as it came before it failed."""
        return self.build / "failed" / f"{stem}.ipynb"

    def results(self, stem: str) -> Path:
        """The chapter's results."""
        return self.results_folder / f"{stem}.json"

    def key(self, stem: str) -> Path:
        """The key under which the chapter was run, with its ingredients."""
        return self.build / "keys" / f"{stem}.json"

    def name(self, path: Path) -> str:
        """`path` as a message shows it: relative to the project where it lies inside."""
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

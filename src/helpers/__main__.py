"""The command line behind the Makefile: `python -m helpers report`, `check` and the like."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from helpers.errors import HelpersError, did_you_mean, in_words

# Commands import what they run when they run it: `--help` and a usage error need none of it.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; what goes wrong is told in words, without a traceback.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands after `python -m helpers`; taken from the command line if not given.

    Returns
    -------
    int
        The exit code: 0 done, 1 something to put right, 130 stopped (argparse itself exits with 2).
    """
    asked = _parser().parse_args(arguments)
    asked.options = (sys.argv[1:] if arguments is None else arguments)[1:]
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, _stop)
    try:
        asked.run(asked)
    except HelpersError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(in_words(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


class _Parser(argparse.ArgumentParser):
    """A parser that tells a wrong value in one line, by the name it has in `make`."""

    def error(self, message: str) -> NoReturn:
        """End with the message alone; argparse would print the usage of every option first."""
        if message.startswith("argument --"):
            option, _, told = message.removeprefix("argument --").partition(": ")
            name = {"pdf-code": "CODE", "set": "P"}.get(option, option.replace("-", "_").upper())
            message = f"{name}: {told}"
        self.exit(2, f"{message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m helpers", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="command")

    report = commands.add_parser("report", help="run what changed and render the book")
    report.set_defaults(run=_report)
    _add_options(report)

    preview = commands.add_parser("preview", help="show the book, and build it as sources change")
    preview.set_defaults(run=_preview)
    _add_options(preview)

    check = commands.add_parser("check", help="say whether a study can be read")
    check.set_defaults(run=_check)
    check.add_argument("--study", type=_path, help="its folder")

    new = commands.add_parser("new-study", help="write a template of a study")
    new.set_defaults(run=_new_study)
    new.add_argument("--dir", type=_path, help="a new folder")

    platform = commands.add_parser("import-platform", help="turn the platform's saves into a study")
    platform.set_defaults(run=_import_platform)
    platform.add_argument("--file", type=_path, help="saves: file, folder, pattern")
    platform.add_argument("--dir", type=_path, help="a new folder")

    data = commands.add_parser("data", help="write the shipped, simulated studies anew")
    data.set_defaults(run=_data)

    evidence = commands.add_parser("evidence", help="see whether planted parameters are found")
    evidence.set_defaults(run=_evidence)
    evidence.add_argument("--scheduler", default="", help="address of a Dask scheduler")

    power = commands.add_parser("power", help="simulate studies to plan the next one")
    power.set_defaults(run=_power)
    power.add_argument("--study", type=_path, help="the folder of a study to plan after")
    power.add_argument("--set", default=[], action="append", metavar="'name=value …'")
    power.add_argument("--scheduler", default="", help="address of a Dask scheduler")
    for name in ("studies", "evaluators", "cases", "effect"):
        power.add_argument(f"--{name}", help="numbers, with spaces between")
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Let a command be told how to build the book."""
    parser.add_argument("--engine", default="auto", type=_one_of("auto", "quarto", "pandoc"))
    parser.add_argument("--study", type=_path, help="the folder of a study: the book of that alone")
    parser.add_argument(
        "--out", type=_path, help="the book's folder (default: _book, or _book-<study>)"
    )
    parser.add_argument(
        "--set",
        default=[],
        action="append",
        metavar="'name=value …'",
        help="parameters of chapters; the first cell of each chapter lists them",
    )
    parser.add_argument(
        "--time-limit",
        default=3600.0,
        type=_seconds,
        metavar="seconds",
        help="how long one chapter may take (default: 3600)",
    )
    parser.add_argument(
        "--kernels",
        default="warm",
        type=_one_of("warm", "fresh"),
        help="fresh: a Python started anew for each chapter, slower (default: warm)",
    )
    parser.add_argument(
        "--pdf-code",
        default="no",
        type=_one_of("yes", "no"),
        help="yes: the PDF shows the chapters' code too (default: no)",
    )


def _path(text: str) -> Path:
    """Read a path; an empty one, as of a shell variable that is not set, would mean `.`."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(os.path.expanduser(text))


def _given(path: Path | None, what: str, usage: str) -> Path:
    if path is None:
        raise HelpersError(f"give {what}: make {usage}")
    return path


def _one_of(*known: str) -> Callable[[str], str]:
    """Read one of some words, or say which there are and which was meant."""

    def read(text: str) -> str:
        if text not in known:
            expected = f"{', '.join(known[:-1])} or {known[-1]}"
            raise argparse.ArgumentTypeError(
                f"expected {expected}, found '{text}'{did_you_mean(text, known)}"
            )
        return text

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds, a number above 0, found '{text}'")
    return seconds


def _report(asked: argparse.Namespace) -> None:
    from helpers.book.build import report

    out = asked.out.resolve() if asked.out else None
    out = report(
        out,
        asked.engine,
        asked.set,
        asked.time_limit,
        study=asked.study,
        kernels=asked.kernels,
        pdf_code=asked.pdf_code == "yes",
    )
    made = [str(out / name) for name in ("index.html", "book.pdf") if (out / name).exists()]
    print("the book: " + ", ".join(made))


def _preview(asked: argparse.Namespace) -> None:
    from helpers.book.build import places_of
    from helpers.book.preview import preview
    from helpers.paths import ROOT

    out = asked.out.resolve() if asked.out else places_of(asked.study).book
    preview(
        [sys.executable, "-m", "helpers", "report", *asked.options],
        out,
        [ROOT, *([asked.study] if asked.study else [])],
    )


def _check(asked: argparse.Namespace) -> None:
    from helpers.book.plan import check

    print(check(_given(asked.study, "the study's folder", "check STUDY=folder")))


def _new_study(asked: argparse.Namespace) -> None:
    from helpers.study import new_study

    folder = new_study(_given(asked.dir, "a new folder", "new-study DIR=folder"))
    print(f"{folder}: example rows to replace; its study.yml explains the files")


def _import_platform(asked: argparse.Namespace) -> None:
    from helpers.study import import_platform

    usage = "import-platform FILE=saves DIR=folder"
    saves = _given(asked.file, "the platform's saves", usage)
    print(import_platform(saves, _given(asked.dir, "a new folder", usage)))


def _data(_: argparse.Namespace) -> None:
    from helpers.paths import DATA
    from helpers.simulate import write_example

    write_example(DATA / "perception")
    print("data/perception: written")


def _evidence(asked: argparse.Namespace) -> None:
    from helpers.recovery.evidence import FOLDER, write_evidence

    write_evidence(workers=os.cpu_count() or 1, scheduler=asked.scheduler)
    print(f"{FOLDER}: written")


def _power(asked: argparse.Namespace) -> None:
    from helpers.power.command import make_power

    typed = {name: getattr(asked, name) for name in ("studies", "evaluators", "cases", "effect")}
    numbers = {name: text for name, text in typed.items() if text is not None}
    print(make_power(asked.study, tuple(asked.set), numbers, asked.scheduler))


if __name__ == "__main__":
    sys.exit(main())

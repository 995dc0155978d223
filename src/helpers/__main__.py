"""The command line behind the Makefile: `python -m helpers report`."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from helpers.errors import HelpersError


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
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, _stop)
    try:
        _report(asked)
    except HelpersError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m helpers", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="command")
    report = commands.add_parser("report", help="run what changed and render the book")
    report.add_argument("--engine", default="auto", choices=("auto", "quarto", "pandoc"))
    report.add_argument("--out", default="_book", type=Path, help="the book's folder")
    report.add_argument(
        "--set",
        default=[],
        action="append",
        metavar="'name=value …'",
        help="parameters of chapters; the first cell of each chapter lists them",
    )
    report.add_argument(
        "--time-limit",
        default=3600.0,
        type=float,
        metavar="seconds",
        help="how long one chapter may take (default: 3600)",
    )
    return parser


def _report(asked: argparse.Namespace) -> None:
    from helpers.book.build import report  # late: `--help` and a usage error need none of it

    out = report(asked.out.resolve(), asked.engine, asked.set, asked.time_limit)
    made = [str(out / name) for name in ("index.html", "book.pdf") if (out / name).exists()]
    print("the book: " + ", ".join(made))


if __name__ == "__main__":
    sys.exit(main())

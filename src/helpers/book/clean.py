"""The second half of git's filter for notebooks: what an editor notes of its kernel goes.

JupyterLab writes the display name of the kernel and the version of Python into each notebook that
it saves. nbstripout, the first half, could only take these away, and a notebook needs such a name.
"""

import json
import sys

KERNEL = "python3"
NOTED = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": KERNEL},
    "language_info": {"name": "python"},
}
"""What a chapter says of its kernel."""


def cleaned(text: str) -> str:
    """A notebook as git keeps it, in the form in which nbformat writes.

    Raises
    ------
    ValueError
        If the text is no notebook.
    """
    notebook = json.loads(text)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("metadata"), dict):
        raise ValueError("no notebook")
    kernel = notebook["metadata"].get("kernelspec")
    if isinstance(kernel, dict) and kernel.get("name") == KERNEL:
        notebook["metadata"] |= NOTED
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main() -> int:
    """Clean standard input; where it is no notebook, fail, so that git keeps it as it is."""
    try:
        sys.stdout.buffer.write(cleaned(sys.stdin.buffer.read().decode()).encode())
    except ValueError as error:
        print(f"not cleaned: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Where things stand in a YAML file, so that a message can name the line."""

from collections.abc import Iterator, Sequence

import yaml

Place = Sequence[int | str]
"""Keys of mappings, and positions in lists from 0, that lead to a value."""


def row(mark: yaml.Mark | None) -> int:
    """Line of a mark, from 1."""
    return 1 if mark is None else int(mark.line) + 1


def line(node: yaml.Node, place: Place) -> int:
    """Line of the value at `place`, or of the nearest thing around it that is there."""
    if not place:
        return row(node.start_mark)
    first, rest = place[0], place[1:]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(first):
                return line(value, rest) if rest else row(key.start_mark)
    elif isinstance(node, yaml.SequenceNode) and isinstance(first, int) and first < len(node.value):
        return line(node.value[first], rest)
    return row(node.start_mark)


def doubles(node: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    """Keys that a mapping has twice, of which YAML would silently take the last."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                yield key
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else None)
            yield from doubles(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from doubles(item)


def find(node: yaml.Node, text: str, place: Place = ()) -> Place | None:
    """Place of the first value or key that reads `text`, or None."""
    if isinstance(node, yaml.ScalarNode):
        return place if node.value == text else None
    if isinstance(node, yaml.MappingNode):
        items = [(key.value, value) for key, value in node.value]
        if any(key == text for key, _ in items):
            return (*place, text)
    else:
        items = list(enumerate(node.value))
    places = (find(value, text, (*place, key)) for key, value in items)
    return next((found for found in places if found is not None), None)

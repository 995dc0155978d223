"""`study.yml`: what it may say, and the line that is named when it says something else."""

import pytest

from helpers.study import load
from helpers.study.config import LARGEST
from study_folder import STUDY, Folder


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def test_all_keys_are_read(folder):
    folder.say("best_rank: highest\nties: allowed\npartial_rankings: drop")
    folder.say("groups: {X: First, Y: Second}\nparameters: {resamples: 500, names: [a, b]}")
    config = load(folder.path).config
    assert config.title == "Three evaluators"
    assert config.simulated
    assert [(d.code, d.label, d.min, d.max) for d in config.dimensions] == [
        ("accuracy", "Accuracy", 1, 5),
        ("clarity", "Clarity", 0, 10),
    ]
    assert (config.best_rank, config.ties, config.partial_rankings) == (
        "highest",
        "allowed",
        "drop",
    )
    assert config.groups == {"X": "First", "Y": "Second"}
    assert config.parameters == {"resamples": 500, "names": ["a", "b"]}


def test_what_is_not_said_is_the_strict_choice(folder):
    config = load(folder.path).config
    assert (config.best_rank, config.ties, config.partial_rankings) == (
        "lowest",
        "refused",
        "refuse",
    )


def test_numbers_may_stand_for_text(folder):
    folder.spoil("study.yml", "title: Three evaluators", "title: 2026")
    folder.write("cases.csv", "case,specialty,group\n1,Cardiology,1\n2,Urology,2\n")
    folder.say("groups: {1: First, 2: Second}")
    assert load(folder.path).config.groups == {"1": "First", "2": "Second"}


LINES = {
    "misspelt key": ("tie: allowed", ', tie: line 7; unknown key (did you mean "ties"?)'),
    "foreign key": ("weather: fine", ", weather: line 7; unknown key"),
    "wrong choice": ("ties: maybe", ', ties: line 7 "maybe"; expected refused or allowed'),
    "list for a mapping": (
        "groups: [a]",
        ", groups: line 7; expected lines of the form `key: value`",
    ),
    "mapping for a value": (
        "parameters: {a: {b: 1}}",
        ", parameters: line 7; a: expected a number, a text, true, false or a list",
    ),
    "key twice": ("title: again", ': line 7 "title"; the same key twice; keep one'),
    "tab": (
        "groups:\n\tX: a",
        ": line 8; cannot be read: found character '\\t' that cannot start any token; "
        "indent with spaces, not tabs",
    ),
    "open bracket": (
        "groups: {X: a",
        ": line 8; cannot be read: expected ',' or '}', but got '<stream end>'",
    ),
    "alias": (
        "groups: &g {X: a}\nparameters: *g",
        ": line 8; cannot be read: aliases are not allowed; write the value out",
    ),
    "Python object": (
        "parameters: !!python/object/apply:os.system [ls]",
        ": line 7; cannot be read: could not determine a constructor for the tag "
        "'tag:yaml.org,2002:python/object/apply:os.system'",
    ),
    "impossible date": ("groups: 2026-13-01", ": cannot be read: month must be in 1..12"),
    "control character": (
        "groups: {X: \x1b[2J}",
        ": cannot be read: unacceptable character #x001b: special characters are not allowed",
    ),
    "deep nesting": ("parameters: " + "{a: " * 5_000 + "}" * 5_000, ": is nested too deeply"),
}


@pytest.mark.parametrize(("line", "told"), LINES.values(), ids=LINES.keys())
def test_a_wrong_line_is_named(folder, line, told):
    folder.say(line)
    assert folder.faults == [f"study.yml{told}"]


REPLACED = {
    "kind": (
        "kind: perception",
        "kind: percepton",
        ', kind: line 2 "percepton"; expected perception (did you mean "perception"?)',
    ),
    "no kind": ("kind: perception\n", "", ", kind: expected perception"),
    "no title": ("title: Three evaluators\n", "", ", title: is missing"),
    "title of several lines": (
        "title: Three evaluators",
        'title: "a\\nb"',
        r', title: line 1 "a\nb"; expected one line of text',
    ),
    "title without end": (
        "Three",
        "x" * 300,
        f', title: line 1 "{"x" * 40}…"; expected at most 200 characters',
    ),
    "misspelt simulated": (
        "simulated:",
        "simulatd:",
        ', simulatd: line 3; unknown key (did you mean "simulated"?)',
    ),
    "quoted true": (
        "simulated: true",
        'simulated: "true"',
        ', simulated: line 3 "true"; expected true or false',
    ),
    "scale upside down": (
        "min: 1, max: 5",
        "min: 5, max: 1",
        ', dimensions: line 4; "accuracy": expected min below max',
    ),
    "scale with decimals": (
        "max: 5",
        "max: 5.5",
        ', dimensions 1 max: line 5 "5.5"; expected a whole number',
    ),
    "code with a space": (
        "code: clarity",
        "code: cla rity",
        ', dimensions 2 code: line 6 "cla rity"; expected a letter, then letters, digits and _ '
        "(it names a column)",
    ),
    "code of another column": (
        "code: clarity",
        "code: rank",
        ', dimensions: line 4; code "rank" is the name of another column',
    ),
    "code twice": (
        "code: clarity",
        "code: Accuracy",
        ', dimensions: line 4; "Accuracy": two with the same code or label',
    ),
    "misspelt part of a dimension": (
        "label: Clarity",
        "lable: Clarity",
        ', dimensions 2 lable: line 6; unknown key (did you mean "label"?)',
    ),
}


@pytest.mark.parametrize(("old", "new", "told"), REPLACED.values(), ids=REPLACED.keys())
def test_a_wrong_value_is_named(folder, old, new, told):
    folder.spoil("study.yml", old, new)
    assert folder.faults == [f"study.yml{told}"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", ": is empty"),
        (b"# only a note\n", ": is empty"),
        (b"- a\n- b\n", ": expected lines of the form `key: value`"),
        (b"title: \xe4\n", ": line 1 byte 0xE4 at offset 7; expected UTF-8"),
        (b"#" * (LARGEST + 1), f": is larger than {LARGEST:,} bytes"),
        (b"title: " + b"9" * 5_000, ": cannot be read: Exceeds the limit (4300 digits)"),
    ],
)
def test_a_file_that_is_no_config_is_named(folder, content, told):
    folder.write("study.yml", content)
    (fault,) = folder.faults
    assert fault.startswith(f"study.yml{told}")


def test_dimensions_that_are_missing_or_wrong_leave_the_other_files_checked(folder):
    folder.write("study.yml", STUDY[: STUDY.index("dimensions")])
    folder.row("ratings.csv", 2, "E1,1,Z,5,9,1")
    assert folder.faults == [
        "study.yml, dimensions: is missing",
        'ratings.csv, analyst: row 2 "Z"; not in analysts.csv',
    ]


def test_a_misspelt_policy_brings_no_faults_of_its_own(folder):
    """With `tie: allowed` the tied ranks are as wrong or right as its owner meant them."""
    folder.row("ratings.csv", 3, "E1,1,B,3,4,1")
    folder.say("tie: allowed")
    assert folder.faults == ['study.yml, tie: line 7; unknown key (did you mean "ties"?)']


def test_groups_of_cases_must_be_among_the_labelled_ones(folder):
    folder.say("groups: {X: First, Z: Last}")
    assert folder.faults == [
        'cases.csv, group: row 3 "Y"; expected X, Z or a blank cell',
    ]

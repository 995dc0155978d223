"""`study.yml`: what it may say, and the line that is named when it says something else."""

import pytest

from helpers.errors import HelpersError
from helpers.study import load
from helpers.study.config import LARGEST, MARKED
from helpers.study.faults import EXAMPLE
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
        ", parameters a: line 7; expected a number, a text, true, false or a list",
    ),
    "key twice": ("title: again", ': line 7 "title"; the same key twice; keep one'),
    "tab": (
        "groups:\n\tX: a",
        ": line 8; a tab; indent with spaces",
    ),
    "open bracket": (
        "groups: {X: a",
        ": line 7; { or [ is opened and not closed",
    ),
    "alias": (
        "groups: &g {X: a}\nparameters: *g",
        f": line 7; {MARKED}",
    ),
    "Python object": (
        "parameters: !!python/object/apply:os.system [ls]",
        f": line 7; {MARKED}",
    ),
    "date": (
        "groups: 2026-13-01",
        ', groups: line 7 "2026-13-01"; expected lines of the form `key: value`',
    ),
    "control character": (
        "groups: {X: \x1b[2J}",
        ": line 7 U+001B; delete this character, which cannot be seen",
    ),
    "deep nesting": (
        "parameters: " + "{a: " * 5_000 + "}" * 5_000,
        ": is nested too deeply; expected a few levels",
    ),
    "word that YAML takes for false": (
        "ties: no",
        ', ties: line 7 "no"; expected refused or allowed',
    ),
    "near choice": (
        "ties: allow",
        ', ties: line 7 "allow" (did you mean "allowed"?); expected refused or allowed',
    ),
    "text that begins with a tag": ("groups: {X: !Important}", f": line 7; {MARKED}"),
    "text that begins with an alias": ("groups:\n  X: *Important*", f": line 8; {MARKED}"),
    "text that begins with an anchor": ("groups:\n  X: &Co", f": line 8; {MARKED}"),
    "text that begins with a sign of YAML": (
        "groups:\n  X: @home",
        ": line 8; put a text that begins with @ in double quotes",
    ),
    "text with a colon": (
        "groups:\n  X: one: two",
        ': line 8; put a text that holds ": " in double quotes; begin keys of one level below each '
        "other",
    ),
    "quotes inside a text": (
        'groups:\n  X: "one" two',
        ": line 8; expected `key: value`; begin keys of one level below each other, and put a text "
        "that holds quotes in quotes",
    ),
    "open quote": ('groups:\n  X: "one', ": line 8; a quote is opened and not closed"),
    "no space after the colon": (
        "ties:allowed\nbest_rank: lowest",
        ": line 7; expected `key: value`, with a space after the colon",
    ),
    "braces for a text": (
        "groups: {X: {{title}}}",
        ": line 7; put a text that begins with { or [ in double quotes",
    ),
    "two documents": ("---\nties: allowed", ": line 7; delete this line"),
}


@pytest.mark.parametrize(("line", "told"), LINES.values(), ids=LINES.keys())
def test_a_wrong_line_is_named(folder, line, told):
    folder.say(line)
    assert folder.faults == [f"study.yml{told}"]


REPLACED = {
    "kind": (
        "kind: perception",
        "kind: percepton",
        ', kind: line 2 "percepton"; expected perception',
    ),
    "no kind": ("kind: perception\n", "", ", kind: expected perception"),
    "no title": ("title: Three evaluators\n", "", ", title: is missing; add it"),
    "title of several lines": (
        "title: Three evaluators",
        'title: "a\\nb"',
        r', title: line 1 "a\nb"; expected one line of text',
    ),
    "title with what cannot be seen": (
        "Three",
        "Th\u202eree",
        r', title: line 1 "Th\u202eree evaluators"; delete \u202e, which cannot be seen',
    ),
    "no title after the colon": (
        "title: Three evaluators",
        "title:",
        ", title: line 1; expected text",
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
        ', dimensions 1 max: line 5 "1"; expected more than min, which is 5',
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
        ', dimensions 2 code: line 6 "rank"; is the name of another column; give another',
    ),
    "code twice": (
        "code: clarity",
        "code: Accuracy",
        ', dimensions 2 code: line 6 "Accuracy"; the same code twice; give another',
    ),
    "text with a comma": (
        "label: Clarity",
        "label: Clear, short",
        ", dimensions 2 short: line 6; unknown key; put a text that holds a comma in double "
        "quotes; numbers are whole, without a comma",
    ),
    "scale with a decimal comma": (
        "max: 10",
        "max: 9,5",
        ", dimensions 2 5: line 6; unknown key; put a text that holds a comma in double "
        "quotes; numbers are whole, without a comma",
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
        (b"", f": is empty; {EXAMPLE}"),
        (b"# only a note\n", f": is empty; {EXAMPLE}"),
        (b"- a\n- b\n", f": expected lines of the form `key: value`; {EXAMPLE}"),
        (b"title: \xe4\n", ": line 1 byte 0xE4; expected UTF-8; save it as UTF-8"),
        (STUDY.encode("utf-16"), ": is UTF-16, expected UTF-8; save it as UTF-8"),
        (b"#" * (LARGEST + 1), f": is larger than {LARGEST:,} bytes; expected a few lines by hand"),
        (
            b"kind: perception\ntitle: " + b"9" * 5_000 + STUDY[STUDY.index("\nsim") :].encode(),
            f', title: line 2 "{"9" * 40}…"; expected at most 200 characters',
        ),
    ],
)
def test_a_file_that_is_no_config_is_named(folder, content, told):
    folder.write("study.yml", content)
    assert folder.faults == [f"study.yml{told}"]


def test_dimensions_that_are_missing_or_wrong_leave_the_other_files_checked(folder):
    folder.write("study.yml", STUDY[: STUDY.index("dimensions")])
    folder.row("ratings.csv", 2, "E1,1,Z,5,9,1")
    assert folder.faults == [
        "study.yml, dimensions: is missing; add it",
        'ratings.csv, analyst: row 2 "Z"; not in analysts.csv',
    ]


def test_a_misspelt_policy_brings_no_faults_of_its_own(folder):
    """With `tie: allowed` the tied ranks are as wrong or right as its owner meant them."""
    folder.row("ratings.csv", 3, "E1,1,B,3,4,1")
    folder.say("tie: allowed")
    assert folder.faults == ['study.yml, tie: line 7; unknown key (did you mean "ties"?)']


def test_words_and_dates_are_text_where_text_is_meant(folder):
    """Not false, a day, eight, or half past twelve in seconds."""
    folder.spoil("study.yml", "title: Three evaluators", "title: 2026-01-31")
    folder.write("cases.csv", "case,specialty,group\n1,Cardiology,No\n2,Urology,010\n")
    folder.say("groups: {No: Norway, 010: 12:30}")
    config = load(folder.path).config
    assert config.title == "2026-01-31"
    assert config.groups == {"No": "Norway", "010": "12:30"}


@pytest.mark.parametrize(("told", "meant"), [("yes", True), ("False", False), ("off", False)])
def test_true_and_false_may_be_said_in_other_words(folder, told, meant):
    folder.spoil("study.yml", "simulated: true", f"simulated: {told}")
    assert load(folder.path).config.simulated is meant


def test_spaces_that_do_not_break_are_spaces(folder):
    folder.spoil("study.yml", "Three evaluators", "Three\u00a0evaluators")
    assert load(folder.path).config.title == "Three evaluators"


def test_every_wrong_dimension_is_named(folder):
    folder.spoil("study.yml", "label: Accuracy, min: 1, max: 5", "label: clarity, min: 3, max: 3")
    folder.spoil("study.yml", "code: clarity", "code: accuracy")
    assert folder.faults == [
        'study.yml, dimensions 1 max: line 5 "3"; expected more than min, which is 3',
        'study.yml, dimensions 2 code: line 6 "accuracy"; the same code twice; give another',
        'study.yml, dimensions 2 label: line 6 "Clarity"; the same label twice; give another',
    ]


class Number:
    """A parameter as chapters have them."""

    expected = "a whole number, for example 10"

    def fits(self, value):
        return isinstance(value, int)


def test_parameters_are_checked_with_all_other_files(folder):
    folder.say("parameters:\n  drawz: 3\n  draws: many\n  weather: fine")
    folder.row("ratings.csv", 2, "E1,1,Z,5,9,1")
    with pytest.raises(HelpersError) as error:
        load(folder.path, {"perception": {"draws": [Number()], "seed": [Number()]}})
    assert str(error.value).splitlines()[1:] == [
        "  study.yml, parameters drawz: line 8; no chapter has this parameter "
        '(did you mean "draws"?)',
        '  study.yml, parameters draws: line 9 "many"; expected a whole number, for example 10',
        "  study.yml, parameters weather: line 10; no chapter has this parameter; "
        "there are: draws, seed",
        '  ratings.csv, analyst: row 2 "Z"; not in analysts.csv',
    ]


def test_groups_of_cases_must_be_among_the_labelled_ones(folder):
    folder.say("groups: {X: First, Z: Last}")
    assert folder.faults == [
        'cases.csv, group: row 3 "Y"; expected X, Z or a blank cell',
    ]

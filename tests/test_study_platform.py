"""Saves of the perception platform: placed in a study's folder, or named."""

import json

import pytest

from chapter_cells import run as run_chapter
from chapter_cells import texts
from helpers.book.plan import check
from helpers.errors import HelpersError
from helpers.study import import_platform, load

# As the platform writes it: its keys, its questions, its names for the analysts.
QUESTIONS = (
    "Logic of consultation process-Whether the questioning is clear and coherent?",
    "Accuracy of diagnostic conclusion-Whether the final diagnosis is correct?",
    "AI perception-Do you think this 'doctor' is an AI or a real human doctor?",
)
SAVED = "2026-01-26T22:17:29.633369"


def scores(*values):
    return {"dimensions": dict(zip(QUESTIONS, values, strict=True))}


def a_case(**changes):
    case = {
        "ranking": ["Expert", "Qwq-32b", "zed"],
        "tiers": {"good": ["Expert"], "medium": ["Qwq-32b"], "poor": ["zed"]},
        "saved": True,
        "saved_at": SAVED,
        "Expert": scores(5, 4, 5),
        "Qwq-32b": scores(3, 4, 1),
        "zed": scores(1, 2, 3),
    }
    return {key: value for key, value in (case | changes).items() if value is not ...}


def a_save(name="ann", **cases):
    return {
        "username": name,
        "created_at": "2026-01-26T22:16:44.701241",
        "evaluations": [],
        "current_case_index": 0,
        "total_cases_completed": 0,
        "evaluation_results": cases or {"case8": a_case()},
        "updated_at": "2026-01-26T22:17:24.331823",
        "feedback": {},
    }


@pytest.fixture
def run(tmp_path):
    """Import saves, given by file name, and give the report's lines after the first."""

    def run(**saves):
        source = tmp_path / "saves"
        source.mkdir(exist_ok=True)
        for name, save in saves.items():
            content = save if isinstance(save, str) else json.dumps(save)
            (source / f"{name}.json").write_text(content, "utf-8")
        return import_platform(source, tmp_path / "study").splitlines()

    return run


def told(report, label="not placed"):
    return [line.partition(f"{label}: ")[2] for line in report if line.startswith(f"  {label}: ")]


def test_complete_saves_become_a_sound_study(run, tmp_path):
    report = run(
        ann=a_save("ann", case8=a_case(), case9=a_case()),
        bob=a_save("bob", case10=a_case()),
    )
    assert report == [
        f"2 saves → {tmp_path / 'study'}: 2 evaluators, 3 cases, 3 analysts, 9 rows",
        "  ai_perception: a column of ratings.csv, no dimension (it rates no quality)",
        "  fill in: study.yml title; evaluators.csv specialty, years; cases.csv specialty, group; "
        "analysts.csv level, kind of zed",
        "  evaluators' ids are the platform's user names: replace them if they name people",
    ]
    study = load(tmp_path / "study")
    assert [d.code for d in study.config.dimensions] == ["inquiry", "accuracy"]
    assert study["cases"]["case"].to_list() == ["8", "9", "10"]
    assert study["analysts"].rows() == [
        ("Expert", "physician", "senior", None),
        ("Qwq-32b", "llm", None, "Qwen"),
        ("zed", None, None, None),
    ]
    first = study["ratings"].row(0, named=True)
    assert first.pop("timestamp").isoformat() == SAVED
    assert first == {
        "evaluator": "ann",
        "case": "8",
        "analyst": "Expert",
        "inquiry": 5,
        "accuracy": 4,
        "rank": 1,
        "tier": "good",
    }
    assert study.notices == (
        'ratings.csv: "ai_perception" ignored, no column of this kind of study',
        "analysts.csv: zed neither llm nor physician",
    )


def test_levels_found_are_what_chapters_compare_unless_the_study_says_otherwise(run, tmp_path):
    """Chapters take the paper's order of levels, in which the platform's `Middle` has no place."""
    names = {"Young": scores(2, 2, 2), "Middle": scores(3, 3, 3)}
    order = {"ranking": ["Expert", "zed", "Middle", "Qwq-32b", "Young"]}
    cases = {f"case{number}": a_case(**names, **order) for number in range(1, 9)}
    run(ann=a_save("ann", **cases), bob=a_save("bob", **cases))
    study = load(tmp_path / "study")
    assert study.config.parameters == {"levels": ["senior", "mid-level", "junior"]}
    check(tmp_path / "study")
    for chapter in ("perception-06-rankings", "perception-07-performance-levels"):
        shown, entries = run_chapter(chapter, study.folder, **study.config.parameters)
        assert "no place is stated" not in texts(shown)
        assert "no place is stated" not in str(entries)
    order = next(entry for entry in entries if entry.topic == "H3")
    assert order.decision == "supported"
    assert order.estimate == 2  # ranks 1, 3 and 5


def test_without_physicians_no_levels_are_set(run, tmp_path):
    bare = a_case(Expert=..., ranking=["Qwq-32b", "zed"], tiers={})
    run(ann=a_save("ann", case8=bare))
    assert load(tmp_path / "study").config.parameters == {}


def test_an_unfinished_save_keeps_what_is_there_and_says_what_is_open(run, tmp_path):
    """So the platform leaves a save: all analysts listed, most of them untouched."""
    case = a_case(
        ranking=["zed", "Qwq-32b"],
        tiers={"good": ["zed"], "medium": ["Qwq-32b"], "poor": []},
        Expert={"dimensions": {}},
        zed=scores(0, 3, 0),
        **{"Qwq-32b": {"dimensions": {}}},
    )
    report = run(ann=a_save(case8=case), new={"username": "new", "evaluations": []})
    assert told(report, "open") == [
        "not rated: ann.json case8 zed inquiry, ann.json case8 zed ai_perception",
        "ranked, not scored: ann.json case8 Qwq-32b",
        "neither scored nor ranked: ann.json case8 Expert",
        "nothing rated yet: new.json",
    ]
    assert told(report) == []
    study = load(tmp_path / "study")
    assert study.dropped.rows() == [("ann", "8", 2, 3)]
    assert study.accounting.filter(status="used").row(0)[2:] == (1, 0)


def test_questions_in_chinese_and_english_are_the_same_dimensions(run, tmp_path):
    answers = {"dimensions": {"问诊过程逻辑性-清晰": 2, "诊断结论正确性-正确": 3}}
    case = a_case(**dict.fromkeys(("Expert", "Qwq-32b", "zed"), answers))
    run(ann=a_save("ann"), bob=a_save("bob", case8=case))
    study = load(tmp_path / "study")
    assert study["ratings"].filter(evaluator="bob")["inquiry"].to_list() == [2, 2, 2]
    assert study["ratings"].null_count()["accuracy"][0] == 0


def test_own_questions_become_dimensions_of_their_own(run, tmp_path):
    keys = ["Tone-Is it kind?", "Tone-Is it calm?", "语气", "Rank-Is it first?", " "]
    save = a_save(case8=a_case(zed={"dimensions": dict.fromkeys(keys, 4)}))
    report = run(ann=save)
    assert told(report, "dimension tone") == ['"Tone-Is it kind?"']
    assert told(report, "dimension tone_2") == ['"Tone-Is it calm?"']
    study = load(tmp_path / "study")
    assert {d.code: d.label for d in study.config.dimensions} == {
        "inquiry": "Inquiry Logic",
        "accuracy": "Diagnostic Accuracy",
        "tone": "Tone",
        "tone_2": "Tone_2",
        "dimension": "语气",
        "rank_2": "Rank",
        "dimension_2": "no name",
    }


def test_rankings_alone_leave_the_columns_of_the_platform_blank(run, tmp_path):
    bare = {name: {"dimensions": {}} for name in ("Expert", "Qwq-32b", "zed")}
    run(ann=a_save(case8=a_case(**bare)))
    study = load(tmp_path / "study")
    assert len(study.config.dimensions) == 7
    assert study["ratings"]["rank"].to_list() == [1, 2, 3]


NOT_PLACED = {
    "unknown keys": (
        a_save(case8=a_case(zed=scores(1, 2, 3) | {"mood": 1})) | {"group": "A"},
        ['unknown key "group": ann.json', 'unknown key "mood": ann.json case8 zed'],
    ),
    "free text": (
        a_save() | {"feedback": {"case8": {"zed": "too long"}}, "evaluations": [1]},
        ["evaluations (no place in a study): ann.json", "feedback (no place in a study): ann.json"],
    ),
    "no case": (
        a_save(case8=a_case(), demo=a_case(), case08=a_case(), case7=[]),
        [
            "no case (expected caseN: {…}, once): ann.json demo, ann.json case08, ann.json case7",
        ],
    ),
    "no analyst": (
        a_save(case8=a_case(note="x", **{"=cmd()": scores(1, 1, 1)})),
        [
            "no analyst (expected a name: {dimensions: {…}}, once): ann.json case8 note, "
            "ann.json case8 =cmd()"
        ],
    ),
    "no dimensions": (
        a_save(case8=a_case(zed={"dimensions": [1, 2]})),
        ["dimensions is no object: ann.json case8 zed"],
    ),
    "scores": (
        a_save(case8=a_case(zed=scores(6, True, "4"), Expert=scores(4.0, 4.5, None))),
        [
            'score "4.5" (expected a whole number from 1 to 5): ann.json case8 Expert accuracy',
            'score "6" (expected a whole number from 1 to 5): ann.json case8 zed inquiry',
            'score "True" (expected a whole number from 1 to 5): ann.json case8 zed accuracy',
            'score "4" (expected a whole number from 1 to 5): ann.json case8 zed ai_perception',
        ],
    ),
    "a name twice in the ranking": (
        a_save(case8=a_case(ranking=["zed", "zed", "Expert"])),
        ["ranking is no list of different names: ann.json case8"],
    ),
    "a ranking of no names": (
        a_save(case8=a_case(ranking=["zed", 7])),
        ["ranking is no list of different names: ann.json case8"],
    ),
    "a ranking that is text": (
        a_save(case8=a_case(ranking="zed")),
        ["ranking is no list of different names: ann.json case8"],
    ),
    "tiers": (
        a_save(case8=a_case(tiers={"good": ["zed"], "poor": ["zed", "\x1b[2J"], "best": []})),
        [
            r"a name in no tier or in two: ann.json case8 zed, ann.json case8 \x1b[2J",
            'tier "best": ann.json case8',
        ],
    ),
    "tiers as a list": (a_save(case8=a_case(tiers=[1])), ["tiers is no object: ann.json case8"]),
    "time": (a_save(case8=a_case(saved_at="soon")), ["saved_at is no time: ann.json case8"]),
    "a time that is a number": (
        a_save(case8=a_case(saved_at=0)),
        ["saved_at is no time: ann.json case8"],
    ),
    "a time that breaks lines": (
        a_save(case8=a_case(saved_at="2026-01-26\n22:17:29")),
        ["saved_at is no time: ann.json case8"],
    ),
    "the same dimension twice": (
        a_save(case8=a_case(zed={"dimensions": {QUESTIONS[0]: 1, "问诊过程逻辑性-清晰": 2}})),
        ["the same dimension twice: ann.json case8 zed 问诊过程逻辑性-清晰"],
    ),
}


@pytest.mark.parametrize(("save", "expected"), NOT_PLACED.values(), ids=NOT_PLACED.keys())
def test_what_cannot_be_placed_is_named_and_the_rest_is_sound(run, tmp_path, save, expected):
    report = run(ann=save)
    assert told(report) == expected
    assert told(report, "mend") == []
    assert load(tmp_path / "study")["ratings"].height > 0


def test_a_shifted_ranking_is_left_out_whole(run, tmp_path):
    run(ann=a_save(case8=a_case(ranking=["zed", 7, "Expert"])))
    assert load(tmp_path / "study")["ratings"]["rank"].null_count() == 3


def test_ids_that_the_loader_would_refuse_are_left_to_mend(run):
    report = run(ann=a_save(case8=a_case(), case9=a_case(ZED=scores(1, 1, 1))))
    assert told(report, "mend") == [
        'analysts.csv, analyst: row 4 "zed", row 5 "ZED"; ids that differ only by capitals; '
        "write them alike"
    ]


REFUSED = {
    "no JSON": ("{username: ann}", "line 1; not JSON (Expecting property name"),
    "cut off": ('{"username": "ann"', "line 1; not JSON (Expecting ',' delimiter)"),
    "empty": ("", "line 1; not JSON (Expecting value); save it again"),
    "a list": ("[1, 2]", "expected an object with `evaluation_results`"),
    "a key twice": ('{"a": 1, "a": 2}', 'the key "a" twice in one object'),
    "NaN": ('{"a": NaN}', "NaN is no number"),
    "deep": ('{"a": ' * 100_000, "is nested too deeply"),
    "a number without end": (f'{{"a": {"9" * 5_000}}}', "Exceeds the limit (4300 digits)"),
    "a formula for a name": ('{"username": "=1+1"}', '"=1+1" is no name'),
    "no text for a name": ('{"username": 7}', '"7" is no name'),
}


@pytest.mark.parametrize(("content", "expected"), REFUSED.values(), ids=REFUSED.keys())
def test_a_file_that_is_no_save_is_refused_and_nothing_written(run, tmp_path, content, expected):
    with pytest.raises(HelpersError) as error:
        run(ann=a_save(), bad=content)
    first, second = str(error.value).splitlines()
    assert first == f"platform saves {tmp_path / 'saves'}: 1 fault"
    assert second.startswith("  bad.json")
    assert expected in second
    assert not (tmp_path / "study").exists()


def test_two_saves_of_one_evaluator_are_refused(run):
    with pytest.raises(HelpersError, match=r"b\.json: same username as a\.json; keep one of them"):
        run(a=a_save("Ann"), b=a_save("ann"))


def test_a_save_without_username_takes_the_name_of_its_file(run, tmp_path):
    save = {"evaluation_results": {"case8": a_case()}}
    assert told(run(N07=save), "open") == ["no username; the file's name is taken: N07.json"]
    assert load(tmp_path / "study")["evaluators"]["evaluator"].to_list() == ["N07"]


def test_saves_in_which_nothing_is_rated_are_named(run, tmp_path):
    with pytest.raises(HelpersError) as error:
        run(a={"username": "a", "evaluations": []}, b={"username": "b", "evaluation_results": []})
    assert str(error.value).splitlines()[1:] == [
        "  not placed: evaluation_results is no object: b.json",
        "  open: nothing rated yet: a.json",
    ]
    assert not (tmp_path / "study").exists()


def test_a_file_a_folder_or_a_pattern_may_be_given(tmp_path):
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.json").write_text(json.dumps(a_save(name)))
    (tmp_path / "notes.txt").write_text("no save")
    sources = {"ann.json": 3, "": 6, "b*.json": 3}
    for number, (source, rows) in enumerate(sources.items()):
        import_platform(str(tmp_path / source), tmp_path / f"study {number}")
        assert load(tmp_path / f"study {number}")["ratings"].height == rows
    with pytest.raises(HelpersError, match="no such file, and no JSON files in it"):
        import_platform(tmp_path / "none*.json", tmp_path / "other")


def test_a_full_folder_is_left_alone(run, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine").touch()
    with pytest.raises(HelpersError, match="the folder is not empty"):
        run(ann=a_save())


def test_a_save_made_to_take_for_ever_does_not(run):
    names = [f"a{number}" for number in range(20_000)]
    keys = {f"Tone-{number}": 1 for number in range(20_000)}
    report = run(ann=a_save(case8={"ranking": names, "a0": {"dimensions": keys}}))
    assert told(report) == [
        "more than 100 dimensions: ann.json case8 a0",
    ]

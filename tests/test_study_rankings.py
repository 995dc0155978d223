"""Rankings: what is one, what is dropped, and that every row and ranking is accounted for."""

import random

import polars as pl
import pytest

from helpers.study import load
from study_folder import RATINGS, Folder

TIES = "expected ranks from 1, ties as 1, 2, 2, 4 or 1, 2, 2, 3 or 1, 2.5, 2.5, 4"
PARTIAL = "expected a rank for every analyst; or set `partial_rankings: drop` in study.yml"


DROP = "partial_rankings: drop"
ONCE = "expected every rank once"


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "study")


def rank(folder, evaluator, case, *ranks):
    """Give the analysts of a case these ranks, in the order of the file."""
    given = iter(ranks)
    lines = folder.text("ratings.csv").splitlines()
    for place, line in enumerate(lines):
        if line.startswith(f"{evaluator},{case},"):
            lines[place] = f"{line.rpartition(',')[0]},{next(given)}"
    assert next(given, None) is None
    folder.write("ratings.csv", "\n".join(lines) + "\n")


def ranks(study, evaluator, case):
    own = study["ratings"].filter(evaluator=evaluator, case=case)
    return own["rank"].to_list()


def accounts(study):
    return {
        (status, reason): (rows, rankings)
        for status, reason, rows, rankings in study.accounting.iter_rows()
    }


# --- what is a ranking ---------------------------------------------------------------------------


SLIPS = {
    (1, 1, 3): 'rows 2 and 3 ("E1" in case "1": 1 twice, no 2); expected every rank once; '
    "if ties are meant, set `ties: allowed` in study.yml",
    (1, 3, 3): 'rows 3 and 4 ("E1" in case "1": 3 twice, no 2); expected every rank once',
    (1, 2, 9): 'row 4 ("E1" in case "1": 9 of 3, no 3); expected every rank once',
    (2, 3, 4): 'row 4 ("E1" in case "1": 4 of 3, no 1); expected every rank once',
    (2, 2, 2): 'rows 2, 3, 4 ("E1" in case "1": 2 3 times, no 1, no 3); expected every rank once; '
    "if ties are meant, set `ties: allowed` in study.yml",
}


@pytest.mark.parametrize(("given", "told"), SLIPS.items())
def test_ranks_that_are_no_permutation_are_named(folder, given, told):
    rank(folder, "E1", "1", *given)
    assert folder.faults == [f"ratings.csv, rank: {told}"]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ((1, 2, 3), [1, 2, 3]),
        ((1, 1, 3), [1, 1, 3]),
        ((1, 1, 2), [1, 1, 3]),
        (("1.5", "1.5", 3), [1, 1, 3]),
        ((3, 1, 1), [3, 1, 1]),
        ((1, 1, 1), [1, 1, 1]),
        ((2, 2, 2), [1, 1, 1]),
    ],
)
def test_tied_ranks_in_three_spellings_become_one(folder, given, read):
    folder.say("ties: allowed")
    rank(folder, "E1", "1", *given)
    assert ranks(load(folder.path), "E1", "1") == read


def test_mean_ranks_may_have_decimal_commas(folder):
    folder.say("ties: allowed")
    rank(folder, "E1", "1", 1, '"2,5"', '"2,5"')
    assert ranks(load(folder.path), "E1", "1") == [1, 2, 2]


@pytest.mark.parametrize("given", [(1, 3, 3), (2, 2, 3), (1, "1.5", 3), (1, 2, 4)])
def test_ties_in_no_known_spelling_are_refused(folder, given):
    folder.say("ties: allowed")
    rank(folder, "E1", "1", *given)
    told = ", ".join(map(str, given))
    assert folder.faults == [f'ratings.csv, rank: rows 2, 3, 4 ("E1" in case "1": {told}); {TIES}']


def test_any_order_survives_every_spelling_and_direction(tmp_path):
    """A weak order drawn at random, written in each way, is read back as the same sports ranks."""
    chance = random.Random(11)
    for trial in range(40):
        k = chance.randint(2, 6)
        values = pl.Series([chance.randint(1, k) for _ in range(k)])
        method, direction = chance.choice(["min", "dense", "average"]), trial % 2
        best = values.rank("min").cast(pl.Int64).to_list()
        written = values if direction == 0 else -values
        if direction and method == "min":
            method = "max"  # sports ranks counted from the other end
        folder = Folder(tmp_path / str(trial))
        names = [f"A{number}" for number in range(k)]
        folder.write(
            "analysts.csv", "analyst,kind,level,family\n" + "".join(f"{n},,,\n" for n in names)
        )
        given = written.rank(method).to_list()
        folder.write(
            "ratings.csv",
            "evaluator,case,analyst,accuracy,clarity,rank\n"
            + "".join(f"E1,1,{n},3,3,{r:g}\n" for n, r in zip(names, given, strict=True)),
        )
        (folder.path / "benchmarks.csv").unlink()
        folder.say(f"ties: allowed\nbest_rank: {'highest' if direction else 'lowest'}")
        assert ranks(load(folder.path), "E1", "1") == best, (given, method, direction)


def test_the_highest_rank_may_be_the_best(folder):
    folder.say("best_rank: highest")
    assert ranks(load(folder.path), "E1", "1") == [3, 2, 1]
    rank(folder, "E1", "1", 1, 1, 2)
    assert folder.faults == [
        'ratings.csv, rank: rows 2 and 3 ("E1" in case "1": 1 twice, no 3); expected every rank '
        "once; if ties are meant, set `ties: allowed` in study.yml"
    ]


# --- part of a case ------------------------------------------------------------------------------


def test_a_blank_rank_refuses_the_study_by_default(folder):
    rank(folder, "E1", "1", 1, "", 2)
    assert folder.faults == [
        f'ratings.csv, rank: row 3 ("E1" in case "1": 2 of 3 ranked, not "B"); {PARTIAL}'
    ]


def test_a_missing_row_is_a_blank_rank(folder):
    folder.spoil("ratings.csv", "E1,1,C,2,0,3\n", "")
    assert folder.faults == [
        f'ratings.csv, rank: rows 2 and 3 ("E1" in case "1": 2 of 3 ranked, not "C"); {PARTIAL}'
    ]


def test_a_partial_ranking_is_dropped_whole_counted_and_named(folder):
    folder.say("partial_rankings: drop")
    rank(folder, "E1", "1", 1, "", 2)
    folder.spoil("ratings.csv", "E2,2,C,5,9,1\n", "")
    study = load(folder.path)
    assert ranks(study, "E1", "1") == [None, None, None]
    assert ranks(study, "E2", "2") == [None, None]
    assert study["ratings"]["accuracy"].null_count() == 0
    assert study.dropped.rows() == [("E1", "1", 2, 3), ("E2", "2", 2, 3)]
    assert study.notices == (
        "ratings.csv: 2 rankings dropped, part of the case not ranked: "
        "E1 in case 1 (2 of 3), E2 in case 2 (2 of 3)",
    )
    assert accounts(study) == {
        ("read", "in ratings.csv"): (14, 5),
        ("dropped", "no score, and no rank that counts"): (0, 0),
        ("dropped", f"ranking leaves out part of the case ({DROP})"): (0, 2),
        ("used", ""): (14, 3),
        ("missing", "no rank that counts"): (5, 0),
    }


def test_the_policy_is_named_in_the_accounting(folder):
    reason = "ranking leaves out part of the case (partial_rankings: refuse)"
    assert accounts(load(folder.path))["dropped", reason] == (0, 0)


def test_no_rank_at_all_is_no_ranking_and_no_fault(folder):
    rank(folder, "E3", "1", "", "", "")
    study = load(folder.path)
    assert accounts(study)["read", "in ratings.csv"] == (15, 4)
    assert accounts(study)["used", ""] == (15, 4)
    assert study.dropped.is_empty()


def test_a_misspelt_evaluator_is_no_partial_ranking_too(folder):
    folder.row("ratings.csv", 2, "E7,1,A,5,9,1")
    assert folder.faults == ['ratings.csv, evaluator: row 2 "E7"; not in evaluators.csv']


def test_a_blank_rank_is_named_although_another_row_is_misspelt(folder):
    folder.row("ratings.csv", 2, "E7,1,A,5,9,1")
    rank(folder, "E3", "1", 1, 2, "")
    assert folder.faults == [
        'ratings.csv, evaluator: row 2 "E7"; not in evaluators.csv',
        f'ratings.csv, rank: row 16 ("E3" in case "1": 2 of 3 ranked, not "C"); {PARTIAL}',
    ]


# --- what one bad rank leaves to be seen ---


BAD = 'row 2 "x"; expected a whole number of at least 1 or a blank cell'


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("x", 3, 3), [BAD, f'rows 3 and 4 ("E1" in case "1": 3 twice); {ONCE}']),
        (("x", 8, 3), [BAD, f'row 3 ("E1" in case "1": 8 of 3); {ONCE}']),
        (("x", 1, 3), [BAD]),
        (("x", 1, ""), [BAD, f'row 4 ("E1" in case "1": 2 of 3 ranked, not "C"); {PARTIAL}']),
        (
            ("", 3, 3),
            [
                f'rows 3 and 4 ("E1" in case "1": 3 twice); {ONCE}',
                f'row 2 ("E1" in case "1": 2 of 3 ranked, not "A"); {PARTIAL}',
            ],
        ),
    ],
)
def test_a_bad_rank_hides_no_other_fault_of_its_ranking(folder, given, told):
    rank(folder, "E1", "1", *given)
    assert folder.faults == [f"ratings.csv, rank: {fault}" for fault in told]


def test_a_bad_rank_of_the_only_evaluator_of_a_case_takes_no_analyst_from_it(folder):
    folder.write("ratings.csv", "".join(RATINGS.splitlines(keepends=True)[:4]))
    rank(folder, "E1", "1", "x", 2, 3)
    assert folder.faults == [f"ratings.csv, rank: {BAD}"]


def test_with_ties_a_bad_rank_hides_none_above_the_number_of_analysts(folder):
    folder.say("ties: allowed")
    rank(folder, "E1", "1", "x", 9, 9)
    assert folder.faults[1:] == [
        f'ratings.csv, rank: rows 3 and 4 ("E1" in case "1": 9 of 3); {TIES}'
    ]


def test_a_dropped_ranking_is_not_refused_for_its_ranks(folder):
    folder.say(DROP)
    rank(folder, "E1", "1", "", 3, 3)
    assert load(folder.path).dropped.rows() == [("E1", "1", 2, 3)]


@pytest.mark.parametrize("line", ["E1,1,Q,5,9,1", "E1,1,B,5,9,1"])
def test_a_wrong_id_hides_no_rank_given_twice(folder, line):
    folder.row("ratings.csv", 2, line)
    rank(folder, "E1", "1", 1, 3, 3)
    told = "3 twice" if "Q" in line else ""
    ranks = [fault for fault in folder.faults if ", rank:" in fault]
    assert len(folder.faults) == 1 + bool(told)
    assert all(told in fault for fault in ranks)


def test_a_case_under_another_id_brings_no_faults_of_rank(folder):
    """As programs write 1.0 for 1: the analysts that are left have ranks up to 3 all the same."""
    folder.write("ratings.csv", RATINGS.replace(",1,A", ",1.0,A"))
    assert folder.faults == [
        'ratings.csv, case: row 2 "1.0" (3 rows) (did you mean "1"?); not in cases.csv'
    ]


def test_ids_left_blank_below_the_first_bring_no_faults_of_rank(folder):
    """As a spreadsheet saves merged cells."""
    text = RATINGS.replace("E1,1,B", ",,B").replace("E1,1,C", ",,C")
    folder.write("ratings.csv", text)
    assert folder.faults == [
        "ratings.csv, evaluator: rows 3 and 4; must not be blank",
        "ratings.csv, case: rows 3 and 4; must not be blank",
    ]


# --- analysts left out of a case by all ---


LEFT_OUT = (
    "ratings.csv: no row of anyone: {}. If cases have different analysts on purpose, set "
    "`analysts: differ` in study.yml; if not, add the rows and set `analysts: all`"
)


@pytest.fixture
def short(folder):
    """Nobody has a row for C in case 2; the other two are ranked 1 and 2."""
    lines = [line for line in RATINGS.splitlines() if ",2,C," not in line]
    folder.write("ratings.csv", "\n".join(lines))
    rank(folder, "E1", "2", 2, 1)
    rank(folder, "E2", "2", 1, 2)
    return folder


def test_an_analyst_without_a_row_in_a_case_is_noticed(short):
    study = load(short.path)
    assert study.notices == (LEFT_OUT.format("C in case 2 (rated by E1, E2)"),)
    assert ranks(study, "E1", "2") == [2, 1]


def test_an_analyst_missing_for_the_only_evaluator_of_a_case_is_noticed(folder):
    lines = RATINGS.splitlines()
    folder.write("ratings.csv", "\n".join([*lines[:6], *lines[7:10], *lines[13:]]))
    rank(folder, "E1", "2", 2, 1)
    assert load(folder.path).notices == (LEFT_OUT.format("C in case 2 (rated by E1)"),)


def test_cases_may_have_different_analysts_on_purpose(short):
    short.say("analysts: differ")
    assert load(short.path).notices == ()


def test_where_all_analysts_belong_to_all_cases_a_missing_one_refuses_the_study(short):
    short.say("analysts: all")
    assert short.faults == [
        'ratings.csv, rank: rows 5 and 6 ("E1" in case "2": 2 of 3 ranked, not "C"), '
        f'rows 10 and 11 ("E2" in case "2": 2 of 3 ranked, not "C"); {PARTIAL}, '
        "or `analysts: differ` if cases have different analysts on purpose"
    ]


def test_where_all_analysts_belong_to_all_cases_an_unknown_one_is_one_fault(folder):
    folder.say("analysts: all")
    folder.row("ratings.csv", 2, "E1,1,Q,5,9,1")
    assert folder.faults == ['ratings.csv, analyst: row 2 "Q"; not in analysts.csv']


def test_where_all_analysts_belong_to_all_cases_the_policy_may_drop_the_rankings(short):
    short.say(f"analysts: all\n{DROP}")
    study = load(short.path)
    assert study.dropped.rows() == [("E1", "2", 2, 3), ("E2", "2", 2, 3)]
    assert study.notices == (
        "ratings.csv: 2 rankings dropped, part of the case not ranked: "
        "E1 in case 2 (2 of 3), E2 in case 2 (2 of 3)",
    )


def test_ranks_that_count_an_analyst_whose_rows_are_missing_are_explained(folder):
    lines = [line for line in RATINGS.splitlines() if ",2,A," not in line]
    folder.write("ratings.csv", "\n".join(lines))
    rank(folder, "E1", "2", 1, 3)
    rank(folder, "E2", "2", 2, 1)
    assert folder.faults == [
        f'ratings.csv, rank: row 6 ("E1" in case "2": 3 of 2, no 2); {ONCE}; '
        "no row of anyone: A in case 2 (rated by E1, E2)"
    ]


def test_many_cases_without_an_analyst_are_counted(folder):
    cases = range(1, 21)
    folder.write("cases.csv", "case,specialty,group\n" + "".join(f"{c},,\n" for c in cases))
    rows = [f"E1,{c},{a},1,1,{n}" for c in cases for n, a in enumerate("ABC"[: 2 + (c == 1)], 1)]
    folder.write("ratings.csv", "\n".join([RATINGS.splitlines()[0], *rows]))
    folder.write("evaluators.csv", "evaluator,specialty,years\nE1,,\n")
    (notice,) = load(folder.path).notices
    assert "C in case 2 (rated by E1), C in case 3 (rated by E1)" in notice
    assert "C in case 6 (rated by E1) and 14 more. If" in notice


def test_scores_of_part_of_a_case_without_ranks_are_noticed(folder):
    rank(folder, "E3", "1", "", "", "")
    folder.spoil("ratings.csv", "E3,1,C,1,1,\n", "")
    assert load(folder.path).notices == (
        "ratings.csv: not ranked, and no row for some analysts: E3 in case 1 (2 of 3)",
    )


# --- scores --------------------------------------------------------------------------------------


def test_a_missing_score_stays_missing_and_the_ranking_stays(folder):
    folder.row("ratings.csv", 2, "E1,1,A,,9,1")
    study = load(folder.path)
    assert study["ratings"]["accuracy"][0] is None
    assert ranks(study, "E1", "1") == [1, 2, 3]
    assert accounts(study)["missing", "no score for accuracy"] == (1, 0)
    assert accounts(study)["used", ""] == (15, 5)


def test_a_row_without_score_and_rank_counts_as_dropped_and_keeps_the_case_whole(folder):
    """E1 was shown three analysts: a blank row says so, and the ranking of two is partial."""
    folder.say("partial_rankings: drop")
    folder.row("ratings.csv", 4, "E1,1,C,,,")
    study = load(folder.path)
    assert study["ratings"].filter(evaluator="E1", case="1")["analyst"].to_list() == ["A", "B"]
    assert accounts(study)["dropped", "no score, and no rank that counts"] == (1, 0)
    assert accounts(study)["dropped", f"ranking leaves out part of the case ({DROP})"] == (0, 1)


def test_what_is_read_is_dropped_or_used_whatever_is_blank(folder):
    chance = random.Random(5)
    folder.say("partial_rankings: drop")
    dropped = 0
    for _ in range(40):
        lines = []
        for line in RATINGS.splitlines()[1:]:
            cells = line.split(",")
            blanks = [chance.random() < 0.3 for _ in cells[3:]]
            lines.append(
                ",".join(
                    cells[:3]
                    + ["" if blank else cell for blank, cell in zip(blanks, cells[3:], strict=True)]
                )
            )
        folder.write("ratings.csv", "\n".join([RATINGS.splitlines()[0], *lines]))
        study = load(folder.path)
        for place in (2, 3):
            total = {
                status: sum(row[place] for row in study.accounting.rows() if row[0] == status)
                for status in ("read", "dropped", "used")
            }
            assert total["read"] == total["dropped"] + total["used"]
        dropped += study.dropped.height
        ratings = study["ratings"]
        complete = ratings.drop_nulls("rank").group_by("evaluator", "case").len()
        assert (complete["len"] == 3).all()
        assert (
            complete.height
            == dict((status, n) for status, _, _, n in study.accounting.rows())["used"]
        )
    assert dropped > 20


# --- tiers ---------------------------------------------------------------------------------------


def test_tiers_that_contradict_ranks_are_noticed(folder):
    header, *lines = RATINGS.splitlines()
    tiers = {"1": "good", "2": "medium", "3": "poor"}
    lines = [f"{line},{tiers[line[-1]]}" for line in lines]
    folder.write("ratings.csv", "\n".join([f"{header},tier", *lines]))
    assert load(folder.path).notices == ()
    folder.row("ratings.csv", 2, "E1,1,A,5,9,1,poor")
    assert load(folder.path).notices == (
        "ratings.csv: tier and rank disagree in 1 ranking: E1 in case 1",
    )
    folder.row("ratings.csv", 3, "E1,1,B,3,4,2,fair")
    assert folder.faults == [
        'ratings.csv, tier: row 3 "fair"; expected good, medium, poor or a blank cell'
    ]


TURNED = (
    "ratings.csv: better ranks go with lower scores: {}; are `best_rank: {}` and the scales right?"
)


@pytest.mark.parametrize("best", ["lowest", "highest"])
def test_ranks_that_go_against_the_scores_are_noticed(folder, best):
    """Five of five are more than two standard errors above half: (5 - 0)² > 4 · 5."""
    folder.say(f"best_rank: {best}")
    named = "Accuracy (5 of 5 rankings), Clarity (5 of 5 rankings)"
    told = () if best == "lowest" else (TURNED.format(named, best),)
    assert load(folder.path).notices == told


def test_one_scale_on_which_less_is_better_is_noticed(folder):
    folder.say("best_rank: lowest")
    lines = [line.split(",") for line in folder.text("ratings.csv").splitlines()]
    turned = [[*row[:4], str(10 - int(row[4])), row[5]] for row in lines[1:]]
    turned[0][4] = ""  # a gap leaves the ranking's other two
    folder.write("ratings.csv", "\n".join(",".join(row) for row in [lines[0], *turned]))
    named = "Clarity (5 of 5 rankings)"
    assert load(folder.path).notices == (TURNED.format(named, "lowest"),)


def test_few_rankings_against_the_scores_may_be_chance(folder):
    """Four of five are less than two standard errors above half: (4 - 1)² < 4 · 5."""
    folder.say("best_rank: highest")
    rank(folder, "E1", "1", 3, 2, 1)
    assert load(folder.path).notices == ()


@pytest.mark.parametrize(("against", "noticed"), [(79, False), (80, True)])
def test_less_than_two_thirds_against_the_scores_are_no_slip(folder, against, noticed):
    """Of 120 rankings, 79 are 3.5 standard errors above half, and still less than two thirds."""
    names = [f"N{number}" for number in range(120)]
    folder.write(
        "evaluators.csv", "\n".join(["evaluator,specialty,years", *(f"{n},," for n in names)])
    )
    rows = ["evaluator,case,analyst,accuracy,clarity,rank"]
    for number, name in enumerate(names):
        best, worst = (1, 5) if number < against else (5, 1)
        rows += [f"{name},1,A,{best},,1", f"{name},1,B,{worst},,2"]
    folder.write("ratings.csv", "\n".join(rows))
    told = TURNED.format(f"Accuracy ({against} of 120 rankings)", "lowest")
    assert (told in load(folder.path).notices) == noticed

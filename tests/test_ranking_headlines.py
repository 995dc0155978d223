import numpy as np
import pytest

from helpers.ranking import headlines
from helpers.ranking.compare import compare
from rankings_data import rankings, table

STATED = ("senior", "junior", "non-specialist")
KINDS = ["llm"] * 3 + ["physician"] * 3
LEVELS = ["", "", "", *STATED]
SETTING = headlines.Setting(STATED)


def decided(quality, evaluators=25, noise=0.6, setting=SETTING, kinds=KINDS, levels=LEVELS):
    values = rankings(np.random.default_rng(3), quality, evaluators, noise)
    ranked = table(values, kinds, levels)
    return headlines.judge(ranked, compare(ranked, 300), setting)


def test_the_rules_name_what_the_sentences_leave_open():
    told = headlines.rules(headlines.Setting(STATED, top=3, margin=1.5))["Supported if"].to_list()
    assert told[0].startswith("Top: the 3 LLMs")
    assert "within 1.5 ranks of zero" in told[1]


def test_models_above_all_physicians_support_the_first_and_the_last():
    first, second, third, last = decided(np.tile([9, 8, 7, 2, 1, 0], (20, 1)))
    assert (first.decision, first.here) == ("supported", "supported")
    assert second.decision == "not supported"
    assert third.here == ""
    assert last.decision == "supported"
    assert last.found == "3 of 3 LLMs above non-specialist (in these cases 3)"


def test_models_below_all_physicians_support_neither():
    first, _, _, last = decided(np.tile([0, 0.5, 1, 7, 8, 9], (20, 1)))
    assert first.decision == last.decision == "not supported"


def test_equals_within_the_margin_are_comparable():
    same = np.tile([5.0, 5, 0, 5, -1, -2], (60, 1))
    wide = headlines.Setting(STATED, margin=2)
    assert decided(same, 40, setting=wide)[1].decision == "supported"
    assert decided(same, 40, setting=headlines.Setting(STATED, margin=0.1))[1].decision == (
        "not supported"
    )


def test_a_level_that_varies_more_is_less_stable():
    random = np.random.default_rng(4)
    quality = np.tile([6.0, 5.5, 0, 3, -1, -2], (40, 1))
    quality[:, 3] += random.normal(0, 4, 40)
    assert decided(quality)[2].decision == "supported"


def test_one_of_two_models_is_not_nearly_all():
    quality = np.tile([9, -9, 2, 1, 0], (20, 1))
    last = decided(quality, kinds=KINDS[1:], levels=LEVELS[1:])[3]
    assert (last.found[:6], last.decision) == ("1 of 2", "not supported")


def test_sentences_that_need_an_order_of_levels_say_so():
    strange = decided(np.zeros((5, 6)), levels=["", "", "", "chief", "junior", "intern"])
    assert strange[0].decision != "not estimable"
    for claim in strange[1:]:
        assert claim.decision == "not estimable"
        assert claim.found == (
            "not estimable: no place is stated for level 'chief'; name it in the parameter `levels`"
        )


def test_without_models_or_levels_nothing_is_estimable():
    for claim in decided(np.zeros((5, 3)), kinds=["llm"] * 3, levels=[""] * 3):
        assert claim.decision == "not estimable"
        assert claim.found.startswith("not estimable: no ranking has both")


def test_claims_are_lines_of_the_ledger_without_p():
    claims = decided(np.tile([9, 8, 7, 2, 1, 0], (20, 1)))
    lines = headlines.entries(claims)
    assert [line.question for line in lines] == list(headlines.QUESTIONS)
    assert {line.p for line in lines} == {None}
    assert [line.published for line in lines] == [
        "better across cases, no test",
        "comparable, no test",
        "lower, no test",
        "nearly all, no test",
    ]
    assert headlines.table(claims).height == 4


@pytest.mark.parametrize("levels", [LEVELS, [""] * 6])
def test_the_table_of_stability_always_has_rows(levels):
    ranked = table(rankings(np.random.default_rng(5), np.zeros((5, 6)), 6), KINDS, levels)
    pairs = compare(ranked, 50)
    assert headlines.stability_table(ranked, pairs, SETTING).height >= 1

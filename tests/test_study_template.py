"""A new study's folder: sound, plainly a placeholder, and never written over anything."""

import os

import pytest

from helpers.errors import HelpersError
from helpers.study import check, load, new_study


def test_the_template_can_be_loaded_and_has_nothing_to_say(tmp_path):
    study = load(new_study(tmp_path / "a" / "my study"))
    assert study.notices == ()
    assert study.config.simulated
    assert study.accounting.filter(status="used").row(0) == ("used", "", 9, 3)


def test_every_name_in_it_is_a_placeholder(tmp_path):
    study = load(new_study(tmp_path / "study"))
    for table, column in (("evaluators", "evaluator"), ("cases", "case"), ("analysts", "analyst")):
        assert all(name.startswith("example-") for name in study[table][column])
    assert "EXAMPLE" in study.config.title


def test_placeholders_are_refused_once_the_data_are_called_real(tmp_path):
    config = new_study(tmp_path / "study") / "study.yml"
    config.write_text(config.read_text().replace("simulated: true", "simulated: false"))
    assert [str(fault) for fault in check(tmp_path / "study")] == [
        'evaluators.csv, evaluator: "example-E1", "example-E2": example rows; put your own in '
        "their place",
        'cases.csv, case: "example-C1", "example-C2": example rows; put your own in their place',
        'analysts.csv, analyst: "example-LLM1", "example-LLM2", "example-P1": example rows; '
        "put your own in their place",
    ]


def test_every_key_of_the_template_does_something(tmp_path):
    """Each commented choice is one that the config knows."""
    config = new_study(tmp_path / "study") / "study.yml"
    text = config.read_text()
    for old, new in (
        ("best_rank: lowest ", "best_rank: highest "),
        ("ties: refused", "ties: allowed"),
        ("partial_rankings: refuse", "partial_rankings: drop"),
        ("analysts: all ", "analysts: differ "),
        ("# parameters:\n#   resamples: 500", "parameters:\n  resamples: 500"),
    ):
        assert old in text
        text = text.replace(old, new)
    config.write_text(text)
    study = load(tmp_path / "study").config
    assert (study.best_rank, study.ties, study.partial_rankings) == ("highest", "allowed", "drop")
    assert study.analysts == "differ"
    assert study.parameters == {"resamples": 500}


def test_an_empty_folder_is_filled_and_a_full_one_left_alone(tmp_path):
    new_study(tmp_path)
    (tmp_path / "study.yml").write_text("mine")
    with pytest.raises(HelpersError, match="the folder is not empty; give a new or empty one"):
        new_study(tmp_path)
    assert (tmp_path / "study.yml").read_text() == "mine"


def test_a_file_or_link_is_not_replaced(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "link"):
        with pytest.raises(HelpersError, match="is there already and no folder; give a new name"):
            new_study(tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"


def test_nothing_is_left_when_writing_fails(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HelpersError, match="cannot be written: No space left on device"):
        new_study(tmp_path / "study")
    assert list(tmp_path.iterdir()) == []

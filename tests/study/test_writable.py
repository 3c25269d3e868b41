"""A folder that cannot be written to is named before Snakemake and its jobs end in a trace."""

import os
from pathlib import Path

import pytest
from replication.platform.writable import why_not_written


def test_folders_that_are_there_or_can_be_made_have_no_fault(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    assert why_not_written([".snakemake", "results", "results/logs/mine"]) is None
    assert not (tmp_path / ".snakemake").exists()


@pytest.mark.parametrize("folder", ["results", "results/logs/mine"])
def test_a_folder_of_a_read_only_mount_is_named(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    # Root may write wherever the mode forbids it.
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.W_OK and path.name != "results")
    assert why_not_written([".snakemake", folder]).startswith(f"Nothing can be written to {folder}.")


@pytest.mark.parametrize("place", [Path.touch, lambda path: path.symlink_to("gone")])
def test_what_is_in_the_place_of_a_folder_is_named(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    place(tmp_path / "results")
    assert f"{tmp_path / 'results'}. Move it away" in why_not_written(["results/logs/mine"])

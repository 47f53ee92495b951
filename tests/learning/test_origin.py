from servogym.learning.origin import commit, origin


def fake_git(folder, monkeypatch):
    (folder / "git").write_text("#!/bin/sh\necho abc123+\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")


def test_a_checkout_gives_its_commit(tmp_path, monkeypatch):
    fake_git(tmp_path, monkeypatch)
    (tmp_path / ".git").mkdir()
    assert commit(tmp_path) == "abc123+"


def test_a_copy_installed_inside_another_repository_does_not_take_its_commit(tmp_path, monkeypatch):
    fake_git(tmp_path, monkeypatch)
    (tmp_path / ".git").mkdir()
    (tmp_path / "lib").mkdir()
    assert commit(tmp_path / "lib") == ""


def test_without_git_the_commit_is_empty(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / ".git").mkdir()
    assert commit(tmp_path) == ""


def test_the_computer_is_named():
    found = origin()
    assert found["cpu"] and int(found["cores"]) >= 1

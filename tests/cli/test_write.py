"""The `gitglass-write` script as a process: shown first, approved by a token, carried out, undone."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.forked import forked, forked_bytes, forked_on_terminal
from tests.support.peers import commit, empty, read, run
from tests.support.writing import KilledOnceMoved, copy_of, done

import gitglass
from gitglass.agent.commandline import writer
from gitglass.mutate import commandline
from gitglass.mutate.grant import Identity, Moment, WriteGrant
from gitglass.mutate.plan import token_of
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import AddRequest, CommitRequest
from gitglass.request.ref_mutations import TagChange

CODE = "import sys; from gitglass.mutate.commandline import main; sys.exit(main())"
CARRIED_OUT = (
    "add", "branch", "checkout", "cherry-pick", "commit", "init", "merge", "mv", "reset", "restore", "revert", "rm",
    "stash", "switch", "tag", "update-ref",
)  # fmt: skip
QUESTION = b"Do this? [y/N] "


def environment() -> dict[str, str]:
    env = {"PATH": "/nonexistent", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    return env | {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def ask(repo: Path, *words: str, **more: str) -> tuple[int, str, str]:
    """Without a terminal: status, stdout, stderr."""
    return forked(commandline.main, ["-C", str(repo), *words], environment() | more)


def type_in(repo: Path, answer: bytes, *words: str) -> tuple[int, str]:
    """On a terminal, where a person answers the question, if there is one: status, what the terminal showed."""
    return forked_on_terminal(commandline.main, ["-C", str(repo), *words], environment(), QUESTION, answer)


def token_in(out: str) -> str:
    return out.rsplit("--approve ", 1)[1].strip()


def test_the_script_in_a_python_of_its_own(tmp_path: Path) -> None:
    """All other tests ask it in a fork (`support/forked.py`); so it says and leaves the same when it is started."""
    repo = copy_of("plain", tmp_path / "repo")

    def start(*words: str) -> tuple[int, str, str]:
        argv = [sys.executable, "-c", CODE, "-C", str(repo), *words]
        given = environment() | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        done = subprocess.run(argv, env=given, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    token = token_in(start("tag", "made")[1])
    assert start("--approve", token, "tag", "made") == (0, "", "")
    refused = (128, "", "fatal: tag 'made' already exists\n")
    assert start("--yes", "tag", "made") == ask(repo, "--yes", "tag", "made") == refused


def test_a_change_is_shown_then_approved_then_undone(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    status, out, _ = ask(repo, "branch", "made")
    assert status == 77 and "ref refs/heads/made: nothing -> " in out
    token = token_in(out)
    assert not (repo / ".git/refs/heads/made").exists()
    assert ask(repo, "--approve", token, "branch", "other")[0] == 1
    assert ask(repo, "--approve", token, "branch", "made") == (0, "", "")
    assert (repo / ".git/refs/heads/made").is_file()
    assert ask(repo, "--yes", "branch", "made") == (128, "", "fatal: a branch named 'made' already exists\n")
    listed = ask(repo, "operations")[1].split()
    assert listed[1:5] == ["done", "Create", "branch", "'made'"]
    assert ask(repo, "--yes", "undo", listed[0])[0] == 0
    assert not (repo / ".git/refs/heads/made").exists()


def test_bad_words_are_refused_by_name(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    assert ask(repo, "--force", "branch", "x")[::2] == (129, "unknown option: --force\n")
    assert ask(repo, "log")[0] == 129
    assert ask(repo, "recover") == (0, "", "")
    assert ask(repo, "--dry-run", "tag", "t")[1].startswith("Create tag 't'")


def test_a_repository_is_made_with_a_yes(tmp_path: Path) -> None:
    status, out, _ = ask(tmp_path, "init", "-b", "main", "new")
    assert status == 77 and f"new {tmp_path}/new/.git/config" in out and not (tmp_path / "new").exists()
    token = token_in(out)
    assert ask(tmp_path, "--approve", token, "init", "-b", "other", "new")[0] == 1
    made = f"Initialized empty Git repository in {tmp_path}/new/.git/\n"
    assert ask(tmp_path, "--approve", token, "init", "-b", "main", "new") == (0, made, "")
    assert (tmp_path / "new/.git/HEAD").read_text() == "ref: refs/heads/main\n"
    assert ask(tmp_path, "init", "new")[:2] == (0, made.replace("Initialized empty", "Reinitialized existing"))


@pytest.mark.writes
@pytest.mark.parametrize(
    ("terminal", "cleared"), [({}, " " * 80 + "\r"), ({"TERM": "dumb"}, " " * 80 + "\r"), ({"TERM": "xterm"}, "\x1b[K")]
)
def test_a_line_that_showed_progress_is_cleared_as_the_terminal_can(
    tmp_path: Path, terminal: dict[str, str], cleared: str
) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    run(repo, "branch", "side")
    commit(repo, "two")
    run(repo, "checkout", "-q", "side")
    commit(repo, "three", name="g")
    err = ask(repo, "--yes", "rebase", "main", **terminal)[2]
    assert err == f"Rebasing (1/1)\r\r{cleared}Successfully rebased and updated refs/heads/side.\n"


@pytest.mark.parametrize(
    ("given", "words", "message"),
    [
        (b"one\n\ntwo  \n\n", ("commit", "-F", "-"), "one\n\ntwo\n"),
        (b"", ("commit", "--quiet", "--allow-empty-message", "--file", "-"), ""),
        (b"one", ("tag", "-a", "-F-", "made"), "one\n"),
    ],
)
def test_a_message_comes_from_standard_input(
    tmp_path: Path, given: bytes, words: tuple[str, ...], message: str
) -> None:
    """The preview, and the token, are of a plan with that message: another one is another plan."""
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_text("changed")
    assert ask(repo, "--yes", "add", "-A")[0] == 0

    def given_to(data: bytes, *front: str) -> tuple[int, str]:
        argv = ["-C", str(repo), *front, *words]
        status, out, _ = forked_bytes(commandline.main, argv, environment(), given=data)
        return status, out.decode()

    status, out = given_to(given)
    assert status == 77
    token = token_in(out)
    assert given_to(given + b"more", "--approve", token)[0] not in (0, 77)
    assert given_to(given, "--approve", token)[0] == 0
    kind, name = ("tag", "made") if words[0] == "tag" else ("commit", "HEAD")
    written = gitglass.git(["cat-file", kind, name], cwd=repo, text=True).stdout
    assert written.partition("\n\n")[2] == message


def test_a_terminal_is_no_message(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    code, shown = type_in(repo, b"y\n", "commit", "--allow-empty", "-F", "-")
    assert code == 128 and shown == (
        "fatal: git commit: gitglass does not read a message from standard input: give it\n"
    )  # fmt: skip


def test_stage_is_add(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_text("changed")
    assert ask(repo, "--dry-run", "stage", "README.md") == ask(repo, "--dry-run", "add", "README.md")
    assert ask(repo, "--yes", "stage", "README.md") == (0, "", "")
    assert gitglass.git(["diff", "--cached", "--name-only"], cwd=repo).stdout == b"README.md\n"


def test_the_first_branch_is_named_by_settings_of_no_repository(tmp_path: Path) -> None:
    """`-c`, the environment and the user's file say it; a repository around the new one does not."""
    around = copy_of("plain", tmp_path / "repo")
    with (around / ".git/config").open("a") as file:
        file.write("[init]\n\tdefaultBranch = local\n")
    variable = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "varied"}
    for number, (front, more, head) in enumerate(
        [((), {}, "master"), ((), variable, "varied"), (("-c", "init.defaultBranch=given"), variable, "given")]
    ):
        assert ask(around, *front, "--yes", "init", "-q", f"new{number}", **more)[0] == 0
        assert (around / f"new{number}/.git/HEAD").read_text() == f"ref: refs/heads/{head}\n"


@pytest.mark.parametrize(
    ("answer", "status"), [(b"y\n", 0), (b"YES\n", 0), (b"n\n", 77), (b"\n", 77), (b"yess\n", 77), (b"\x04", 77), (b"\x03", 130)]
)  # fmt: skip
def test_on_a_terminal_a_person_is_shown_the_preview_and_asked(tmp_path: Path, answer: bytes, status: int) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    code, shown = type_in(repo, answer, "tag", "made")
    assert code == status
    assert re.match(r"Create tag 'made'   risk Medium\n  ref refs/tags/made: nothing -> [0-9a-f]{12}\nDo this\?", shown)
    assert "--approve" not in shown and ("Nothing was changed." in shown) == (status == 77)
    assert (repo / ".git/refs/tags/made").exists() == (status == 0)


def test_a_preview_on_a_terminal_cannot_steer_it(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "\x1b[2Jmade\u202e.txt").write_text("made\n")
    status, shown = type_in(repo, b"n\n", "add", "-A")
    assert status == 77 and "made" in shown and "\x1b" not in shown and "\u202e" not in shown
    status, shown = type_in(repo, b"y\n", "commit", "--allow-empty", "-m", "\x1b]0;title\x07made")
    assert status == 0 and shown.count("made") >= 2 and "\x1b" not in shown and "\x07" not in shown
    status, shown = type_in(repo, b"y\n", "commit", "--allow-empty", "-m", "\x1b[8mmade\x1b[32m\U000e0041")
    assert status == 0 and shown.count("made") >= 2 and "\x1b" not in shown and "\U000e0041" not in shown
    assert "\x1b" not in type_in(repo, b"", "operations")[1]


def test_what_is_always_in_colour_is_so_on_a_terminal(tmp_path: Path) -> None:
    """But not what others have in their names and messages."""
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as file:
        file.write("[color]\n\tadvice = always\n")
    (repo / ".gitignore").write_text("out*\n")
    (repo / "out\x1b[8m").write_text("x\n")
    status, shown = type_in(repo, b"", "add", "out\x1b[8m")
    assert status == 1 and "\nout\\x1b[8m\n" in shown
    assert "\n\x1b[33mhint: Use -f if you really want to add them.\x1b[m\n" in shown
    status, shown = type_in(repo, b"y\n", "commit", "--allow-empty", "-m", "\x1b[8mmade")
    assert status == 0 and "\\x1b[8mmade" in shown and "\x1b[8m" not in shown


def test_a_token_is_good_once_and_for_a_while(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    token = token_in(ask(repo, "tag", "made")[1])
    assert ask(repo, "--approve", token, "tag", "made") == (0, "", "")
    assert ask(repo, "--yes", "undo")[0] == 0 and not (repo / ".git/refs/tags/made").exists()
    again = ask(repo, "--approve", token, "tag", "made")
    assert again[0] == 1 and "the approval was used already" in again[2]
    writer = Writer(gitglass.open(repo), WriteGrant(identity=Identity("a@b", "a@b")))
    for seconds in (-1000, 1000):
        plan = writer.plan(TagChange(names=["made"]), moment=Moment(int(time.time()) + seconds, 0))
        expired = ask(repo, "--approve", token_of(plan), "tag", "made")
        assert expired[0] == 1 and "the approval has expired" in expired[2]
    assert not (repo / ".git/refs/tags/made").exists()


def test_undo_and_redo_of_the_last_or_of_one_that_is_named(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    for name in ("first", "second"):
        assert ask(repo, "--yes", "tag", name)[0] == 0
    tags = repo / ".git/refs/tags"
    first, second = (line.split()[0] for line in ask(repo, "operations")[1].splitlines())
    status, out, _ = ask(repo, "undo")
    assert status == 77 and out.startswith(f"Undo operation {second}   risk High\n  undoes: Create tag 'second'\n")
    assert ask(repo, "--approve", token_in(out), "undo") == (0, "Undid Create tag 'second'\n", "")
    assert ask(repo, "--yes", "undo", first[:6])[:2] == (0, "Undid Create tag 'first'\n")
    assert not (tags / "first").exists() and not (tags / "second").exists()
    assert "  redoes: Create tag 'second'\n" in ask(repo, "redo", second)[1]
    assert ask(repo, "--yes", "redo", second)[:2] == (0, "Redid Create tag 'second'\n")
    assert ask(repo, "--yes", "redo")[:2] == (0, "Redid Create tag 'first'\n")
    assert (tags / "first").exists() and (tags / "second").exists()
    for words in (["undo", "0000000"], ["redo"], ["undo", "--all"], ["undo", first, second], ["operations", "x"]):
        assert ask(repo, "--yes", *words)[0] == 129, words


@pytest.mark.writes
def test_recovery_is_shown_and_approved_like_a_change(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    grant = WriteGrant(identity=Identity("A", "a@b"))
    child = os.fork()
    if not child:
        writer = Writer(gitglass.open(repo), grant, calls=KilledOnceMoved(repo))
        plan = writer.plan(CommitRequest(message=["crashed"], switches=["--allow-empty"]))
        writer.apply(plan, approve(plan, "test"))
        os._exit(0)
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
    (operation,) = Writer(gitglass.open(repo), grant).interrupted()
    assert gitglass.git(["log", "-1", "--format=%s"], cwd=repo).stdout == b"crashed\n"
    log = repo / ".git/logs/HEAD"
    before = log.read_bytes()
    status, out, _ = ask(repo, "recover")
    assert status == 77 and f"operation {operation.id}: Commit: crashed" in out and log.read_bytes() == before
    assert ask(repo, "--dry-run", "recover")[0] == 0
    assert ask(repo, "--approve", token_in(out), "recover", "--forward")[0] == 1
    assert ask(repo, "recover", "--bogus")[0] == ask(repo, "recover", "x")[0] == 129
    assert type_in(repo, b"n\n", "recover")[0] == 77
    assert Writer(gitglass.open(repo), grant).interrupted() != []
    assert ask(repo, "--approve", token_in(out), "recover") == (0, f"{operation.id}\n", "")
    assert Writer(gitglass.open(repo), grant).interrupted() == []
    assert gitglass.git(["log", "-1", "--format=%s"], cwd=repo).stdout != b"crashed\n"


def test_words_in_front_of_the_command(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    status, out, _ = ask(repo, "--help")
    assert status == 0 and out.startswith("usage: gitglass-write ") and "redo [<id>]" in out
    for words in (["--yes", "--dry-run"], ["--yes", "--approve", "x"], ["--dry-run", "--approve", "x"]):
        refused = ask(repo, *words, "tag", "made")
        assert refused[::2] == (129, "error: give one of --dry-run, --yes, --approve\n")
    assert ask(repo, "-c")[::2] == (129, "-c expects a configuration string\n")
    assert ask(repo, "--approve")[::2] == (129, "error: option '--approve' needs a value\n")
    words = "fatal: 'ssh://host/x': ssh is a program, and none is granted for it (Programs.ssh)\n"
    assert ask(repo, "push", "ssh://host/x", "main")[::2] == (128, words)


def test_a_slip_of_ours_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def slips(*_: object, **__: object) -> None:
        raise AssertionError("odd")

    repo = copy_of("plain", tmp_path / "repo")
    monkeypatch.setattr(Writer, "plan", slips)
    assert commandline.main(["-C", str(repo), "tag", "t"]) == 128
    assert capfdbinary.readouterr() == (b"", b"fatal: internal error in gitglass: AssertionError: odd\n")


def test_settings_and_aliases_count_as_in_git(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    front = ["-c", "alias.ci=commit --allow-empty", "-c", "i18n.commitEncoding=ISO-8859-1", "--yes"]
    assert ask(repo, *front, "ci", "-m", "made")[0] == 0
    assert gitglass.git(["log", "-1", "--format=%e %s"], cwd=repo).stdout == b"ISO-8859-1 made\n"
    assert ask(tmp_path, f"--git-dir={repo}/.git", "--yes", "tag", "far")[0] == 0
    assert (repo / ".git/refs/tags/far").exists()
    refused = ask(repo, "-c", "alias.x=!touch made", "--yes", "x")
    assert refused[::2] == (129, "error: gitglass runs nothing: the alias 'x' is a program\n")


def test_every_command_that_is_carried_out_has_a_usage(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    status, out, err = ask(repo, "commit", "-h")
    assert (status, err) == (129, "") and out.startswith(
        "usage: git commit [<options>] [--] [<pathspec>...]\n\n    Rec"
    )
    assert "\n    -q, --quiet\n" in out and "\n    --amend                   Replace the last commit.\n" in out
    assert ask(repo, "merge", "--help")[:2] == (0, ask(repo, "merge", "-h")[1])
    status, out, err = ask(repo, "branch", "--frob")
    assert (status, out) == (129, "") and err.startswith("error: unknown option `frob'\nusage: git branch [<options>]")
    assert ask(repo, "undo", "-h")[1].startswith("usage: gitglass-write ")
    assert (
        ask(repo, "log", "-h")[2]
        == "error: 'log' is no change that gitglass-write makes; what reads, gitglass answers\n"
    )
    for name in CARRIED_OUT:
        command = writer(name)
        assert command is not None and command.summary and command.usage, name


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("@1700000000 +0130", "1700000000 +0130"), ("1700000000", "1700000000 +0100"), ("@5 -0300", "5 -0300"),
        ("2023-11-14T22:13:20+0200", "1699992800 +0200"), ("2023-11-14 22:13:20", "1699996400 +0100"),
        ("Tue, 14 Nov 2023 22:13:20 -0500", "1700018000 -0500"), ("2023-11-14T22:13:20Z", "1700000000 +0000"),
        ("@1 +9999", "1 +10039"),
    ],
)  # fmt: skip
def test_gits_variables_say_who_and_when(given: str, written: str, tmp_path: Path) -> None:
    """As git 2.39 writes these dates in Berlin."""
    repo = copy_of("plain", tmp_path / "repo")
    commit = ["--yes", "commit", "--allow-empty", "-m", "x"]
    who = {
        "GIT_AUTHOR_NAME": "An",
        "GIT_AUTHOR_EMAIL": "an@x",
        "GIT_COMMITTER_NAME": "Co",
        "GIT_COMMITTER_EMAIL": "co@x",
    }
    status, _, err = ask(repo, *commit, TZ="Europe/Berlin", GIT_AUTHOR_DATE=given, GIT_COMMITTER_DATE="@7 +0000", **who)
    assert (status, err) == (0, "")
    raw = gitglass.git(["cat-file", "commit", "HEAD"], cwd=repo).stdout.decode()
    assert f"\nauthor An <an@x> {written}\ncommitter Co <co@x> 7 +0000\n" in raw
    assert ask(repo, "--yes", "tag", "-a", "t", "-m", "x", TZ="Europe/Berlin", GIT_COMMITTER_DATE=given)[0] == 0
    assert f" {written}\n" in gitglass.git(["cat-file", "tag", "t"], cwd=repo).stdout.decode()


def test_a_date_that_is_none_is_refused(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    commit = ["--yes", "commit", "--allow-empty", "-m", "x"]
    for given in (
        "noon",
        "12345 +0000",
        "@12345",
        " ",
        "2023-11-14",
        "1969-01-01 00:00:00 +0000",
        "2100-01-01 00:00 +0000",
    ):
        refused = (128, "", f"fatal: invalid date format: {given}\n")
        assert ask(repo, *commit, GIT_AUTHOR_DATE=given) == refused
        assert ask(repo, "--yes", "branch", "b", GIT_COMMITTER_DATE=given) == refused
    assert ask(repo, *commit, GIT_AUTHOR_DATE="")[0] == 0
    assert ask(repo, *commit, "--amend", GIT_AUTHOR_DATE="noon")[0] == 0  # the author's date is that of before
    assert ask(repo, *commit, "--date=nope") == (128, "", "fatal: invalid date format: nope\n")
    assert ask(repo, *commit, "--date=1500000000 +0200", GIT_AUTHOR_DATE="noon")[0] == 0
    assert b"1500000000 +0200\ncommitter" in gitglass.git(["cat-file", "commit", "HEAD"], cwd=repo).stdout


@pytest.mark.writes
@pytest.mark.parametrize(
    ("front", "named", "removed"),
    [
        ("--literal-pathspecs", "*", {"*"}), ("GIT_LITERAL_PATHSPECS", "*", {"*"}), ("--noglob-pathspecs", "*", {"*"}),
        ("--glob-pathspecs", "*.t", {"a.t"}), ("--icase-pathspecs", "A.T", {"a.t"}), ("GIT_ICASE_PATHSPECS", "A.T", {"a.t"}),
    ],
)  # fmt: skip
def test_pathspecs_are_read_as_the_settings_say(front: str, named: str, removed: set[str], tmp_path: Path) -> None:
    """As git rm does in the same repository."""
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "d").mkdir()
    for name in ("*", "a.t", "d/a.t"):
        (repo / name).write_text(name)
    done(repo, AddRequest(paths=["."]))
    option = front.startswith("--")
    words = ([front] if option else []) + ["--yes", "rm", "-q", "-f", named]
    assert ask(repo, *words, **({} if option else {front: "1"})) == (0, "", "")
    assert {"*", "a.t", "d/a.t"} - set(read(repo, "ls-files").split()) == removed


@pytest.mark.writes
def test_replacements_are_not_followed_where_that_is_said(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    old = commit(repo, "old")
    new = commit(repo, "new")
    (repo / ".git/refs/replace").mkdir()
    (repo / f".git/refs/replace/{new}").write_text(f"{old}\n")
    reset = ["--yes", "reset", "-q", "--hard"]
    for words, more, held in (
        (reset, {}, "old"), (["--no-replace-objects", *reset], {}, "new"), (reset, {}, "old"),
        (reset, {"GIT_NO_REPLACE_OBJECTS": "1"}, "new"),
    ):  # fmt: skip
        assert ask(repo, *words, **more) == (0, "", "")
        assert (repo / "f").read_text() == held
    merged = ask(repo, "--yes", "merge", old, GIT_NO_REPLACE_OBJECTS="1")
    assert merged == (0, "Already up to date.\n", "")


@pytest.mark.writes
def test_the_index_that_the_variable_names_is_written_and_undone(tmp_path: Path) -> None:
    """As git does: the repository's own index stays as it is."""
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    own = (repo / ".git/index").read_bytes()
    shutil.copy(repo / ".git/index", repo / ".git/other")
    (repo / "new").write_text("new")
    for named in (".git/other", f"{repo}/.git/other"):
        assert ask(repo, "--yes", "add", "new", GIT_INDEX_FILE=named) == (0, "", "")
        assert b"new" in (repo / ".git/other").read_bytes() and (repo / ".git/index").read_bytes() == own
        status, _, err = ask(repo, "--yes", "undo")
        assert status == 1 and "was done with the index 'other'" in err
        assert ask(repo, "--yes", "undo", GIT_INDEX_FILE=named)[0] == 0
        assert b"new" not in (repo / ".git/other").read_bytes() and (repo / ".git/index").read_bytes() == own
    assert ask(repo, "--yes", "add", "new", GIT_INDEX_FILE=".git/index") == (0, "", "")
    assert ask(repo, "--yes", "undo")[0] == 0


@pytest.mark.writes
@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("GIT_INDEX_FILE", "fatal: GIT_INDEX_FILE names '{}/index', and gitglass writes no index outside of the git directory\n"),
        ("GIT_OBJECT_DIRECTORY", "fatal: gitglass writes to no other GIT_OBJECT_DIRECTORY than the repository's own\n"),
    ],
)  # fmt: skip
def test_what_the_variables_name_elsewhere_is_not_written(variable: str, words: str, tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "new").write_text("new")
    (tmp_path / "far").mkdir()
    named = f"{tmp_path}/far" + ("/index" if variable == "GIT_INDEX_FILE" else "")
    refused = ask(repo, "--yes", "add", "new", **{variable: named})
    assert refused == (128, "", words.format(tmp_path / "far"))
    assert not (repo / ".git/index").exists() and not list((tmp_path / "far").iterdir())
    own = repo / ".git" / ("index" if variable == "GIT_INDEX_FILE" else "objects")
    assert ask(repo, "--yes", "add", "new", **{variable: str(own)}) == (0, "", "")


@pytest.mark.writes
def test_an_operation_is_not_undone_in_another_work_tree(tmp_path: Path) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    head = commit(repo, "one")
    far, own = tmp_path / "far", repo / ".git/worktrees/far"
    far.mkdir()
    own.mkdir(parents=True)
    (far / ".git").write_text(f"gitdir: {own}\n")
    for name, text in (("HEAD", head), ("commondir", "../.."), ("gitdir", f"{far}/.git")):
        (own / name).write_text(f"{text}\n")
    assert ask(far, "--yes", "reset", "-q", "--hard")[0] == 0
    (far / "f").write_text("two")
    assert ask(far, "--yes", "add", "f")[0] == 0
    status, _, err = ask(repo, "--yes", "undo")
    assert status == 1 and "was done with the index 'worktrees/far/index'" in err
    assert ask(far, "--yes", "undo")[0] == 0


def among(folder: Path, *words: str) -> tuple[int, str, str]:
    """The script as it is started in a directory."""
    return forked(commandline.main, ["--yes", *words], environment(), folder)


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A repository where a directory has files on one branch, is none on another, and is a file on a third."""
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "d").mkdir()
    commit(repo, "one", name="d/f")
    for branch in ("none", "file"):
        run(repo, "switch", "-q", "-c", branch, "main")
        run(repo, "rm", "-q", "d/f")
        if branch == "file":
            (repo / "d").write_text("")
            run(repo, "add", "d")
        run(repo, "commit", "-q", "-m", branch)
    run(repo, "switch", "-q", "main")
    return repo


@pytest.mark.writes
@pytest.mark.parametrize(
    "words",
    [
        "switch -q none", "checkout -q -f none", "rm -q f", "reset -q --hard none", "reset -q --keep none",
        "merge -q none", "restore -s none f", "cherry-pick --no-commit none", "rebase -q none",
    ],
)  # fmt: skip
def test_the_directory_in_which_it_was_started_stays(deep: Path, words: str) -> None:
    """As in git since 2.35. With -C it is another directory, as there."""
    assert among(deep / "d", *words.split())[::2] == (0, "")
    assert (deep / "d").is_dir() and not (deep / "d/f").exists()


@pytest.mark.writes
def test_a_directory_to_which_it_only_went_does_not_stay(deep: Path) -> None:
    assert ask(deep / "d", "--yes", "switch", "-q", "none") == (0, "", "")
    assert not (deep / "d").exists()


@pytest.mark.writes
@pytest.mark.parametrize(
    ("words", "status", "err"),
    [
        ("switch -q file", 1, "error: Refusing to remove the current working directory:\n\td\n\nAborting\n"),
        ("merge -q file", 1, "error: Refusing to remove the current working directory:\n\td\n\nAborting\n"),
        ("switch -q -f file", 128, "error: Refusing to remove 'd' since it is the current working directory.\n"),
        (
            "reset -q --hard file", 128,
            "error: Refusing to remove 'd' since it is the current working directory.\n"
            "fatal: Could not reset index file to revision 'file'.\n",
        ),
    ],
)  # fmt: skip
def test_no_file_takes_the_place_of_the_directory_in_which_it_was_started(
    deep: Path, words: str, status: int, err: str
) -> None:
    assert among(deep / "d", *words.split()) == (status, "", err)
    assert (deep / "d/f").read_text() == "one"


@pytest.mark.writes
def test_stash_leaves_the_directory_in_which_it_was_started(deep: Path) -> None:
    (deep / "new").mkdir()
    (deep / "new/f").write_text("")
    assert among(deep / "new", "stash", "-q", "-u") == (0, "", "Refusing to remove current working directory\n")
    assert (deep / "new").is_dir() and not (deep / "new/f").exists()


def test_a_push_to_this_machine_is_logged_there_at_the_given_moment(tmp_path: Path) -> None:
    """git's other end of it runs with the variables of this one."""
    repo, up = copy_of("plain", tmp_path / "repo"), tmp_path / "up"
    (up / "objects").mkdir(parents=True)
    (up / "refs/heads").mkdir(parents=True)
    (up / "HEAD").write_text("ref: refs/heads/main\n")
    (up / "config").write_text("[core]\n\tbare = true\n\tlogAllRefUpdates = true\n")
    who = {"GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@x", "GIT_COMMITTER_DATE": "1112912053 -0700"}
    assert ask(repo, "--yes", "push", "-q", str(up), "main", **who)[0] == 0
    assert (up / "logs/refs/heads/main").read_text().endswith(" C <c@x> 1112912053 -0700\tpush\n")

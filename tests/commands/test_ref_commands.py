"""branch, tag, remote, config, symbolic-ref: what writes is refused by name, and some rules no record holds."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.cli.main import main
from gitglass.commands import show_ref
from gitglass.commands.show_ref import ShowRefRequest
from gitglass.limits import Context, Limits
from gitglass.render.style import Style

from ..support.worktrees import Repo


@pytest.mark.parametrize(
    "line",
    [
        "branch new",
        "branch new HEAD",
        "branch -d topic",
        "branch -D topic",
        "branch -m a b",
        "branch --move a",
        "branch -u origin/main",
        "branch --set-upstream-to=x",
        "branch --unset-upstream",
        "branch --edit-description",
        "branch -f x",
        "branch -c a b",
        "branch -v new",
        "tag new",
        "tag -a x -m y",
        "tag -d v1.0",
        "tag -v v1.0",
        "tag -f x",
        "remote add x y",
        "remote add -f -t main x y",
        "remote remove origin",
        "remote rename a b",
        "remote set-url origin x",
        "remote set-url --push origin x",
        "remote -v update --prune",
        "remote update",
        "remote prune origin",
        "remote show origin",
        "config a.b c",
        "config --add a.b c",
        "config --unset user.name",
        "config -e",
        "config --rename-section a b",
        "symbolic-ref HEAD refs/heads/x",
        "symbolic-ref -d HEAD",
    ],
)
def test_refused(repo: Path, line: str, watched: Any) -> None:
    watched(os.path.realpath(repo))
    done = gitglass.git(line.split(), cwd=repo)
    assert (done.returncode, done.stdout) == (129, b"") and done.stderr.startswith(b"error: gitglass")


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("branch --contains nosuch", 129, b"error: malformed object name nosuch\n"),
        ("branch --merged nosuch", 128, b"fatal: malformed object name nosuch\n"),
        ("tag --points-at nosuch", 129, b"error: malformed object name 'nosuch'\n"),
        ("branch -r x", 128, b"fatal: The -a, and -r, options"),
        ("branch -v --column", 128, b"fatal: options '--column' and '--verbose' cannot"),
        ("branch --show-current -v --column", 128, b"fatal: options '--column' and '--verbose' cannot"),
        ("tag -n --column", 128, b"fatal: options '--column' and '-n'"),
        ("remote get-url nosuch", 2, b"error: No such remote 'nosuch'\n"),
        ("remote foo", 129, b"error: unknown subcommand: `foo'\n"),
        ("show-ref nosuch", 1, b""),
        ("show-ref --verify main", 128, b"fatal: 'main' - not a valid ref\n"),
        ("show-ref --verify", 128, b"fatal: --verify requires a reference\n"),
        ("for-each-ref --shell --perl", 129, b"error: more than one quoting style?\n"),
        ("for-each-ref --count=-1", 129, b"error: invalid --count argument: `-1'\n"),
        ("for-each-ref --shell --format=%(raw)", 128, b"fatal: --format=raw cannot be used with"),
        ("symbolic-ref refs/heads/main", 128, b"fatal: ref refs/heads/main is not a symbolic ref\n"),
        ("symbolic-ref -q refs/heads/main", 1, b""),
        ("config nosection", 1, b"error: key does not contain a section: nosection\n"),
        ("config no.such", 1, b""),
        ("config --type=foo a.b", 128, b"fatal: unrecognized --type argument, foo\n"),
        ("config --bool remote.origin.url", 128, b"fatal: bad boolean config value"),
        ("config --get-regexp (", 6, b"error: invalid key pattern: (\n"),
        ("config user.name --show-origin", 129, b"error: gitglass config <key> <value> would write; refused\n"),
        ("config --get remote.origin.url --show-origin", 1, b""),
    ],
)
def test_complaints(repo: Path, line: str, status: int, words: bytes) -> None:
    done = gitglass.git(line.split(" "), cwd=repo)
    assert done.returncode == status and done.stderr.startswith(words) and bool(done.stderr) == bool(words), done.stderr


def test_the_last_of_all_and_remotes_wins(repo: Path) -> None:
    def lines(*argv: str) -> set[bytes]:
        return set(gitglass.git(["branch", *argv], cwd=repo).stdout.splitlines())

    assert lines("-a", "-r") == lines("-r") and lines("-r", "-a") == lines("-a") != lines("-r")


def test_an_option_that_ends_the_line_means_head(repo: Path) -> None:
    assert (
        gitglass.git(["branch", "--contains"], cwd=repo).stdout
        == gitglass.git(["branch", "--contains", "HEAD"], cwd=repo).stdout
    )
    assert gitglass.git(["branch", "--merged", "--all"], cwd=repo).stderr == b"fatal: malformed object name --all\n"


def test_typed(repo: Path) -> None:
    opened = gitglass.open(repo)
    from gitglass.commands.branch import BranchRequest
    from gitglass.commands.config import ConfigRequest
    from gitglass.commands.remote import RemoteRequest

    assert "refs/heads/main" in [row.name for row in opened.run(BranchRequest()).refs]
    assert opened.run(RemoteRequest()).remotes
    assert opened.run(ConfigRequest(words=["core.bare"], action=["get"])).settings[0].value == "false"


def test_refs_that_are_not_here_are_picked_from_standard_input(repo: Path) -> None:
    opened = gitglass.open(repo)
    data = b"refs/heads/main\nabc refs/heads/nope\nx\trefs/tags/zz^{}\nrefs/heads/bad..name\nrefs/a/b\r\nrefs/last"
    ctx = Context(Limits())
    request = ShowRefRequest(exclude_existing="")
    style = Style(opened.store, ctx, blocks=[data])
    told = b"".join(show_ref.render(show_ref.run(opened.store, request, ctx), request, style))
    assert told == b"abc refs/heads/nope\nx\trefs/tags/zz\nrefs/last\n"
    assert b"".join(ctx.stderr) == b"warning: ref 'refs/heads/bad..name' ignored\nwarning: ref '' ignored\n"


@pytest.mark.parametrize("command", ["branch --contains", "tag --no-merged", "for-each-ref --points-at"])
def test_a_reflog_that_is_too_short_is_git_s_own_complaint(repo: Path, command: str) -> None:
    done = gitglass.git([*command.split(), "HEAD@{99}"], cwd=repo)
    assert (done.returncode, done.stderr) == (128, b"fatal: log for 'HEAD' only has 12 entries\n")


def test_a_format_that_does_not_end(repo: Path) -> None:
    """branch and tag die of it, for-each-ref tells its usage; all name the same field."""
    for command, status, more in (("branch", 128, True), ("tag", 128, True), ("for-each-ref", 129, False)):
        done = gitglass.git([command, "--format=%(refname"], cwd=repo)
        assert done.returncode == status and done.stdout == b""
        assert done.stderr.startswith(b"error: malformed format string %(refname\n")
        assert (b"fatal: unable to parse format string" in done.stderr) is more


def test_an_empty_word_is_no_file_at_the_top(repo: Path) -> None:
    done = gitglass.git(["rev-parse", ""], cwd=repo)
    assert done.returncode == 128 and b"ambiguous argument ''" in done.stderr
    assert gitglass.git(["rev-parse", ""], cwd=repo / "src").returncode == 0


def test_config_takes_the_type_by_its_letter(repo: Path) -> None:
    done = gitglass.git(["config", "-t", "bool", "core.bare"], cwd=repo)
    assert (done.returncode, done.stdout) == (0, b"false\n")
    assert gitglass.git(["config", "-t", "nosuch", "core.bare"], cwd=repo).returncode == 128


def test_a_lookup_in_a_blob_goes_on_with_what_is_before_a_bad_line(tmp_path: Path) -> None:
    made = Repo(tmp_path / "repo")
    blob = made.put("blob", b"[a]\n\tb = c\n[bad\n").hex()
    wrong = f"error: bad config line 3 in blob {blob}\n".encode()
    for words, status, out, more in (
        (["--get", "a.b"], 0, b"c\n", b""),
        (["--default", "x", "--get", "a.c"], 0, b"x\n", b""),
        (["--get", "a.c"], 1, b"", b""),
        (["--list"], 128, b"a.b=c\n", b"fatal: error processing config file(s)\n"),
    ):
        done = gitglass.git(["config", f"--blob={blob}", *words], cwd=made.top)
        assert (done.returncode, done.stdout, done.stderr) == (status, out, wrong + more)


def test_the_file_of_a_linked_work_tree_is_named_in_full(unpack: Any, tmp_path: Path) -> None:
    top = tmp_path / "linked"
    shutil.copytree(unpack("linked").parent, top, symlinks=True)
    own = top / "main" / ".git" / "worktrees" / "wt" / "config.worktree"
    for path, text in ((top / "main" / ".git" / "config", "[extensions]\n\tworktreeConfig\n"), (own, "[a]\n\tb = c\n")):
        with path.open("a") as stream:
            stream.write(text)
    done = gitglass.git(["config", "--show-origin", "a.b"], cwd=top / "wt")
    assert done.stdout == b"file:%b\tc\n" % bytes(own)


def test_a_color_has_no_type_and_a_url_no_fixed_value(repo: Path) -> None:
    for line, words in (
        ("--type=int --get-color core.x red", b"error: --get-color and variable type are incoherent\n"),
        ("--bool --get-colorbool core.x true", b"error: --get-color and variable type are incoherent\n"),
        ("--fixed-value --get-urlmatch http https://x", b"error: --fixed-value only applies with 'value-pattern'\n"),
    ):
        done = gitglass.git(["config", *line.split()], cwd=repo)
        assert done.returncode == 129 and done.stdout == b"" and done.stderr.startswith(words)


def test_the_settings_of_a_url_do_not_say_their_scope(repo: Path) -> None:
    for words, out in (
        (["--get-urlmatch", "http", "https://x"], b"unknown\thttp.proxy p\n"),
        (["--get-urlmatch", "http.proxy", "https://x"], b"unknown\tp\n"),
        (["--get", "http.proxy"], b"command\tp\n"),
    ):
        assert gitglass.git(["-c", "http.proxy=p", "config", "--show-scope", *words], cwd=repo).stdout == out


def test_the_settings_of_a_url_are_converted_one_by_one(repo: Path) -> None:
    words = ["-c", "zz.a=red", "-c", "zz.b=nosuch", "-c", "zz.c=1", "config", "--get-urlmatch"]
    for kind, status, out, err in (
        ("color", 0, b"zz.a \x1b[31m\nzz.b zz.c \x1b[31m\n", b"error: invalid color value: nosuch\n"),
        ("int", 128, b"", b"fatal: bad numeric config value 'red' for 'zz.a': invalid unit\n"),
        ("expiry-date", 0, None, b"error: 'red' for 'zz.a' is not a valid timestamp\n"),
    ):
        done = gitglass.git([*words, f"--type={kind}", "zz", "https://x"], cwd=repo)
        assert done.returncode == status and done.stderr.startswith(err)
        assert done.stdout == out if out is not None else done.stdout.startswith(b"zz.a zz.b zz.c ")
    assert gitglass.git([*words, "--type=color", "zz.b", "https://x"], cwd=repo).stdout == b""


def test_shortlog_names_the_whole_word_it_does_not_know(repo: Path) -> None:
    done = gitglass.git(["shortlog", "--nope=3", "HEAD"], cwd=repo)
    assert done.returncode == 129 and done.stderr.startswith(b"error: unknown option `--nope=3'\n")


@pytest.mark.parametrize(
    "words", [["--glob", "heads/*"], ["--exclude", "x", "--all"], ["--stdin"], ["--single-worktree"]]
)
def test_shortlog_takes_patterns_of_refs_only_attached(repo: Path, words: list[str]) -> None:
    done = gitglass.git(["shortlog", *words], cwd=repo)
    assert done.returncode == 129 and done.stderr.startswith(f"error: unknown option `{words[0]}'\n".encode())
    attached = gitglass.git(
        ["shortlog", "-s", "--exclude=refs/heads/*", "--glob=heads/*", "--ignore-missing"], cwd=repo
    )
    assert (attached.returncode, attached.stdout) == (0, b"")


@pytest.fixture
def unset(unpack: Any, tmp_path: Path) -> Path:
    """A repository whose configuration says nothing of remotes."""
    shutil.copytree(unpack("plain"), tmp_path / "unset", symlinks=True)
    (tmp_path / "unset" / ".git" / "config").write_text("[core]\n")
    return tmp_path / "unset"


def pushed(unset: Path, form: str, *settings: str, refs: str = "refs/heads/main") -> bytes:
    """The push fields of a ref where only these settings say where branches go."""
    front = [word for setting in settings for word in ("-c", setting)]
    done = gitglass.git([*front, "for-each-ref", f"--format={form}", refs], cwd=unset)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip(b"\n")


FETCH = "remote.o.fetch=refs/heads/*:refs/remotes/origin/*"


def test_a_branch_is_pushed_to_the_only_remote_whatever_its_name(unset: Path) -> None:
    now = "push.default=current"
    assert pushed(unset, "%(push)", FETCH, now) == b"refs/remotes/origin/main"
    assert pushed(unset, "%(push)", FETCH, now, "remote.p.url=u") == b""
    assert pushed(unset, "%(push)", FETCH, now, "branch.main.remote=p") == b""
    assert pushed(unset, "%(push)", FETCH, now, "remote.pushDefault=o") == b"refs/remotes/origin/main"
    done = gitglass.git(["-c", FETCH, "-c", now, "rev-parse", "--symbolic-full-name", "main@{push}"], cwd=unset)
    assert done.stdout == b"refs/remotes/origin/main\n"


def test_the_name_at_the_remote_is_what_its_push_refspecs_say(unset: Path) -> None:
    form = "%(push:remoteref)"
    assert pushed(unset, form, "remote.o.push=refs/heads/*:refs/heads/p/*") == b"refs/heads/p/main"
    assert pushed(unset, form, "remote.o.push=refs/heads/main:x", FETCH) == b"x"
    assert pushed(unset, form, "remote.o.push=^refs/heads/main", "remote.o.push=refs/heads/*:refs/heads/*") == b""
    assert pushed(unset, form, "remote.o.push=main:x") == b""
    assert pushed(unset, form, FETCH, "push.default=current") == b""


def test_only_branches_are_pushed(unset: Path) -> None:
    settings = (FETCH, "push.default=current", "remote.o.push=refs/*:refs/x/*")
    for form in ("%(push:remoteref)", "%(push:remotename,track)", "%(push:remoteref,track)", "%(push:remotename)"):
        assert pushed(unset, form, *settings, refs="refs/tags/v1.0") == b"", form
    assert pushed(unset, "%(push:remoteref,track)", *settings) == b"[gone]"


def test_of_two_settings_for_versions_the_older_one_is_ignored_aloud(repo: Path) -> None:
    both = ["-c", "versionsort.suffix=-rc", "-c", "versionsort.prereleaseSuffix=-pre"]
    words = b"warning: ignoring versionsort.prereleasesuffix because versionsort.suffix is set\n"
    for argv in (["tag", "--sort=v:refname"], ["for-each-ref", "--sort=-version:refname", "--sort=objectname"]):
        assert gitglass.git([*both, *argv], cwd=repo).stderr == words
        assert gitglass.git([*both[:2], *argv], cwd=repo).stderr == b""
    for argv in (["tag", "--sort=objectname"], ["tag", "-l", "--sort=v:refname", "v1.0"]):
        assert gitglass.git([*both, *argv], cwd=repo).stderr == b""


def test_help_among_options_is_the_usage(repo: Path) -> None:
    for argv in (["status", "-s", "-h"], ["log", "--oneline", "-h"], ["branch", "-h", "-a"]):
        done = gitglass.git(argv, cwd=repo)
        assert done.returncode == 129 and done.stdout.startswith(b"usage: git " + argv[0].encode()) and not done.stderr


def test_the_current_branch_is_no_list(repo: Path) -> None:
    for word in ("--list", "--contains=v1.0", "--merged"):
        done = gitglass.git(["branch", "--show-current", word], cwd=repo)
        assert (done.returncode, done.stdout) == (129, b"") and done.stderr.startswith(b"usage: git branch ")


@pytest.fixture
def broken(unpack: Any, tmp_path: Path) -> Path:
    """A repository with refs that are none: a bad name, content that is no object name, a way that leads in a circle."""
    cwd = tmp_path / "broken"
    shutil.copytree(unpack("plain"), cwd, symlinks=True)
    heads = cwd / ".git" / "refs" / "heads"
    (heads / "a..b").write_bytes(gitglass.git(["rev-parse", "HEAD"], cwd=cwd).stdout)
    (heads / "no").write_bytes(b"garbage\n")
    (heads / "zeros").write_bytes(b"0" * 40)
    (heads / "tozeros").write_bytes(b"ref: refs/heads/zeros\n")
    (heads / "round").write_bytes(b"ref: refs/heads/about\n")
    (heads / "about").write_bytes(b"ref: refs/heads/round\n")
    return cwd


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("rev-list --all", 128, b"fatal: bad object refs/heads/a..b\n"),
        ("log --branches", 128, b"fatal: bad object a..b\n"),
        ("log --glob=heads/n*", 128, b"fatal: bad object refs/heads/no\n"),
        ("rev-list --count --exclude=refs/heads/* --all", 0, b""),
        ("rev-parse --verify no", 128, b"warning: ignoring broken ref refs/heads/no\nfatal: Needed a single revision\n"),
        ("symbolic-ref refs/heads/round", 128, b"fatal: No such ref: refs/heads/round\n"),
        ("symbolic-ref --no-recurse refs/heads/round", 0, b""),
        ("branch", 0, b"warning: ignoring ref with broken name refs/heads/a..b\nwarning: ignoring broken ref refs/heads/no\n"
         b"warning: ignoring broken ref refs/heads/zeros\n"),
    ],
)  # fmt: skip
def test_refs_that_are_broken(broken: Path, line: str, status: int, words: bytes) -> None:
    done = gitglass.git(line.split(), cwd=broken)
    assert (done.returncode, done.stderr) == (status, words)


def test_rev_parse_shows_zeros_for_broken_refs(broken: Path) -> None:
    names = gitglass.git(["rev-parse", "--symbolic", "--branches"], cwd=broken).stdout.split()
    oids = gitglass.git(["rev-parse", "--branches"], cwd=broken).stdout.split()
    assert b"tozeros" not in names
    assert {name for name, oid in zip(names, oids, strict=True) if oid == b"0" * 40} == {b"a..b", b"no", b"zeros"}


def test_cat_file_knows_no_search_of_messages(repo: Path) -> None:
    """It resolves a name as git does where it dies of it, and takes `:/text` for a path of the index."""
    for what in ("-t", "-p", "-e", "commit"):
        done = gitglass.git(["cat-file", what, ":/Merge"], cwd=repo)
        assert (done.returncode, done.stdout) == (128, b"")
        assert done.stderr == b"fatal: Not a valid object name :/Merge\n"
    assert gitglass.git(["cat-file", "-t", "HEAD^{/Merge}"], cwd=repo).stdout == b"commit\n"
    assert b" commit " in gitglass.git(["cat-file", "--batch-check"], cwd=repo, stdin=b":/Merge\n").stdout


def test_get_colorbool(repo: Path) -> None:
    for line, status, said in (
        ("config --get-colorbool color.x true", 0, b"true\n"),
        ("config --get-colorbool color.x off", 0, b"false\n"),
        ("-c color.x=never config --get-colorbool color.x 1", 0, b"false\n"),
        ("-c color.x=always config --get-colorbool color.x", 0, b""),
        ("-c color.x=auto config --get-colorbool color.x", 1, b""),
    ):
        done = gitglass.git(line.split(), cwd=repo)
        assert (done.returncode, done.stdout) == (status, said), line
    done = gitglass.git(["config", "--get-colorbool", "color.x", "auto"], cwd=repo)
    assert (done.returncode, done.stderr) == (128, b"fatal: bad boolean config value 'auto' for 'command line'\n")


def test_a_dumb_terminal_has_no_colours(repo: Path, capfdbinary: Any, monkeypatch: Any) -> None:
    for term, said in (("dumb", b"false\n"), ("xterm", b"true\n"), ("", b"true\n")):
        monkeypatch.setenv("TERM", term)
        assert main(["--jail", "-C", str(repo), "config", "--get-colorbool", "color.x", "true"]) == 0
        assert capfdbinary.readouterr().out == said, term


def test_stash_list_without_a_stash_looks_at_nothing(repo: Path, tmp_path: Path) -> None:
    shutil.copytree(repo, tmp_path / "r", symlinks=True)
    for name in ("refs/stash", "logs/refs/stash"):
        (tmp_path / "r" / ".git" / name).unlink(missing_ok=True)
    for word in ("--nope", "-n", "-Ux", "nosuch", "--pretty=bad"):
        done = gitglass.git(["stash", "list", word], cwd=tmp_path / "r")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), word


@pytest.mark.parametrize("word", ["HEAD:README.md^!", "HEAD^{tree}^@", "HEAD^{tree}^-"])
def test_parents_of_what_is_no_commit(repo: Path, word: str) -> None:
    """A walk says nothing of the object, only that the word is unknown."""
    done = gitglass.git(["log", word], cwd=repo)
    assert done.returncode == 128 and done.stderr.startswith(b"fatal: ") and b"not a commit" not in done.stderr


@pytest.mark.parametrize("option", ["--author", "--committer"])
def test_a_bad_pattern_for_the_header(repo: Path, option: str) -> None:
    done = gitglass.git(["log", f"{option}=[", "--grep=\\("], cwd=repo)
    assert (done.returncode, done.stderr) == (128, b"fatal: header, '[': Invalid regular expression\n")
    done = gitglass.git(["log", "--grep=["], cwd=repo)
    assert (done.returncode, done.stderr) == (128, b"fatal: command line, '[': Invalid regular expression\n")


def test_a_sparse_directory_that_is_on_disk(unpack: Any, tmp_path: Path) -> None:
    top = tmp_path / "r"
    shutil.copytree(unpack("sparse"), top, symlinks=True)
    assert b"You are in a sparse checkout.\n" in gitglass.git(["status"], cwd=top).stdout
    (top / "docs").mkdir()
    assert b"sparse checkout with 89% of tracked files" in gitglass.git(["status"], cwd=top).stdout


def test_describe_goes_on_where_broken_is_marked(repo: Path) -> None:
    done = gitglass.git(["describe", "--always", "--broken"], cwd=repo / ".git")
    assert done.returncode == 0 and done.stdout.endswith(b"-broken\n")
    assert done.stderr == b"fatal: this operation must be run in a work tree\n"
    done = gitglass.git(["describe", "--always", "--dirty"], cwd=repo / ".git")
    assert (done.returncode, done.stdout) == (128, b"")


def test_describe_refreshes_nothing_where_broken_is_marked(unpack: Any, tmp_path: Path) -> None:
    shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True)
    repo = tmp_path / "plain"
    for option, mark in (("--dirty", b""), ("--broken", b"-dirty"), ("--dirty=+", b"")):
        done = gitglass.git(["describe", "--always", option, "--match=none"], cwd=repo)
        os.utime(repo / "README.md", (1, 1))
        done = gitglass.git(["describe", "--always", option, "--match=none"], cwd=repo)
        assert done.returncode == 0 and done.stdout.strip().endswith(mark) and (b"-" in done.stdout) is bool(mark)


def test_describe_before_the_first_commit(unpack: Any) -> None:
    repo = unpack("unborn")
    words = b"fatal: bad revision 'HEAD'\n"
    assert gitglass.git(["describe", "--dirty", "--always"], cwd=repo).stderr == words
    more = b"fatal: Not a valid object name HEAD\n"
    assert gitglass.git(["describe", "--broken", "--always"], cwd=repo).stderr == words + more
    assert gitglass.git(["describe", "--always"], cwd=repo).stderr == more


@pytest.mark.parametrize(
    ("word", "shown"), [(".", "''"), ("src", "'src'"), ("src/", "'src/'"), ("src/.", "'src/'"), ("src/..", "''")]
)
def test_blame_names_a_directory_as_one(repo: Path, word: str, shown: str) -> None:
    done = gitglass.git(["blame", "--", word], cwd=repo)
    assert (done.returncode, done.stderr.decode()) == (128, f"fatal: no such path {shown} in HEAD\n")


@pytest.mark.parametrize(
    ("head", "main", "log", "branch"),
    [
        ("ref: refs/heads/main", None, "your current branch 'main' does not have any commits yet", ""),
        ("ref: refs/heads/main", "12345678", "your current branch appears to be broken", "Failed to resolve HEAD"),
        ("ref: refs/heads/main", "ref: refs/heads/main", "appears to be broken", "Failed to resolve HEAD"),
        ("ref: refs/heads/main", "ref: refs/heads/x", "your current branch 'x' does not have any commits yet", ""),
        ("ref: refs/heads/a..b", None, "your current branch appears to be broken", "Failed to resolve HEAD"),
        ("ref: refs/heads/x.lock", None, "your current branch appears to be broken", "Failed to resolve HEAD"),
        ("ref: refs/tags/t", None, "branch 'refs/tags/t' does not have any commits yet", "HEAD not found below refs/h"),
    ],
)
def test_a_head_that_leads_nowhere(tmp_path: Path, head: str, main: str | None, log: str, branch: str) -> None:
    """What HEAD names in the end is judged, as git's log and branch do: not there yet, or broken."""
    repo = Repo(tmp_path / "repo")
    (repo.git / "HEAD").write_text(head + "\n")
    if main is not None:
        (repo.git / "refs/heads/main").write_text(main + "\n")
    for words, complaint in ((["log"], log), (["branch"], branch)):
        done = gitglass.git(words, cwd=str(tmp_path / "repo"))
        assert done.returncode == (128 if complaint else 0) and done.stdout == b""
        assert complaint.encode() in done.stderr and bool(complaint) == bool(done.stderr)


def test_a_listing_believes_packed_refs(tmp_path: Path) -> None:
    """Both refs are the same tag; of the packed one the file says that it is none, as dulwich writes it."""
    repo = Repo(tmp_path)
    repo.add("f")
    repo.write_index()
    commit = repo.commit().hex()
    tag = repo.put("tag", f"object {commit}\ntype commit\ntag a\ntagger A <a@x> 1 +0000\n\nm\n".encode()).hex()
    (repo.git / "packed-refs").write_text(f"# pack-refs with: peeled \n{tag} refs/tags/a\n")
    row = f"{tag} refs/tags/a\n".encode()
    assert gitglass.git(["show-ref", "-d", "--tags"], cwd=repo.top).stdout == row
    peeled = row + f"{commit} refs/tags/a^{{}}\n".encode()
    assert gitglass.git(["show-ref", "-d", "--verify", "refs/tags/a"], cwd=repo.top).stdout == peeled
    assert b"However, there were unannotated tags" in gitglass.git(["describe"], cwd=repo.top).stderr
    assert gitglass.git(["describe", "--tags"], cwd=repo.top).stdout == f"a-0-g{commit[:7]}\n".encode()
    (repo.git / "refs/tags").mkdir()
    (repo.git / "refs/tags/a").write_text(tag + "\n")
    assert gitglass.git(["show-ref", "-d", "--tags"], cwd=repo.top).stdout == peeled
    assert gitglass.git(["describe"], cwd=repo.top).stdout == b"a\n"


def test_a_reflog_exists_for_a_name_only(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    done = gitglass.git(["reflog", "exists", "HEAD^{tree}"], cwd=repo.top)
    assert (done.returncode, done.stderr) == (128, b"fatal: invalid ref format: HEAD^{tree}\n")
    assert gitglass.git(["reflog", "exists", "nosuch"], cwd=repo.top).returncode == 1

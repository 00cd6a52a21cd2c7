"""Fetch, push and ls-remote behind ssh: a granted program that has dulwich's services run, in place of ssh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dulwich
import pytest
from tests.support.peers import commit, empty, everything, planned, read, refs, run, said
from tests.support.programs import alive, program

from gitglass.errors import BadRequest, GitError, NotGranted, Timeout, TooLarge, Unsupported
from gitglass.mutate.grant import WriteLimits
from gitglass.mutate.process.argv import ssh_words
from gitglass.mutate.process.granted import Program, Programs
from gitglass.mutate.remote.addresses import parse_address

pytestmark = [pytest.mark.writes, pytest.mark.runs]
SITE = str(Path(dulwich.__file__).parents[1])
SERVES = f"""
import os, shlex, sys
sys.path[:0] = [{SITE!r}]
from dulwich.protocol import ReceivableProtocol
from dulwich.server import FileSystemBackend, ReceivePackHandler, UploadPackHandler
machine, command = sys.argv[-2:]
assert machine == "me@there", machine
name, path = shlex.split(command)
handler = {{"git-upload-pack": UploadPackHandler, "git-receive-pack": ReceivePackHandler}}[name]
handler(FileSystemBackend("/"), [path], ReceivableProtocol(lambda size: os.read(0, size), lambda data: os.write(1, data))).handle()
"""


def granting(tmp_path: Path, script: str = SERVES, **more: Any) -> dict[str, Any]:
    made = program(tmp_path / "bin", f"ssh-{tmp_path.name}", script)
    (tmp_path / "rooms").mkdir(exist_ok=True)
    return {"programs": Programs(ssh=made, rooms=str(tmp_path / "rooms"), **more)}


@pytest.fixture
def up(tmp_path: Path) -> Path:
    return empty(tmp_path / "it's up!.git", bare=True)


@pytest.fixture
def me(tmp_path: Path, up: Path) -> Path:
    made = empty(tmp_path / "me", bare=False, origin=f"me@there:{up}")
    commit(made, "one")
    return made


def test_there_and_back(tmp_path: Path, me: Path, up: Path) -> None:
    granted = granting(tmp_path)
    assert said(me, "push", "-u", "origin", "main", **granted)[0] == 0
    assert refs(up) == {"refs/heads/main": read(me, "rev-parse", "HEAD")}
    listed = said(me, "ls-remote", "--heads", "origin", **granted)[1]
    assert listed == f"{read(me, 'rev-parse', 'HEAD')}\trefs/heads/main\n"
    other = empty(tmp_path / "other", bare=False, origin=f"ssh://me@there{str(up).replace(' ', '%20')}")
    (other / ".git/config").write_text((other / ".git/config").read_text().replace("%20", " "))
    run(other, "pull", "-q", "origin", "main", **granted)
    written = (other / ".git/FETCH_HEAD").read_text()
    assert written.endswith(f"\t\tbranch 'main' of ssh://there{str(up).removesuffix('.git')}\n")
    two = commit(other, "two", name="g")
    assert said(other, "push", "-q", "origin", "main", **granted) == (0, "", "") and refs(up)["refs/heads/main"] == two
    mine = commit(me, "mine")
    status, _, err = said(me, "push", **granted)
    assert status == 1 and "fetch first" in err and refs(up)["refs/heads/main"] == two
    assert said(me, "pull", "--rebase", **granted)[0] == 0 and read(me, "rev-parse", "HEAD") != mine
    assert read(me, "fsck", "--full") == "" and list((tmp_path / "rooms").iterdir()) == []


def test_the_preview_names_the_program(tmp_path: Path, me: Path) -> None:
    _, plan = planned(me, "push", "origin", "main", **granting(tmp_path))
    (use,) = plan.preview.programs
    assert (use.service, use.name) == ("ssh", "me@there") and len(use.sha256) == 64


def test_without_a_grant_nothing_is_run(tmp_path: Path, me: Path) -> None:
    with pytest.raises(Unsupported, match="none is granted"):
        planned(me, "fetch")
    with pytest.raises(NotGranted):
        planned(me, "fetch", **granting(tmp_path), remotes=("me@elsewhere:*",))
    with pytest.raises(NotGranted):
        planned(me, "fetch", **granting(tmp_path), effects=frozenset({"write_refs"}))


TALKS = "import sys, time\nout = sys.stdout.buffer\nline = b'%040x refs/heads/b%d'\n"


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("import sys; sys.stderr.write('Permission denied (publickey).\\n'); sys.exit(255)", GitError),
        ("print('Welcome!')", GitError), ("import time; time.sleep(60)", Timeout),
        (f"{TALKS}\nat = 0\nwhile True:\n at += 1\n one = line % (at, at)\n out.write(b'%04x' % (len(one) + 4) + one)", TooLarge),
        (f"{TALKS}\nout.write(b'003d' + b'1' * 40 + b' refs/heads/../../x\\0\\n0000')", GitError),
    ],
)  # fmt: skip
def test_programs_that_do_not_help(tmp_path: Path, me: Path, script: str, kind: type[GitError]) -> None:
    granted, before = granting(tmp_path, script), everything(me)
    limits = WriteLimits(network_timeout=0.5 if kind is Timeout else 2.0, total_bytes=1 << 20)
    for argv in (["fetch"], ["push", "origin", "main"], ["ls-remote"]):
        with pytest.raises(kind):
            run(me, *argv, **granted, limits=limits)
    assert everything(me) == before and list((tmp_path / "rooms").iterdir()) == []
    assert alive(f"ssh-{tmp_path.name}") == []


@pytest.mark.parametrize("done", [False, True], ids=["lost on the way", "answer lost"])
def test_a_push_whose_answer_is_lost(tmp_path: Path, me: Path, up: Path, done: bool) -> None:
    """The second time that its program is started for the push it ends without a word of its own about what became of
    it: before or after that was done. What is told is what is there."""
    count = tmp_path / "count"
    loses = f"""
import os, subprocess, sys
started = os.path.getsize({str(count)!r}) if os.path.exists({str(count)!r}) else 0
if "receive-pack" in sys.argv[-1] and "again" not in sys.argv:
    open({str(count)!r}, "ab").write(b"x")
    if started == 1:
        inner = subprocess.Popen([sys.executable, "-IS", __file__, "again", *sys.argv[1:]], stdin=0, stdout=subprocess.PIPE)
        data = b""
        while not data.endswith(b"\\n0000"):
            data += inner.stdout.read(1)
        if {not done}:  # before the other side knows what to send
            inner.kill()
            inner.wait()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        inner.stdout.read()
        inner.wait()
        sys.exit(1)
"""
    status, _, err = said(me, "push", "origin", "main", **granting(tmp_path, loses + SERVES))
    assert (status == 0) == done == ("refs/heads/main" in refs(up)), err
    assert ("refs/remotes/origin/main" in refs(me)) == done


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"h:x y", [b"h", b"git-upload-pack 'x y'"]), (b"me@h:/a", [b"me@h", b"git-upload-pack '/a'"]),
        (b"ssh://me@h:22/a'b", [b"-p", b"22", b"me@h", b"git-upload-pack '/a'\\''b'"]),
        (b"ssh://h/~me/a", [b"h", b"git-upload-pack '~me/a'"]), (b"h:a!b", [b"h", b"git-upload-pack 'a'\\!'b'"]),
    ],
)  # fmt: skip
def test_what_the_program_is_told(raw: bytes, words: list[bytes]) -> None:
    address = parse_address(raw, b"/", ssh=True)
    told = ssh_words(
        Program(("/bin/ssh", "-x")), "/bin/ssh", address.machine, address.port, b"upload-pack", address.path
    )
    assert told == [b"/bin/ssh", b"-x", *words]


@pytest.mark.parametrize(
    "raw", [b"-oProxyCommand=id:x", b"ssh://-oProxyCommand=id/x", b"h:-x", b"ssh://h:x/y", b"h:", b"a b:x"]
)
def test_what_ssh_could_take_for_an_option_is_none(raw: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_address(raw, b"/", ssh=True)

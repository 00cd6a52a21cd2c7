"""The page: nothing runs, nothing is loaded, nothing of an agent's text is markup; quick and small for much."""

import time
from html.parser import HTMLParser

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.workspace.push import plan_push
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.page import page
from gitglass.workspace.workspace import Workspace

from ..conftest import PEOPLE
from ..test_push import MemoryTarget
from .test_partial import staged


class Tags(HTMLParser):
    """The tags of a page, and whether each that opens is closed."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.open: list[str] = []
        self.links: list[str] = []
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.links += [name for name, _ in attrs if name in ("src", "href") or name.startswith("on")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def made(base: MemoryRepo, workspace: Workspace) -> tuple[Review, bytes]:
    plan = plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), "main")
    review = Review.of(workspace, plan)
    return review, page(workspace, review)


def test_it_is_whole_and_holds_nothing_that_runs(base: MemoryRepo) -> None:
    _, data = made(base, staged(base))
    tags = Tags(data)
    assert tags.open == [] and tags.links == [] and not tags.names & {"script", "img", "link", "iframe", "a", "form"}
    assert data.count(b"<details") == 5 and b'<span class="badge warn">protected</span>' in data
    assert b"prefers-color-scheme:dark" in data and b"default-src 'none'" in data
    assert b'<tr class="d"><td class="n">3</td><td class="n"></td><td>-line 2</td></tr><tr class="a">' in data


def test_what_an_agent_writes_is_no_markup(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", identity=PEOPLE)
    evil = "</td><script>alert(1)</script>\u202e\x1b[2J"
    workspace.write(f"x{evil.replace('/', '')}.txt", evil.encode())
    word = workspace.stage([f"x{evil.replace('/', '')}.txt"], evil)
    review, data = made(base, workspace)
    review.reject("<img src=x onerror=1>", "<b>")
    assert b"<script" not in data and b"\x1b" not in data and "\u202e".encode() not in data
    data = page(workspace, review)
    assert b"<img" not in data and Tags(data).open == [] and word.commit.encode() in data


def test_what_tools_write_is_folded(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", identity=PEOPLE)
    workspace.write("package-lock.json", b"{}\n")
    workspace.write("a.txt", b"a\n")
    workspace.stage(["package-lock.json", "a.txt"], "Lock")
    data = made(base, workspace)[1]
    assert b"<details open><summary><b>a.txt</b>" in data and b"<details><summary><b>package-lock.json</b>" in data


@pytest.mark.clock
def test_five_thousand_lines(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", identity=PEOPLE)
    names = []
    for number in range(50):
        names.append(f"src/module{number}.py")
        workspace.write(
            names[-1],
            b"".join(
                b"    value_%d = compute(%d, 'some text of a usual length')\n" % (line, number) for line in range(100)
            ),
        )
    workspace.stage(names, "Much")
    began = time.perf_counter()
    data = made(base, workspace)[1]
    assert time.perf_counter() - began < 2 and len(data) < 5 << 20
    assert data.count(b'<tr class="a">') == 5000

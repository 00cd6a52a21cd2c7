"""The page: nothing runs, nothing is loaded, nothing of an agent's text is markup; quick and small for much."""

import os
import re
import time
from html.parser import HTMLParser

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.workspace.push import plan_push
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.page import page
from gitglass.workspace.workspace import Workspace

from ...support.browser import browser, corner, screenshot, size_of
from ...support.pace import is_too_long
from ...support.reviewed import decided
from ...support.reviewed import staged as staged_for_show
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
        self.targets: list[str] = []
        self.ids: list[str] = []
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.links += [name for name, _ in attrs if name in ("src", "srcset", "action") or name.startswith("on")]
        self.targets += [value or "" for name, value in attrs if name == "href"]
        self.ids += [value or "" for name, value in attrs if name == "id"]
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
    assert tags.open == [] and tags.links == [] and not tags.names & {"script", "img", "link", "iframe", "form", "base"}
    assert data.count(b"<details") == 5 and b'<li class="chip warn">protected branch</li>' in data
    assert b"prefers-color-scheme:dark" in data and b"default-src 'none'" in data
    line = b'<td class="n">3</td><td class="n"></td><td class="s">-</td><td class="w">line 2</td></tr>'
    assert b'<tr class="d">' + line in data


def test_a_new_branch_is_said(base: MemoryRepo) -> None:
    workspace = staged(base)
    for branch, is_said in (("topic", True), ("main", False)):
        plan = plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), branch)
        data = page(workspace, Review.of(workspace, plan)).decode()
        assert ('<li class="chip">new branch</li>' in data) is is_said and f"branch <code>{branch}</code>" in data


def test_every_link_leads_to_a_place_of_the_page() -> None:
    for made_of in (decided(), (lambda one: (one[0], Review.of(*one)))(staged_for_show())):
        tags = Tags(page(*made_of))
        assert len(tags.ids) == len(set(tags.ids)) and len(tags.targets) >= 8
        assert {target.removeprefix("#") for target in tags.targets} <= set(tags.ids)
        assert all(target.startswith("#") for target in tags.targets)


def test_what_was_decided_and_said_comes_first() -> None:
    data = page(*decided()).decode()
    head = data.partition("<nav")[0]
    assert "Approved in part</strong> by olive, 2023-11-14 22:23 +0000" in head and "2 changes sent back:" in head
    for words in ("Say so, do not return zero", "Line ends are not yours to change."):
        assert words in head and data.count(words) == 2  # and once where it belongs
    assert '<span class="state part">accepted in part</span>' in data and '<q class="words">Good.</q>' in data
    assert data.count('<span class="state accept">accepted</span>') == 4
    workspace, plan = staged_for_show()
    review = Review.of(workspace, plan)
    assert '<div class="verdict' not in page(workspace, review).decode()
    review.reject("too much", "olive")
    assert "<strong>Rejected</strong> by olive: <q>too much</q>" in page(workspace, review).decode()


def test_a_file_that_is_sent_back_is_listed_once() -> None:
    workspace, plan = staged_for_show()
    review = Review.of(workspace, plan)
    module = next(file for file in review.files if file.path == "figures/total.py")
    review.decide(module.id, "reject", "Not like this.")
    head = page(workspace, review).decode().partition("<nav")[0]
    assert "1 change sent back:" in head and head.count("Not like this.") == 1
    review.comments[module.hunks[1].id] = "And not this."
    head = page(workspace, review).decode().partition("<nav")[0]
    assert f"{len(module.hunks)} changes sent back:" in head and "And not this." in head


def test_what_is_said_of_a_line_is_no_part_of_it(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", identity=PEOPLE)
    workspace.write("README.md", b"# Title" + b"x" * 5_000)
    workspace.stage(["README.md"], "Long")
    data = made(base, workspace)[1].decode()
    assert "<i>… (5007 characters; what differs goes on to number 5007) (no newline at the end)</i></td>" in data


def test_what_a_reader_needs_of_a_commit_and_of_a_line() -> None:
    data = page(*decided()).decode()
    assert "Ann Author &lt;ann@example.com&gt;, 2023-11-14 23:13 +0100; committed by Report Agent" in data
    assert "def total(path: Path) -&gt; <mark>float</mark>:" in data and "<mark>Decimal</mark>:" in data
    assert "Only the mode changes" in data and "mode 100644 → 100755" in data and "binary file, 4009 bytes" in data
    assert '<span class="plus">+34</span> <span class="minus">−24</span>' in data


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
    assert folded(data) == {"a.txt": False, "package-lock.json": True}


def test_what_is_long_is_folded(base: MemoryRepo) -> None:
    workspace = Workspace.over(gitglass.open(base), "main", identity=PEOPLE)
    for name, count in (("short.txt", 400), ("long.txt", 401)):
        workspace.write(name, b"line\n" * count)
    workspace.stage(["short.txt", "long.txt"], "Long")
    assert folded(made(base, workspace)[1]) == {"long.txt": True, "short.txt": False}


def folded(data: bytes) -> dict[str, bool]:
    """Whether each file is folded, by its name."""
    rows = re.findall(r'<details id="[^"]*"( open)?><summary><h3>([^<]*)</h3>', data.decode())
    return {name: not is_open for is_open, name in rows}


@pytest.mark.clock
def test_five_thousand_lines(base: MemoryRepo) -> None:
    workspace = much(base)
    began = time.process_time()
    data = made(base, workspace)[1]
    assert not is_too_long(time.process_time() - began, 2.0) and len(data) < 5 << 20
    assert data.count(b'<tr class="a">') == 5000


def much(base: MemoryRepo) -> Workspace:
    """Five thousand new lines in fifty files."""
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
    return workspace


needs_browser = pytest.mark.skipif(browser() is None, reason="no chromium")


@pytest.mark.live
@needs_browser
@pytest.mark.parametrize(("dark", "ground"), [(False, (255, 255, 255)), (True, (13, 17, 23))])
def test_in_a_browser(dark: bool, ground: tuple[int, int, int]) -> None:
    """By the reader's setting it is light or dark, and there is something on it."""
    png = screenshot(page(*decided()), width=1200, height=860, dark=dark)
    assert size_of(png) == (1200, 860) and corner(png) == ground and len(png) > 40_000


@pytest.mark.live
@pytest.mark.clock
@needs_browser
def test_five_thousand_lines_in_a_browser(base: MemoryRepo) -> None:
    """Beyond what the browser needs to start, they are on the screen within two seconds."""
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("the machine is busy with something else")
    data = made(base, much(base))[1]
    spent: dict[bytes, list[float]] = {b"<!doctype html><p>nothing": [], data: []}
    for one in [*spent] * 3:
        began = time.perf_counter()
        screenshot(one, width=1200, height=860)
        spent[one].append(time.perf_counter() - began)
    nothing, much_of_it = spent.values()
    assert min(much_of_it) - min(nothing) < 2, spent.values()

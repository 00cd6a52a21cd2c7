"""The review's page in a real browser: what it asks for, how it is laid out, what a reader without eyes or without a mouse
has of it, and how soon it is there."""

from collections.abc import Iterator
from typing import Any

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.workspace.push import plan_push
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.page import page
from gitglass.workspace.workspace import Workspace

from ..support.browser import browser
from ..support.devtools import Tab, tab
from ..support.reviewed import PEOPLE, Elsewhere, decided
from ..support.workspaces import add_commit

pytestmark = [
    pytest.mark.live, pytest.mark.writes, pytest.mark.runs, pytest.mark.skipif(browser() is None, reason="no chromium"),
]  # fmt: skip
LONG = f"packages/{'a-long-name-of-a-package/' * 8}Thing.java"


@pytest.fixture(scope="module")
def opened() -> Iterator[Tab]:
    with tab() as made:
        yield made


def awkward() -> bytes:
    """Long names and lines, letters of several scripts, many files."""
    repo: Any = MemoryRepo()
    add_commit(repo, {b"long.txt": b"x" * 900 + b"\n"}, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", identity=PEOPLE)
    files = {
        LONG: b"class Thing {}\n",
        "long.txt": b"x" * 450 + b"y" * 450 + b"\n",
        "日本語/名前.txt": "行\n".encode() * 3,
    }
    files |= {f"many/{number}.txt": b"one\n" for number in range(200)}
    for name, data in files.items():
        workspace.write(name, data)
    word = workspace.stage([*files], "A subject " + "that goes on " * 20).id
    plan = plan_push(workspace, word, Elsewhere(repo), "a-branch/" + "of-a-long-name-" * 6)  # type: ignore[arg-type]
    return page(workspace, Review.of(workspace, plan))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_it_fits_and_asks_for_nothing(opened: Tab, dark: bool, width: int) -> None:
    for data in (page(*decided()), awkward()):
        opened.show(data, width=width, dark=dark)
        assert len(opened.requests) == 1 and opened.requests[0].startswith("file:///")
        assert opened.value("document.documentElement.scrollWidth") == width
        ground = opened.value("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
        assert opened.value("document.scripts.length + document.images.length + document.styleSheets.length") == 1


def test_what_a_reader_is_told(opened: Tab) -> None:
    opened.show(page(*decided()))
    announced = opened.announced()
    roles = [role for role, _ in announced]
    assert roles.count("main") == roles.count("navigation") == roles.count("banner") == roles.count("contentinfo") == 1
    levels = opened.value("[...document.querySelectorAll('h1,h2,h3')].map(one => one.tagName + ' ' + one.textContent)")
    assert levels[:3] == ["H1 Add quarterly report → main", "H2 Files", "H3 Count in cents"]
    assert levels[4:7] == ["H2 Count in cents", "H3 docs/old-format.md", "H3 figures/total.py"] and len(levels) == 14
    assert ("table", "figures/total.py") in announced and "LayoutTable" not in roles
    names = [name for role, name in announced if role == "DisclosureTriangle"]
    assert names[0] == "docs/old-format.md −3 deleted" and names[1].endswith("accepted in part") and len(names) == 8
    assert ("image", "accepted in part") in announced and ("image", "rejected") in announced
    headings = [name for role, name in announced if role == "heading"]
    assert headings.count("reports/q4.md") == 1, "what is not in the window yet is told as well"
    cells = [name for role, name in announced if role == "cell"]
    assert "removed -" in cells and "added +" in cells


def test_by_keys_alone(opened: Tab) -> None:
    opened.show(page(*decided()))
    focused = "document.activeElement.textContent"
    opened.press("Tab")
    assert opened.value(focused) == "Skip to the changes"
    assert opened.value("document.activeElement.getBoundingClientRect().left") >= 0  # it is seen when it is there
    opened.press("Enter")
    opened.press("Tab")
    assert opened.value("document.activeElement.tagName") == "SUMMARY"
    assert opened.value(focused).startswith("docs/old-format.md") and opened.value(
        "document.activeElement.parentElement.open"
    )
    opened.press("Enter")
    assert not opened.value("document.activeElement.parentElement.open")
    seen = opened.value(
        "[...document.querySelectorAll('a, summary')].every(one => (one.focus(), document.activeElement === one))"
    )
    assert seen, "each link and each file can be reached"


def test_what_is_pressed_with_a_finger_is_large_enough(opened: Tab) -> None:
    """WCAG 2.2, 2.5.8: 24 by 24 pixels."""
    opened.show(page(*decided()), width=390)
    low = "Math.min(...[...document.querySelectorAll('nav a, summary')].map(one => one.getBoundingClientRect().height))"
    assert opened.value(low) >= 24


@pytest.mark.parametrize("width", [390, 1200])
def test_a_long_name_stands_behind_its_mark(opened: Tab, width: int) -> None:
    opened.show(awkward(), width=width)
    script = """(() => { const one = [...document.querySelectorAll('summary')].find(one => one.textContent.startsWith('packages'));
    const name = one.querySelector('h3').getBoundingClientRect(), all = one.getBoundingClientRect();
    return [name.top - all.top, name.left - all.left, all.right - name.right]; })()"""
    above, before, behind = opened.value(script)
    assert above < 16 and before > 20 and behind > 0


@pytest.mark.clock
def test_five_thousand_lines_are_there_within_two_seconds(opened: Tab) -> None:
    repo: Any = MemoryRepo()
    add_commit(repo, {b"a": b"a\n"}, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", identity=PEOPLE)
    names = [f"src/module{number}.py" for number in range(50)]
    for name in names:
        workspace.write(
            name, b"".join(b"    value_%d = compute(%d, 'of a usual length')\n" % (n, n) for n in range(100))
        )
    plan = plan_push(workspace, workspace.stage(names, "Much").id, Elsewhere(repo), "main")  # type: ignore[arg-type]
    data = page(workspace, Review.of(workspace, plan))
    took = min(opened.show(data) for _ in range(3))
    assert opened.value("document.querySelectorAll('tr.a').length") == 5_000 and len(data) < 5 << 20
    assert took < 2_000, took

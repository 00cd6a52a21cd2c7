"""The app by its keys alone: what it decides is what the terminal box decides, and leaving approves nothing."""

import asyncio
import io
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual")

from textual.widgets import Static, Tree

import gitglass
from gitglass.workspace.push import plan_push
from gitglass.workspace.review import script
from gitglass.workspace.review.app.review_app import ReviewApp, decide_in_app
from gitglass.workspace.review.app.side_by_side import SideBySide
from gitglass.workspace.review.deciding import questions_of
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.terminal import TerminalReview
from gitglass.workspace.workspace import Workspace

from ....support.reviewed import Elsewhere, staged
from ....support.terminal import session
from ...conftest import PEOPLE
from ..test_script import kept as kept  # the fixture


def pressed(*keys: str, size: tuple[int, int] = (130, 40), look: Any = None, of: Any = None) -> Review:
    """The review after these keys; `look` sees the app before it ends."""
    workspace, plan = of or staged()
    app = ReviewApp(workspace, Review.of(workspace, plan))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            if look is not None:
                look(app)

    asyncio.run(run())
    return app.review


def typed(words: str) -> list[str]:
    return ["space" if letter == " " else letter for letter in words]


@pytest.mark.parametrize("seed", range(2))
def test_the_same_answers_as_on_the_terminal(seed: int) -> None:
    dice = random.Random(seed)
    workspace, plan = staged()
    lines, keys = ["h"], []
    for at in range(len(questions_of(Review.of(workspace, plan)))):
        if dice.random() < 0.3:
            lines += ["c", f"no {at}"]
            keys += ["c", *typed(f"no {at}"), "enter"]
        answer = dice.choice("yn")
        lines.append(answer)
        keys.append(answer)
    answers = iter([*lines, "u", "a"])
    expected = TerminalReview(workspace, Review.of(workspace, plan), lambda _: next(answers), lambda _: None).run()
    assert pressed(*keys, "u", "a").data() == expected.data()


def test_files_as_on_the_terminal() -> None:
    workspace, plan = staged()
    answers = iter(["f", *"nynynyny", "r", "too much"])
    expected = TerminalReview(workspace, Review.of(workspace, plan), lambda _: next(answers), lambda _: None).run()
    assert pressed(*"NYNYNYNY", "r", *typed("too much"), "enter").data() == expected.data()


def test_leaving_approves_nothing() -> None:
    review = pressed("y", "q")
    assert review.verdict == "reject" and review.comment == "left before anybody had decided"
    assert pressed("r", "escape", look=lambda app: app.exit()).verdict == ""


def test_a_message_and_steps_back() -> None:
    review = pressed("e", "X", "ctrl+s", "n", "n", "u", "u", "u", "a")
    assert review.message == "XAdd quarterly report" and not review.is_partial
    assert pressed("e", "ctrl+s", "a").message is None  # the message as it was is no other message


def test_the_tree_leads_to_a_file() -> None:
    def look(app: ReviewApp) -> None:
        assert app.question.file.path == "README.md" and isinstance(app.focused, Tree)

    pressed("shift+tab", *["down"] * 7, "enter", look=look)


def test_what_is_on_the_screen() -> None:
    texts: list[str] = []

    def look(app: ReviewApp) -> None:
        texts.append("".join(f"{app.query_one(id, Static).render()}\n" for id in ("#head", "#file", "#state")))
        view = app.query_one(SideBySide)
        texts.extend(view.render_line(y).text for y in range(view.size.height))

    pressed("j", "n", look=look)
    head, *lines = texts
    assert "Add quarterly report → main" in head and "protected" in head and "3/13   0 accepted, 1 rejected" in head
    assert "figures/total.py" in head and "accepted in part" in head
    assert any("▶" in line and "98fd71ba85aa" in line for line in lines)
    assert any("rejected" in line for line in lines) and any("+ ZERO = Decimal" in line for line in lines)


def test_names_and_words_are_no_markup() -> None:
    from dulwich.repo import MemoryRepo

    from ....support.workspaces import add_commit

    repo: Any = MemoryRepo()
    add_commit(repo, {b"a": b"a\n"}, message=b"Base\n")
    workspace = Workspace.over(gitglass.open(repo), "main", identity=PEOPLE)
    name = "[red]x[@click=app.exit]\x1b[2J.txt"
    workspace.write(name, b"[bold]text[/bold] \x1b]0;x\x07\n")
    word = workspace.stage([name], "[blink]subject").id
    plan = plan_push(workspace, word, Elsewhere(repo), "main")  # type: ignore[arg-type]

    def look(app: ReviewApp) -> None:
        assert "[blink]subject" in str(app.query_one("#head", Static).render())
        assert "[red]x[@click=app.exit]\\x1b[2J.txt" in str(app.query_one("#file", Static).render())
        assert "[bold]text[/bold] \\x1b]0;x\\x07" in app.query_one(SideBySide).render_line(0).text

    pressed(look=look, of=(workspace, plan))


@pytest.mark.parametrize("size", [(20, 6), (60, 20), (300, 80)])
def test_any_window(size: tuple[int, int]) -> None:
    assert pressed("y", "space", "b", "k", "n", "question_mark", "escape", "a", size=size).is_partial


@pytest.mark.writes
def test_the_script(kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["-C", str(kept / "bare.git"), "--app", "--by", "ann", str(kept / "agent.bundle")]

    def missing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'textual'", name="textual")

    with monkeypatch.context() as patch:
        patch.setattr(script, "import_module", missing)
        assert script.main(argv, io.StringIO(), io.StringIO()) == 1
    assert "pip install 'gitglass[review]'" in capsys.readouterr().err

    def run(app: ReviewApp) -> None:
        app.review.decide(questions_of(app.review)[0].id, "reject", "no")
        app.review.approve()

    monkeypatch.setattr(ReviewApp, "run", run)
    out = io.StringIO()
    assert script.main(argv, io.StringIO(), out) == 0 and "a part was rejected" in out.getvalue()
    assert b"thirty" in gitglass.open(kept / "bare.git").git(["show", "main:src/a.py"]).stdout


@pytest.mark.writes
def test_on_a_terminal(kept: Path) -> None:
    """As a person has it: a change is rejected, the other one accepted, the rest approved."""
    argv = [sys.executable, "-m", "gitglass.workspace.review", "--app", "-C", "bare.git", "agent.bundle"]
    environment = {**os.environ, "TERM": "xterm-256color"}
    status, text = session(argv, ["nya"], prompts=["Approve"], is_screen=True, cwd=kept, env=environment)
    assert status == 0 and "a part was rejected" in text
    content = gitglass.open(kept / "bare.git").git(["show", "main:src/a.py"]).stdout
    assert b"thirty" in content and b"two" not in content


def test_an_app_that_dies_approves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, plan = staged()
    monkeypatch.setattr(ReviewApp, "run", lambda _: None)
    assert decide_in_app(workspace, Review.of(workspace, plan)).verdict == "reject"


@pytest.mark.parametrize("dark", [True, False])
def test_what_was_decided_can_be_read_on_either_ground(dark: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words that are not the theme's own have a contrast of at least 4.5 to what they stand on (WCAG 1.4.3)."""
    from ..test_style import contrast

    workspace, plan = staged()
    seen: list[ReviewApp] = []
    monkeypatch.setattr(ReviewApp, "run", lambda app: seen.append(app))
    decide_in_app(workspace, Review.of(workspace, plan), dark=dark)
    (app,) = seen

    async def run() -> None:
        async with app.run_test(size=(130, 40)) as pilot:
            await pilot.press("j", "n", "y")
            await pilot.pause()
            read = {}
            for id in ("#head", "#file"):
                for segment in app.query_one(id, Static).render_line(0):
                    if segment.style is not None and segment.style.color and segment.style.bgcolor:
                        colours = (segment.style.color, segment.style.bgcolor)
                        read[segment.text.strip()] = [one.get_truecolor().hex for one in colours]
            assert contrast(*read["protected"]) >= 4.5 and contrast(*read["accepted in part"]) >= 4.5, read

    asyncio.run(run())


def test_a_narrow_window_shows_what_was_decided() -> None:
    texts: list[str] = []
    pressed("y", "n", size=(78, 30), look=lambda app: texts.append(str(app.query_one("#file", Static).render())))
    assert texts[0].startswith("  figures/total.py  accepted in part  +8")

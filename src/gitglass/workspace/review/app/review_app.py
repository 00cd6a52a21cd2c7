"""The app: a tree of files, the lines of one file side by side, and one key for each decision.

It works on the same review as the terminal box, through the same steps: the same answers lead to the same decisions.
Leaving it approves nothing.
"""

from __future__ import annotations

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Static, Tree
from textual.widgets.tree import TreeNode

from ...workspace import Workspace
from ..box import shown
from ..deciding import Deciding, Question, questions_of
from ..model import Decision, Review, ReviewFile
from ..overview import WORDS, Shown, State, shown_file, state_of, tree_of
from ..style import COLOURS
from .dialogs import Ask, Help, Message
from .side_by_side import SideBySide

_MOST_ROWS = 40_000
_SIGNS = {"accept": "✓ ", "reject": "✗ ", "part": "◐ ", "": "· "}
_LEFT = "left before anybody had decided"


class ReviewApp(App[Review]):
    """The app in which one review is decided. `run()` returns the review, with a verdict."""

    CSS = """
    #head { height: auto; padding: 0 1; background: $panel; }
    #files { width: 34; max-width: 35%; border-right: solid $panel; padding: 0; }
    #file { height: 1; padding: 0 1; background: $surface; }
    #lines { height: 1fr; }
    #state { height: 1; padding: 0 1; background: $panel; }
    Ask, Message, Help { align: center middle; }
    .window { width: 76; max-width: 95%; height: auto; max-height: 90%; border: round $primary; padding: 1 2;
              background: $surface; }
    .window TextArea { height: 12; }
    """
    BINDINGS = [
        Binding("y", "decide('accept')", "Accept"), Binding("n", "decide('reject')", "Reject"),
        Binding("c", "comment", "Comment"), Binding("u", "undo", "Undo"), Binding("e", "message", "Message"),
        Binding("a", "approve", "Approve"), Binding("r", "reject", "Reject all"),
        Binding("question_mark", "help", "Help"), Binding("q", "leave", "Leave"),
        Binding("j,down", "go(1)", "Next", show=False), Binding("k,up", "go(-1)", "Before", show=False),
        Binding("Y,shift+y", "decide_file('accept')", "Accept the file", show=False),
        Binding("N,shift+n", "decide_file('reject')", "Reject the file", show=False),
        Binding("space,pagedown", "page(1)", "Down", show=False), Binding("b,pageup", "page(-1)", "Up", show=False),
    ]  # fmt: skip
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, workspace: Workspace, review: Review, *, dark: bool = True) -> None:
        super().__init__()
        self.review, self._workspace, self._dark = review, workspace, dark
        self._deciding = Deciding(review)
        self._questions = questions_of(review)
        self._at = 0
        self._leaves: dict[str, TreeNode[ReviewFile]] = {}
        self._shown_file: Shown | None = None

    def compose(self) -> ComposeResult:
        """See `App.compose`."""
        plan = self.review.plan
        head = Text.assemble((shown(plan.commits[-1].subject), "bold"), f" → {shown(plan.branch)}  ")
        head.append(f"{shown(plan.address)}{', new branch' if plan.is_new else ''}", "dim")
        head.append("  protected" if plan.protected else "", f"bold {self._colour('part')}")
        yield Static(head, id="head")
        with Horizontal():
            yield self._tree()
            with Vertical():
                yield Static(id="file")
                yield SideBySide(id="lines")
        yield Static(id="state")
        yield Footer()

    def on_mount(self) -> None:
        """Begin with the first question."""
        self.theme = "textual-dark" if self._dark else "textual-light"
        self.query_one(SideBySide).focus()
        self._show(0)

    def _tree(self) -> Tree[ReviewFile]:
        tree: Tree[ReviewFile] = Tree("Files", id="files")
        tree.show_root, tree.guide_depth = False, 2
        for one in self.review.plan.commits:
            top = tree.root
            if len(self.review.plan.commits) > 1:
                top = tree.root.add(Text(shown(one.subject), "bold"), expand=True)
            above = [top]
            for branch in tree_of(file for file in self.review.files if file.commit == one.commit):
                del above[branch.depth + 1 :]
                if branch.file is None:
                    above.append(above[-1].add(Text(branch.name), expand=True))
                else:
                    leaf = above[-1].add_leaf(Text(branch.name), branch.file)
                    self._leaves[branch.file.commit + branch.file.id] = leaf
        return tree

    # --- showing ----------------------------------------------------------------------------------------------------

    @property
    def question(self) -> Question:
        """The current question."""
        return self._questions[self._at]

    def _show(self, at: int) -> None:
        """Go to a question, and show its file."""
        self._at = min(max(at, 0), len(self._questions) - 1)
        file, view = self.question.file, self.query_one(SideBySide)
        if self._shown_file is None or self._shown_file.file is not file:
            with self._workspace.working() as ctx:
                self._shown_file = shown_file(self._workspace, file, ctx, room=_MOST_ROWS)
            view.show_rows(list(self._shown_file.rows), self._shown_file.nothing)
        leaf = self._leaves[file.commit + file.id]
        self.query_one("#files", Tree).move_cursor(leaf)
        self._renew()
        view.to_hunk(self.question.id)

    def _colour(self, state: State) -> str:
        """The colour of a decision, as on the page, dark or light."""
        name = {"accept": "addword", "reject": "goneword", "part": "warn"}.get(state, "soft")
        return COLOURS[name][1 if self._dark else 0]

    def _renew(self) -> None:
        """Show the decisions."""
        decisions, comments = self.review.decisions, self.review.comments
        for file in self.review.files:
            state = state_of(self.review, file)
            style = self._colour(state) if state else "dim"
            name = shown(file.path.rpartition("/")[2])
            self._leaves[file.commit + file.id].set_label(Text.assemble((_SIGNS[state], style), name))
        file, current = self.question.file, self._shown_file
        assert current is not None
        notes = " · ".join(word for word in (current.counts, *current.notes) if word)
        words = Text("▶ " if self.question.hunk is None else "  ")
        words.append(shown(file.path), "bold")
        state = state_of(self.review, file)
        words.append(f"  {WORDS[state]}" if state else "", self._colour(state) if state else "")
        words.append(f" “{shown(comments[file.id])}”" if file.id in comments else "")
        words.append(f"  {notes}", "dim")  # last, since a narrow window has no room for it
        self.query_one("#file", Static).update(words)
        states = {id: (decisions.get(id, ""), shown(comments.get(id, ""))) for id in (hunk.id for hunk in file.hunks)}
        self.query_one(SideBySide).show_states(self.question.id, states)
        line = f"{self._at + 1}/{len(self._questions)}   {self._deciding.summary}"
        self.query_one("#state", Static).update(Text(line + ("   message changed" if self.review.message else "")))

    # --- keys -------------------------------------------------------------------------------------------------------

    def action_go(self, by: int) -> None:
        """Go to the next question, or to the one before."""
        self._show(self._at + by)

    def action_page(self, by: int) -> None:
        """Scroll by a window."""
        view = self.query_one(SideBySide)
        view.scroll_relative(y=by * max(view.size.height - 2, 1), animate=False)

    def on_tree_node_selected(self, event: Tree.NodeSelected[ReviewFile]) -> None:
        """Enter in the tree: go to that file."""
        file = event.node.data
        if file is not None:
            self._show(next(at for at, one in enumerate(self._questions) if one.file is file))

    def action_decide(self, decision: Decision) -> None:
        """Accept or reject the current question; then go to the next one."""
        self._deciding.decide(self.question.id, decision)
        self._show(self._at + 1)

    def action_decide_file(self, decision: Decision) -> None:
        """Accept or reject the whole file; then go to the next file."""
        file = self.question.file
        self._deciding.decide(file.id, decision)
        after = [at for at, one in enumerate(self._questions) if at > self._at and one.file is not file]
        self._show(after[0] if after else self._at)

    def action_undo(self) -> None:
        """Take the last decision back."""
        if not self._deciding.undo():
            self.bell()
        self._renew()

    def action_comment(self) -> None:
        """Ask for a comment for the agent on the current question."""
        id = self.question.id

        def heard(words: str | None) -> None:
            if words is not None:
                self._deciding.comment(id, words)
                self._renew()

        self.push_screen(Ask("What is there to say about this change?", self.review.comments.get(id, "")), heard)

    def action_message(self) -> None:
        """Ask for another message."""

        def heard(words: str | None) -> None:
            last = self.review.plan.commits[-1].message.rstrip("\n")
            if words is not None:
                self.review.message = words if words != last else None
                self._renew()

        self.push_screen(Message(self.review.message or self.review.plan.commits[-1].message.rstrip("\n")), heard)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help())

    def action_approve(self) -> None:
        """Accept all that is not rejected, and end."""
        self.review.approve()
        self.exit(self.review)

    def action_reject(self) -> None:
        """Reject the whole, with a comment, and end."""

        def heard(words: str | None) -> None:
            if words is not None:
                self.review.reject(words)
                self.exit(self.review)

        self.push_screen(Ask("Why is all of it rejected?"), heard)

    def action_leave(self) -> None:
        """Leave; nothing is approved."""
        self.review.reject(_LEFT)
        self.exit(self.review)


def decide_in_app(workspace: Workspace, review: Review, *, dark: bool = True) -> Review:
    """Have a person decide in the app; if it ends without a verdict, nothing is approved."""
    ReviewApp(workspace, review, dark=dark).run()
    if not review.verdict:
        review.reject(_LEFT)
    return review

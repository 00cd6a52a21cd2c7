"""The app's dialogs: for a line of text, for a message; and its help."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

HELP = """\
↓ j   next change          ↑ k   the one before
y     accept the change    n     reject it
c     say something to it  Y N   accept, reject the whole file
u     take a step back     e     another message
tab   tree and lines       space page down, b page up

a     approve what is not rejected, and push it
r     reject all of it, with words
q     leave: nothing is approved
?     this text            esc   close a window"""


class Ask(ModalScreen[str | None]):
    """A line of text; None if the dialog was cancelled."""

    BINDINGS = [Binding("escape", "leave", "Close")]

    def __init__(self, prompt: str, words: str = "") -> None:
        super().__init__()
        self._prompt, self._words = prompt, words

    def compose(self) -> ComposeResult:
        """See `Screen.compose`."""
        with Vertical(classes="window"):
            yield Static(self._prompt, markup=False)
            yield Input(self._words, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with the line as the answer."""
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Message(ModalScreen[str | None]):
    """Another message for the last commit; None if it stays unchanged."""

    BINDINGS = [Binding("escape", "leave", "Close"), Binding("ctrl+s", "take", "Take it", priority=True)]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """See `Screen.compose`."""
        with Vertical(classes="window"):
            yield Static("The message of the last commit: ctrl+s takes it, escape leaves it", markup=False)
            yield TextArea(self._words)

    def action_take(self) -> None:
        """Close with the text as the answer; nothing but blanks is no message."""
        words = self.query_one(TextArea).text.rstrip("\n")
        self.dismiss(words if words.strip() else None)

    def action_leave(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Help(ModalScreen[None]):
    """The window that lists the keys."""

    BINDINGS = [Binding("escape,question_mark,q,enter", "leave", "Close")]

    def compose(self) -> ComposeResult:
        """See `Screen.compose`."""
        with Vertical(classes="window"):
            yield Static(HELP, markup=False)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)

"""The review on a terminal or on a pipe, a line at a time: document 4's box, and its keys.

    d diff   a approve   r reject   h hunks   f file   e edit message   u undo   ? help

Reading and writing are injected, so that a test, a pipe and a terminal work alike. At the end of the input nothing is
approved.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from ..workspace import Workspace
from .box import box, shown
from .deciding import Deciding, questions_of
from .hunks import lines_of
from .lines import Row, contents_of, file_rows, hunk_rows, what_is_no_text
from .model import Review, ReviewFile

KEYS = "[d]iff  [a]pprove  [r]eject  [h]unks  [f]ile  [e]dit message  [u]ndo  [?]help"
HELP = """\
d  show all changes              h  decide hunk by hunk: y accept, n reject, c comment, q leave
a  approve what is not rejected  f  decide about whole files, in the same way
r  reject all of it, with words  e  write another message
u  take the last decision back   ?  this text
"""
_COLORS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_BOLD = "\x1b[1m"
_RESET = "\x1b[m"
_MOST_ROWS = 200  # for a file that is decided as a whole

Read = Callable[[str], str | None]  # the prompt → a line without its end; None at the end of the input
Write = Callable[[str], object]


class TerminalReview:
    """The dialog in which one review is decided."""

    def __init__(self, workspace: Workspace, review: Review, read: Read, write: Write, *, color: bool = False) -> None:
        self._workspace, self.review, self._read, self._write, self._color = workspace, review, read, write, color
        self._deciding = Deciding(review)

    def run(self) -> Review:
        """Ask until the review is approved or rejected."""
        acts: dict[str, Callable[[], None]] = {
            "d": self._diff, "h": self._hunks, "f": self._files, "e": self._message, "u": self._undo,
            "r": self._reject, "a": self.review.approve,
        }  # fmt: skip
        self._write(box(self.review.plan, keys=KEYS))
        while not self.review.verdict:
            word = self._read("> ")
            if word is None:
                self.review.reject("the input ended before anybody had decided")
                break
            act = acts.get(word.strip()[:1].lower())
            if act is None:
                self._write(HELP)
            else:
                act()
        return self.review

    # --- showing ----------------------------------------------------------------------------------------------------

    def _diff(self) -> None:
        commit = ""
        with self._workspace.working() as ctx:
            for file in self.review.files:
                if file.commit != commit:
                    commit = file.commit
                    self._write(self._head(commit))
                self._write(self._file_line(file))
                for row in file_rows(self._workspace, file, ctx):
                    self._write(self._row(row))

    def _head(self, commit: str) -> str:
        one = next(one for one in self.review.plan.commits if one.commit == commit)
        lines = [f"    {shown(line)}\n" for line in one.message.rstrip().split("\n")]
        return "".join([f"\ncommit {commit}\n", *lines])

    def _file_line(self, file: ReviewFile) -> str:
        """The lines above a file's lines, which separate it from the one before."""
        words = f"--- {file.file.operation} {shown(file.path)}"
        words += f" ({what_is_no_text(file)})" if what_is_no_text(file) else ""
        words += f" (line endings changed: {file.line_ends} lines)" if file.line_ends else ""
        words += f" (mode {file.file.old_mode} -> {file.file.new_mode})" if self._mode_changed(file) else ""
        words += self._mark(file.id)
        return f"\n{_BOLD}{words}{_RESET}\n" if self._color else f"\n{words}\n"

    @staticmethod
    def _mode_changed(file: ReviewFile) -> bool:
        return "" not in (file.file.old_mode, file.file.new_mode) and file.file.old_mode != file.file.new_mode

    def _mark(self, id: str) -> str:
        return {"accept": "  [accepted]", "reject": "  [rejected]"}.get(self.review.decisions.get(id, ""), "")

    def _row(self, row: Row) -> str:
        line = row.words if row.sign == "@" else row.sign + row.whole
        return f"{_COLORS[row.sign]}{line}{_RESET}\n" if self._color and row.sign in _COLORS else f"{line}\n"

    # --- deciding ---------------------------------------------------------------------------------------------------

    def _hunks(self) -> None:
        questions = questions_of(self.review)
        for done, question in enumerate(questions, 1):
            file = question.file
            self._write(self._file_line(file))
            before, after = self._sides(file)
            for row in hunk_rows(before, after, file.hunks, question.at) if file.hunks else self._whole(file):
                self._write(self._row(row))
            if not self._ask(question.id, f"{done}/{len(questions)}"):
                break
        self._write_counts()

    def _sides(self, file: ReviewFile) -> tuple[list[bytes], list[bytes]]:
        if not file.hunks:
            return [], []
        old, new = contents_of(self._workspace, file)
        return lines_of(old), lines_of(new)

    def _whole(self, file: ReviewFile) -> list[Row]:
        """The rows shown of a file that is decided as a whole."""
        with self._workspace.working() as ctx:
            rows = list(islice(file_rows(self._workspace, file, ctx), _MOST_ROWS + 1))
        more = [Row("@", 0, 0, f"… more than {_MOST_ROWS} lines: d shows all")] if len(rows) > _MOST_ROWS else []
        return rows[:_MOST_ROWS] + more

    def _files(self) -> None:
        for at, file in enumerate(self.review.files, 1):
            self._write(self._file_line(file))
            if not self._ask(file.id, f"{at}/{len(self.review.files)}"):
                break
        self._write_counts()

    def _write_counts(self) -> None:
        self._write(f"\n{self._deciding.summary}\n")

    def _ask(self, id: str, at: str) -> bool:
        """Decide on one question; False: stop asking."""
        comment = ""
        while True:
            word = self._read(f"{at} [y]es [n]o [c]omment [q]uit? ")
            key = "q" if word is None else word.strip()[:1].lower()
            if key == "c":
                comment = self._read("comment: ") or ""
            elif key in ("y", "n"):
                self._deciding.decide(id, "accept" if key == "y" else "reject", comment)
                return True
            elif key == "q":
                if comment:
                    self._deciding.comment(id, comment)
                return False

    def _message(self) -> None:
        """Read another message for the last commit, up to a line with nothing but a dot."""
        self._write("the message, then a line with a dot:\n")
        lines: list[str] = []
        while (line := self._read("")) is not None and line != ".":
            lines.append(line)
        if any(line.strip() for line in lines):
            self.review.message = "\n".join(lines)

    def _undo(self) -> None:
        if not self._deciding.undo():
            self._write("there is nothing to take back\n")
        self._write_counts()

    def _reject(self) -> None:
        self.review.reject(self._read("why: ") or "")

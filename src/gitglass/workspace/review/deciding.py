"""Step by step decisions: the questions of a review in their order, each step of which can be undone.

The terminal and the app both decide through this, so that the same answers lead to the same review.
"""

from __future__ import annotations

from ...records import record
from .hunks import ReviewHunk
from .model import Decision, Review, ReviewFile


@record(frozen=True)
class Question:
    """The unit of a decision: a hunk, or a file that has none."""

    file: ReviewFile
    hunk: ReviewHunk | None
    at: int  # the hunk's position in its file

    @property
    def id(self) -> str:
        """The key under which the decision is kept."""
        return self.file.id if self.hunk is None else self.hunk.id


def questions_of(review: Review) -> list[Question]:
    """All questions of a review, file by file and hunk by hunk."""
    return [
        Question(file, hunk, at)
        for file in review.files
        for at, hunk in enumerate(file.hunks or (None,))
    ]  # fmt: skip


class Deciding:
    """A review in progress, with the steps that can be undone."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self._before: list[tuple[dict[str, Decision], dict[str, str]]] = []

    def decide(self, id: str, decision: Decision, comment: str = "") -> None:
        """See `Review.decide`."""
        self._step()
        self.review.decide(id, decision, comment)

    def comment(self, id: str, comment: str) -> None:
        """Add a comment on a hunk or a file; comments cannot be undone."""
        self._step()
        if comment:
            self.review.comments[id] = comment
        else:
            self.review.comments.pop(id, None)

    def undo(self) -> bool:
        """Undo the last step: the decision before it holds again. Returns whether there was one."""
        if not self._before:
            return False
        self.review.decisions, self.review.comments = self._before.pop()
        return True

    def _step(self) -> None:
        self._before.append((dict(self.review.decisions), dict(self.review.comments)))

    @property
    def summary(self) -> str:
        """The progress, in words."""
        counts = self.counts()
        words = f"{counts['accept']} accepted, {counts['reject']} rejected"
        return words + (f", {counts['']} not decided (they go with the whole)" if counts[""] else "")

    def counts(self) -> dict[str, int]:
        """How many questions are accepted, rejected, and open."""
        made = {"accept": 0, "reject": 0, "": 0}
        for question in questions_of(self.review):
            made[self.review.decisions.get(question.id, "")] += 1
        return made

"""Matches commits by author, committer, message: --author, --committer, --grep and related options (git-log(1), "Commit
Limiting").

Header patterns match one header line without its date; message patterns match single lines of the message.  Different
kinds of patterns are combined with *and* (an author and a word), patterns of one kind with *or*, unless --all-match is
given; --invert-grep inverts only the message part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..limits import Context, need
from ..objects.parsed import Commit
from ..records import field, record
from ..regex.matcher import BadPattern, Matcher, compile_pattern
from ..repo.encoding import reencode
from ..repo.store import Store


@record(frozen=True)
class MatchSpec:
    """The patterns of one walk, and how they are interpreted."""

    author: Sequence[bytes] = ()
    committer: Sequence[bytes] = ()
    grep: Sequence[bytes] = ()
    grep_reflog: Sequence[bytes] = ()
    kind: str = "basic"
    ignore_case: bool = False
    all_match: bool = False
    invert: bool = False
    mailmap: bool = True
    encoding: str = "utf-8"
    notes: Callable[[bytes], bytes] | None = field(default=None)  # the text of a commit's notes: searched as well


class CommitMatcher:
    """Answers whether a commit matches; call it with the commit (and its reflog message, in a reflog walk)."""

    __slots__ = ("_author", "_body", "_committer", "_mailmap", "_plain", "_reflog", "spec")

    def __init__(self, store: Store, spec: MatchSpec, ctx: Context) -> None:
        self.spec = spec

        def compiled(patterns: Sequence[bytes]) -> list[Matcher]:
            lines = [line for pattern in patterns for line in pattern.split(b"\n")]
            return [
                compile_pattern(line, spec.kind, ignore_case=spec.ignore_case, newline=True, ctx=ctx) for line in lines
            ]

        try:
            self._author, self._committer = compiled(spec.author), compiled(spec.committer)
            self._reflog = compiled(spec.grep_reflog)
        except BadPattern as error:
            raise error.at("header") from None
        self._body = compiled(spec.grep)
        self._mailmap = store.mailmap if spec.mailmap and (spec.author or spec.committer) else None
        self._plain = spec.encoding.lower().replace("-", "") == "utf8"

    def __call__(self, commit: Commit, reflog_message: bytes = b"") -> bool:
        people = commit if not self._mailmap else Commit(commit.oid, self._mailmap.in_object(commit.raw), ())
        if self._author and not self._ident(people.author, self._author, commit):
            return False
        if self._committer and not self._ident(people.committer, self._committer, commit):
            return False
        if self._reflog and not any(matcher.test(reflog_message) for matcher in self._reflog):
            return False
        return not self._body or self._message(commit)

    @property
    def rules_out(self) -> Callable[[bytes], bool] | None:
        """A test that says of a raw commit, without parsing it, that it cannot match; None if there is no such test.

        A matching commit contains one of the searched words, and one of the message's words after its headers. That
        does not hold if the commit has an encoding of its own, or if the searched text is not in the commit (mailmap
        names, notes).
        """
        spec = self.spec
        if not self._plain:
            return None
        kinds = [] if self._mailmap else [self._author, self._committer]
        if not spec.invert and spec.notes is None:
            kinds.append(self._body)
        for matchers in kinds:
            words = [matcher.needed for matcher in matchers if matcher.needed]
            if words and len(words) == len(matchers):
                return _has_none_of(words, in_message=matchers is self._body)
        return None

    def _ident(self, line: bytes, matchers: list[Matcher], commit: Commit) -> bool:
        line = line[: line.rfind(b">") + 1] or line
        line = self._recoded(line, commit)
        return any(matcher.test(line) for matcher in matchers)

    def _message(self, commit: Commit) -> bool:
        need(2 * len(commit.raw))
        if b"\n\n" not in commit.raw:  # headers only: not a line to match
            return self.spec.invert
        text = b"\n" + self._recoded(commit.message, commit)  # strange but git's: the line that ends the headers counts
        if self.spec.notes is not None:
            text += self.spec.notes(commit.oid)
        if text.endswith(b"\n"):
            text = text[:-1]
        if self.spec.invert:
            return not any(matcher.test_lines(text) for matcher in self._body)
        return (all if self.spec.all_match else any)(matcher.test_lines(text) for matcher in self._body)

    def _recoded(self, text: bytes, commit: Commit) -> bytes:
        """The text in the log's output encoding, which a pattern is most likely written in."""
        encoding = commit.encoding
        if encoding is None and self._plain:
            return text
        changed = reencode(text, encoding or b"utf-8", self.spec.encoding.encode())
        return text if changed is None else changed


def _has_none_of(words: list[bytes], *, in_message: bool) -> Callable[[bytes], bool]:
    """The test that a raw commit has none of the words. A message begins at the blank line; a commit without one has no
    message."""
    word = words[0]
    if in_message and len(words) == 1:
        return lambda raw: raw.find(word, raw.find(b"\n\n")) < 0 and b"\nencoding " not in raw
    if len(words) == 1:
        return lambda raw: word not in raw and b"\nencoding " not in raw
    return lambda raw: not any(word in raw for word in words) and b"\nencoding " not in raw

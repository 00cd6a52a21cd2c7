"""The review as one page to read and to keep: no scripts, nothing is loaded, light or dark by the reader's setting.

The decisions come first, then the files as a tree, then each commit with its changes. Generated and long files are
folded; the browser's own search opens them. Text from an agent is escaped everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ..model import StagedCommit
from ..workspace import Workspace
from .box import shown
from .lines import Row
from .model import Review, ReviewFile
from .overview import WORDS, Shown, moment, person, room_of, shown_file, state_of, tree_of
from .pairs import parts_of
from .style import STYLE

_MOST_ROWS = 40_000
_CLASSES = {"+": "a", "-": "d"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(workspace: Workspace, review: Review) -> bytes:
    """The page, UTF-8. Raises what reading the files raises."""
    files: dict[str, Shown] = {}
    room = _MOST_ROWS
    with workspace.working() as ctx:
        for file in review.files:
            files[file.commit + file.id] = one = shown_file(workspace, file, ctx, room=room)
            room -= sum(map(room_of, one.rows))
    return "".join(_parts(review, files)).encode("utf-8", "backslashreplace")


def _text(words: str) -> str:
    return escape(shown(words))


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _parts(review: Review, files: dict[str, Shown]) -> Iterator[str]:
    plan = review.plan
    subject, branch = _text(plan.commits[-1].subject), _text(plan.branch)
    yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{subject} → {branch}</title>'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><style>{STYLE}</style></head><body>'
    yield '<a class="skip" href="#changes">Skip to the changes</a><header>'
    yield f'<p class="eyebrow">Review of a push</p><h1>{subject} <span class="to">→ {branch}</span></h1>'
    yield from _chips(review, files.values())
    yield f"<dl><dt>Target</dt><dd>{_text(plan.address)}, branch <code>{branch}</code></dd>"
    for note in plan.notes:
        yield f"<dt>Note</dt><dd>{_text(note)}</dd>"
    yield "</dl>"
    yield from _verdict(review)
    yield '</header><div class="body">'
    yield from _tree(review, files)
    yield '<main id="changes">'
    for one in plan.commits:
        yield from _commit(review, one, [there for there in files.values() if there.file.commit == one.commit])
    yield f"</main></div><footer>Plan <code>{plan.digest}</code></footer></body></html>\n"


def _chips(review: Review, files: Iterable[Shown]) -> Iterator[str]:
    """The facts that a reader should see first."""
    plan, everything = review.plan, list(files)
    yield '<ul class="chips">'
    if plan.protected:
        yield '<li class="chip warn">protected branch</li>'
    if plan.risk == "High":
        yield '<li class="chip warn">high risk</li>'
    if plan.moved:
        yield f'<li class="chip warn">the target has {_several(plan.behind, "commit")} that these do not build on</li>'
    if plan.is_new:
        yield '<li class="chip">new branch</li>'
    yield f'<li class="chip">{_several(len(plan.commits), "commit")}</li>'
    added, gone = sum(one.added for one in everything), sum(one.gone for one in everything)
    yield f'<li class="chip">{_several(len(everything), "file")} {_counts(added, gone)}</li></ul>'


def _counts(added: int, gone: int) -> str:
    words = [f'<span class="plus">+{added}</span>'] if added else []
    return " ".join([*words, f'<span class="minus">−{gone}</span>'] if gone else words)


def _verdict(review: Review) -> Iterator[str]:
    """The decisions, and the comments with which parts are rejected."""
    rejected = list(_sent_back(review))
    if not review.verdict and not rejected:
        return
    words = {"approve": "Approved in part" if review.is_partial else "Approved", "reject": "Rejected"}
    kind = {"approve": "part" if review.is_partial else "accept", "reject": "reject"}.get(review.verdict, "part")
    by = f" by {_text(review.by)}" if review.by else ""
    moment_text = f", {moment(review.at)}" if review.at else ""
    word = words.get(review.verdict, "Not decided yet")
    yield f'<div class="verdict {kind}"><p><strong>{word}</strong>{by}{moment_text}{_quoted(review.comment)}</p>'
    if rejected:
        yield f"<p>{_several(len(rejected), 'change')} sent back:</p><ul>"
        for file, id, comment in rejected:
            anchor = _anchor(file.commit, id)
            yield f'<li><a href="#{anchor}">{_text(file.path)}</a>{_quoted(comment)}</li>'
        yield "</ul>"
    yield "</div>"


def _sent_back(review: Review) -> Iterator[tuple[ReviewFile, str, str]]:
    """(file, id, comment) of each rejected part; a file that was rejected as a whole, without comments on its hunks, is
    listed once."""
    for file in review.files:
        about = review.comments.get(file.id, "")
        ids = [hunk.id for hunk in file.hunks]
        if state_of(review, file) == "reject" and not any(review.comments.get(id) for id in ids):
            yield file, file.id, about
            continue
        for id in ids:
            if review.decisions.get(id) == "reject":
                yield file, id, review.comments.get(id) or about


def _quoted(words: str) -> str:
    return f": <q>{_text(words)}</q>" if words else ""


def _anchor(commit: str, id: str) -> str:
    return f"c{commit[:12]}-{id}"


def _tree(review: Review, files: dict[str, Shown]) -> Iterator[str]:
    yield '<nav aria-label="Files"><h2>Files</h2>'
    for one in review.plan.commits:
        if len(review.plan.commits) > 1:
            yield f"<h3>{_text(one.subject)}</h3>"
        yield "<ol>"
        for branch in tree_of(file for file in review.files if file.commit == one.commit):
            deep = f' style="--deep:{min(branch.depth, 12)}"' if branch.depth else ""
            if branch.file is None:
                yield f'<li{deep}><span class="note">{escape(branch.name)}</span></li>'
                continue
            state = state_of(review, branch.file)
            sign = {"accept": "✓", "reject": "✗", "part": "◐"}.get(state, "")
            words = f'role="img" aria-label="{WORDS[state]}" title="{WORDS[state]}"'
            mark = f'<span class="{state}" {words}>{sign}</span>' if sign else ""
            overview = files[branch.file.commit + branch.file.id]
            counts = overview.counts or ("binary" if branch.file.file.binary else overview.notes[0])
            link = f'<a href="#{_anchor(one.commit, branch.file.id)}">{escape(branch.name)}</a>'
            yield f'<li{deep}>{link}<span class="count">{counts}</span>{mark}</li>'
        yield "</ol>"
    yield "</nav>"


def _commit(review: Review, one: StagedCommit, files: list[Shown]) -> Iterator[str]:
    subject, *body = one.message.rstrip("\n").split("\n")
    (author, written), (committer, committed) = person(one.author), person(one.committer)
    by = f"{escape(author)}, {written}" + (f"; committed by {escape(committer)}" if committer != author else "")
    by += f", {committed}" if committer != author and committed != written else ""
    yield f'<section><h2>{_text(subject)}</h2><p class="by">{by} <code>{one.commit}</code></p>'
    if any(body):
        yield "<pre>" + "\n".join(_text(line) for line in body).strip("\n") + "</pre>"
    for file in files:
        yield from _file(review, file)
    yield "</section>"


def _file(review: Review, one: Shown) -> Iterator[str]:
    file, state = one.file, state_of(review, one.file)
    yield f'<details id="{_anchor(file.commit, file.id)}"{"" if one.is_folded else " open"}><summary>'
    note = f"{_counts(one.added, one.gone)} {_text(' · '.join(one.notes))}"
    yield f'<h3>{_text(file.path)}</h3><span class="note">{note}</span>'
    yield f'<span class="state {state}">{WORDS[state]}</span></summary>'
    if review.comments.get(file.id):
        yield f'<div class="remark"><q>{_text(review.comments[file.id])}</q></div>'
    if not one.rows:
        words = "More lines than a page shows: look at the patch itself." if one.is_cut else one.nothing
        yield f'<div class="none">{words}</div></details>'
        return
    yield f'<div class="text" style="--rows:{len(one.rows)}">'
    yield f'<table class="lines" role="table" aria-label="{_text(file.path)}"><tbody>'
    yield from _rows(review, one)
    yield "</tbody></table></div>"
    if one.is_cut:
        yield '<div class="none warn">More lines than a page shows: look at the patch itself.</div>'
    yield "</details>"


def _rows(review: Review, one: Shown) -> Iterator[str]:
    parts = parts_of(list(one.rows))
    for at, row in enumerate(one.rows):
        if row.sign == "@":
            anchor = _anchor(one.file.commit, row.hunk)
            yield f'<tr class="h" id="{anchor}"><td colspan="4">{_head(review, row)}</td></tr>'
            continue
        words = escape(row.words)
        if at in parts:
            part = parts[at]
            inner = escape(row.words[part])
            inner = f"<mark>{inner}</mark>" if inner else ""
            words = f"{escape(row.words[: part.start])}{inner}{escape(row.words[part.stop :])}"
        words += f"<i>{row.more}</i>" if row.more else ""
        yield f'<tr class="{_CLASSES.get(row.sign, "c")}"><td class="n">{row.old or ""}</td>'
        yield f'<td class="n">{row.new or ""}</td><td class="s">{row.sign.strip()}</td><td class="w">{words}</td></tr>'


def _head(review: Review, row: Row) -> str:
    state, comment = review.decisions.get(row.hunk, ""), review.comments.get(row.hunk, "")
    words = escape(row.words)
    words += f' <span class="state {state}">{WORDS[state]}</span>' if state else ""
    return words + (f' <q class="words">{_text(comment)}</q>' if comment else "")

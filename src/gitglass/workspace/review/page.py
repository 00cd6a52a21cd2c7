"""The review as one page to read and to keep: no scripts, nothing is loaded, light and dark by the reader's setting."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...limits import Context
from ..views import size_words
from ..workspace import Workspace
from .box import shown
from .lines import file_rows, is_generated, what_is_no_text
from .model import Review, ReviewFile

_MOST_ROWS = 40_000
_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--head:#f6f8fa;--add:#dafbe1;
--addtext:#116329;--gone:#ffebe9;--gonetext:#82071e;--mark:#ddf4ff;--accent:#0969da;--warn:#9a6700}
@media(prefers-color-scheme:dark){:root{--ground:#0d1117;--text:#e6edf3;--soft:#9198a1;--line:#3d444d;--head:#151b23;
--add:#12261e;--addtext:#aff5b4;--gone:#2d1417;--gonetext:#ffdcd7;--mark:#121d2f;--accent:#4493f8;--warn:#d29922}}
*{box-sizing:border-box}body{margin:0 auto;padding:2rem 1rem 4rem;max-width:76rem;background:var(--ground);
color:var(--text);font:15px/1.5 system-ui,sans-serif}h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;
margin:2rem 0 .5rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
code,td,pre{font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{white-space:pre-wrap;background:var(--head);padding:.75rem;border-radius:6px;margin:.5rem 0}
details{border:1px solid var(--line);border-radius:6px;margin:.75rem 0;overflow:hidden}summary{background:var(--head);
padding:.5rem .75rem;cursor:pointer;overflow-wrap:anywhere}summary b{font-weight:600}
.note{color:var(--soft);margin-left:.5rem}.warn{color:var(--warn)}.badge{border:1px solid var(--line);border-radius:1em;
padding:0 .6em;font-size:.85em}table{border-collapse:collapse;width:100%;table-layout:fixed}td{padding:0 .5rem;
vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere}td.n{width:4.2rem;text-align:right;color:var(--soft);
user-select:none}tr.a td{background:var(--add);color:var(--addtext)}tr.d td{background:var(--gone);
color:var(--gonetext)}tr.h td{background:var(--mark);color:var(--soft)}.none{padding:.75rem;color:var(--soft)}
"""
_CLASSES = {"+": "a", "-": "d", "@": "h"}


def page(workspace: Workspace, review: Review) -> bytes:
    """The page, UTF-8. Raises what reading the files raises."""
    with workspace.working() as ctx:
        return "".join(_parts(workspace, review, ctx)).encode("utf-8", "backslashreplace")


def _text(words: str) -> str:
    return escape(shown(words))


def _parts(workspace: Workspace, review: Review, ctx: Context) -> Iterator[str]:
    plan = review.plan
    title = _text(f"{plan.commits[-1].subject} → {plan.branch}")
    yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<style>{_STYLE}</style></head><body><h1>{title}</h1><dl>"
    new = ' <span class="badge">new branch</span>' if plan.is_new else ""
    guarded = ' <span class="badge warn">protected</span>' if plan.protected else ""
    yield f"<dt>Target</dt><dd>{_text(plan.address)} <code>{_text(plan.branch)}</code>{new}{guarded}</dd>"
    yield f"<dt>Risk</dt><dd>{plan.risk}</dd><dt>Plan</dt><dd><code>{plan.digest}</code></dd>"
    if plan.moved:
        yield f'<dt>Target head</dt><dd class="warn">{plan.behind} commits that these do not build on</dd>'
    for note in plan.notes:
        yield f"<dt>Note</dt><dd>{_text(note)}</dd>"
    if review.verdict:
        words = f"{review.verdict}{' in part' if review.is_partial else ''} {review.by} {review.comment}"
        yield f"<dt>Verdict</dt><dd>{_text(words)}</dd>"
    yield "</dl>"
    left = _MOST_ROWS
    for one in plan.commits:
        message = "\n".join(_text(line) for line in one.message.rstrip("\n").split("\n"))
        yield f"<h2>{_text(one.subject)}</h2><dl><dt>Commit</dt><dd><code>{one.commit}</code></dd>"
        yield f"<dt>Author</dt><dd>{_text(one.author)}</dd><dt>Committer</dt><dd>{_text(one.committer)}</dd></dl>"
        yield f"<pre>{message}</pre>"
        for file in (file for file in review.files if file.commit == one.commit):
            rows = [] if left <= 0 else list(file_rows(workspace, file, ctx))[:left]
            left -= len(rows)
            yield from _file(review, file, [(_CLASSES.get(row.sign, ""), row.old, row.new, row.sign, row.words)
                                            for row in rows], cut=left <= 0)  # fmt: skip
    yield "</body></html>\n"


def _file(review: Review, file: ReviewFile, rows: list[tuple[str, int, int, str, str]], *, cut: bool) -> Iterator[str]:
    added, gone = (sum(row[3] == sign for row in rows) for sign in "+-")
    notes = [file.file.operation, f"+{added} −{gone}", size_words(file.file.size)]
    notes += [what_is_no_text(file)] if what_is_no_text(file) else []
    notes += [f"line endings changed: {file.line_ends} lines"] if file.line_ends else []
    if file.file.old_mode and file.file.new_mode and file.file.old_mode != file.file.new_mode:
        notes.append(f"mode {file.file.old_mode} → {file.file.new_mode}")
    generated = is_generated(file.path)
    notes += ["generated"] if generated else []
    decision = review.decisions.get(file.id, "")
    badge = f' <span class="badge">{decision}</span>' if decision else ""
    yield f"<details{'' if generated else ' open'}><summary><b>{_text(file.path)}</b>"
    yield f'<span class="note">{_text(" · ".join(notes))}</span>{badge}</summary>'
    if not rows:
        yield '<div class="none">no lines to show</div></details>'
        return
    yield "<table><tbody>"
    for kind, old, new, sign, words in rows:
        lead = "" if sign == "@" else sign
        numbers = f'<td class="n">{old or ""}</td><td class="n">{new or ""}</td>'
        yield f'<tr class="{kind}">{numbers}<td>{lead}{escape(words)}</td></tr>'
        hunk = words.rsplit(" ", 1)[-1] if sign == "@" else ""
        if review.comments.get(hunk) or review.decisions.get(hunk):
            remark = f"{review.decisions.get(hunk, '')} {review.comments.get(hunk, '')}"
            yield f'<tr class="h"><td class="n"></td><td class="n"></td><td>{_text(remark)}</td></tr>'
    yield "</tbody></table>"
    if cut:
        yield '<div class="none warn">more lines than a page shows: look at the patch itself</div>'
    yield "</details>"

"""git whatchanged: git log with other defaults: only commits with changes, and those as raw lines."""

from __future__ import annotations

from ..limits import Context
from ..plans.words import log_words
from ..repo.store import Store
from ..request.declared import altered
from ..revs.tip import Tips
from ..revs.tips import tips
from .command import LOG_ANYWHERE, LOG_USAGE, Command, unrecognized_argument
from .log import LogPlan, LogRequest, LogResult, collect, plan_log, render


class WhatchangedRequest(LogRequest):
    """`git whatchanged`: history with the changes of each commit; those of merges only on request."""


def run(store: Store, request: WhatchangedRequest, ctx: Context, named: Tips | None = None) -> LogPlan:
    """The requested commits. Histories of paths are not simplified, and log.follow has no effect here."""
    named = tips(
        store,
        request.revs,
        ctx=ctx,
        default=request.default or "HEAD",
        committish=True,
        named=named,
        reflogs=request.walk_reflogs,
    )
    return plan_log(store, altered(request, full_history=True), ctx, tips=named, changed_only=True)


COMMAND = Command(
    "whatchanged",
    WhatchangedRequest,
    LogResult,
    run,
    collect,
    render,
    bind=log_words,
    anywhere=LOG_ANYWHERE,
    unknown=unrecognized_argument,
    refused={"--filter": "it is for lists of objects"},
    summary="commits that change something, with what they change",
    usage=LOG_USAGE,
)

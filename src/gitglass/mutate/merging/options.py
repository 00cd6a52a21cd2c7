"""Options of `git merge`: those that are carried out, and those that the configuration gives a branch.

Mirrors git-merge(1), and git-config(1), `branch.<name>.mergeOptions`.
"""

from __future__ import annotations

import shlex

from ...agent.commandline import writer
from ...cli.argv import parse
from ...errors import BadConfig, text
from ...request.declared import altered
from ...request.ref_mutations import MergeRequest
from ..operations.common import refused_switches
from ..view import View

_HEADS = b"refs/heads/"
_TAKEN = (
    "--ff", "--no-ff", "--ff-only", "--squash", "--no-squash", "--commit", "--no-commit", "--no-edit", "--abort",
    "--continue", "--quit", "--autostash", "--no-autostash", "--no-verify", "--stat", "--summary", "--no-stat",
    "--signoff", "--no-signoff", "--allow-unrelated-histories", "--no-verify-signatures", "--no-gpg-sign", "--no-log",
    "--no-progress",
)  # fmt: skip


def need_offered(request: MergeRequest) -> None:
    """Raise Unsupported for an option of a merge that is not carried out."""
    refused_switches(request, _TAKEN)


def with_branch_options(request: MergeRequest, view: View) -> MergeRequest:
    """A merge with the options that the current branch has from the configuration, in front of those that are said.

    Words among them that are no options are passed over, as git does. Raises BadConfig for a quote without an end, and
    InvalidArgs or Unsupported for what is no option of a merge.
    """
    branch = view.head()[0]
    short = b"" if branch is None else branch.removeprefix(_HEADS)
    value = view.config.get_string(b"branch.%b.mergeoptions" % short) if short else None
    if not value:
        return request
    try:
        words = shlex.split(text(value))
    except ValueError:
        raise BadConfig(f"Bad branch.{text(short)}.mergeoptions string: unclosed quote") from None
    command = writer("merge")
    assert command is not None
    own = MergeRequest(**parse(command, words)[0])
    whole = altered(
        request, switches=own.switches + request.switches, message=own.message + request.message,
        strategy=own.strategy + request.strategy, options=own.options + request.options,
    )  # fmt: skip
    need_offered(whole)
    return whole

"""Policy: the effects of a request, how much damage it can do, and whether this caller may make it.

`assess` assesses the typed request, never a string. `Policy` holds a host's grants: a level, capabilities, allow and
deny lists. `execute` applies it before any engine runs, through `Context.policy`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..errors import GitError, InvalidArgs, PermissionDenied
from ..request.declared import fields_of
from ..request.flag import Flag
from ..request.mutations import READ, AddRequest, Mutation
from ..request.ref_mutations import OtherMutation, PushRequest, TagChange
from ..request.request import Request
from ..visible import visible_line
from .command import Words

if TYPE_CHECKING:
    from hashlib import sha256
else:
    sha256 = deferred(__name__, "hashlib", "sha256")  # loads OpenSSL

Asking = Request[Any] | Words


class ApprovalRequired(GitError):
    """A host has to approve exactly this request first; nothing has happened."""

    code = "approval_required"
    status = 77


class ApprovalDenied(GitError):
    """The host was asked and denied it."""

    code = "approval_denied"
    status = 77


class Level(StrEnum):
    """How much a caller is trusted (document 2)."""

    SANDBOXED = "sandboxed"
    TRUSTED = "trusted"
    YOLO = "yolo"

    @classmethod
    def of(cls, word: object) -> Level:
        """The level for a configured word. Raises InvalidArgs."""
        try:
            return word if isinstance(word, Level) else cls(str(word).lower())
        except ValueError:
            raise InvalidArgs(f"unknown level '{word}'", hint="Levels: sandboxed, trusted, yolo.") from None


@dataclass(frozen=True, slots=True)
class Assessment:
    """The effects of a request. `effect` is the main effect; `effects` are all of them; `preview` is the command
    line."""

    effect: str
    risk: str
    needs_approval: bool
    summary: str
    effects: tuple[str, ...] = (READ,)
    preview: str = ""

    @property
    def is_read_only(self) -> bool:
        """Document 1's view."""
        return self.effect == READ


@dataclass(frozen=True, slots=True)
class Policy:
    """The grants of a host to a caller.

    medium, high   what TRUSTED does with such risks: "free", "approve", "refuse"
    capabilities   names granted; None: all. Any request needs `Git`.
    allowed, denied   glob patterns on document 1's command string ("git push main"); denied ones win
    allow_add_all  whether files may be staged without naming them
    """

    level: Level = Level.SANDBOXED
    medium: str = "approve"
    high: str = "approve"
    capabilities: frozenset[str] | None = None
    allowed: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()
    allow_add_all: bool = True
    protected: tuple[str, ...] = ("main", "master", "production")
    approved: frozenset[str] = field(default_factory=frozenset)

    def decide(self, request: Asking, risk: str | None = None) -> tuple[str, str]:
        """("allow" | "approve" | "refuse", the reason). `risk` is the risk of the request's plan, if there is one."""
        if self.capabilities is not None and "Git" not in self.capabilities:
            return "refuse", "capability 'Git' has not been granted"
        line = command_string(request)
        for pattern in self.denied:
            if fnmatchcase(line, pattern):
                return "refuse", f"denied by the rule '{pattern}'"
        if self.allowed is not None and not any(fnmatchcase(line, pattern) for pattern in self.allowed):
            return "refuse", "not among the commands allowed"
        if not isinstance(request, Mutation):
            return "allow", "reads only"
        if isinstance(request, AddRequest) and request.is_blind and not self.allow_add_all:
            return "refuse", "files to stage have to be named"
        return self._by_level(request, risk)

    def _by_level(self, request: Mutation, planned: str | None) -> tuple[str, str]:
        if self.level is Level.SANDBOXED:
            return "refuse", "only what reads is allowed at level SANDBOXED"
        if self.level is Level.YOLO:
            return "allow", "level YOLO"
        if request.refused:
            return "refuse", request.refused
        risk = planned or assess(request, self).risk
        word = self.high if risk == "High" else self.medium
        asks = request.always_asks or (isinstance(request, TagChange) and request.asks)
        if word == "free" and asks:
            word = "approve"
        if word == "refuse":
            return "refuse", f"{risk.lower()} risk: {_in_a_line(request)}"
        return ("allow", "by policy") if word == "free" else ("approve", _in_a_line(request))

    def enforce(self, request: Asking) -> Assessment:
        """Return the assessment, or raise PermissionDenied or ApprovalRequired."""
        verdict, reason = self.decide(request)
        assessment = assess(request, self)
        if verdict == "refuse":
            raise PermissionDenied(f"blocked for safety: {reason}", summary=assessment.summary, risk=assessment.risk)
        if verdict == "approve" and request_digest(request) not in self.approved:
            raise ApprovalRequired(
                assessment.summary,
                hint="The host has to approve it.",
                risk=assessment.risk,
                request=request_digest(request),
            )
        return assessment


def assess(request: Asking, policy: Policy | None = None) -> Assessment:
    """The effects of a request and how much damage they can do, independent of the caller.

    `needs_approval` is document 3's view: every writing request needs one.
    """
    preview = command_string(request)
    if not isinstance(request, Mutation):
        return Assessment(READ, "Low", False, reader_summary(request), (READ,), preview)
    risk: str = request.risk
    if isinstance(request, PushRequest) and _protected(request, policy or Policy()):
        risk = "High"
    effects = request.what
    return Assessment(effects[-1], risk, True, _in_a_line(request), effects, preview)


def _in_a_line(request: Mutation) -> str:
    """What a request would do, in one line: a message's lines are one after the other, and hide nothing."""
    return visible_line(request.summary().replace("\n", " "))


def _protected(request: PushRequest, policy: Policy) -> bool:
    return any(
        fnmatchcase(ref.rpartition(":")[2].lstrip("+").removeprefix("refs/heads/"), name)
        for ref in request.refs
        for name in policy.protected
    )


# -------------------------------------------------------------------------------------------------------- summaries
def reader_summary(request: Asking) -> str:
    """Document 3's sentence for a reading request; the command line if the document has none."""
    if isinstance(request, Words):
        return command_string(request)
    name = request_name(request)
    if name == "status":
        return "Show git status"
    if name == "log":
        return "Show git log"
    if name == "branch":
        return "List branches"
    if name == "diff":
        revs = [str(rev) for rev in getattr(request, "revs", None) or ()]
        parts = ["Show diff"] + (["cached"] if getattr(request, "cached", False) else [])
        return " ".join(parts + (["..".join(revs)] if revs else []))
    if name == "show":
        return f"Show commit {' '.join(getattr(request, 'revs', None) or ['HEAD'])}"
    if name == "stash list":
        return "List stashes"
    if name == "stash show":
        entry = "".join(getattr(request, "stash", [])[:1]) or "0"
        return f"Show stash@{{{entry.removeprefix('stash@{').removesuffix('}')}}}"
    if name == "blame":
        return _blame_summary(request)
    return command_string(request)


def _blame_summary(request: Request[Any]) -> str:
    path = getattr(request, "path", None) or " ".join(getattr(request, "paths", None) or [])
    lines = [re.sub(",", "-", str(one), count=1) for one in getattr(request, "lines", None) or ()]
    return f"Blame {path}" + (f" [lines {', '.join(lines)}]" if lines else "")


def request_name(request: Request[Any]) -> str:
    """git's name for a request: "log", "stash list"."""
    if isinstance(request, OtherMutation):
        return request.command
    if isinstance(request, Mutation):
        return request.git
    name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(request).__name__.removesuffix("Request")).lower()
    return name.replace("-", " ", 1) if name.startswith("stash-") else name


def command_string(request: Asking) -> str:
    """The request as document 1 writes it for rules: "git push origin main"; options first, then words."""
    if isinstance(request, Words):
        return " ".join(["git", "rev-parse", *request.args])
    words = ["git", *request_name(request).split(" ")]
    plain: list[str] = []
    given = request.model_fields_set
    for name, info in fields_of(type(request)).items():
        if name not in given:
            continue
        value = getattr(request, name)
        flags = [one for one in info.metadata if isinstance(one, Flag)]
        if name == "switches":
            words += value
        elif flags:
            words += _option(flags, value)
        elif not isinstance(request, Mutation):
            plain += _plain(value)
    return " ".join(words + (request.words() if isinstance(request, Mutation) else plain))


def _option(flags: list[Flag], value: Any) -> list[str]:
    """A field's option in the form of a command line."""
    for flag in flags:
        if flag.value is None and flag.const == value:
            return [flag.names[-1]]
    flag = next((one for one in flags if one.value is not None), flags[0])
    name = next((one for one in reversed(flag.names) if one != "-NUM"), flag.names[0])
    if value in (None, False, [], ()):
        return []
    if value is True:
        return [name]
    sign = "=" if name.startswith("--") else " "
    return [f"{name}{sign}{one}" for one in (value if isinstance(value, list | tuple) else [value])]


def _plain(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def request_digest(request: Asking) -> str:
    """The digest that an approval is bound to: of the request's kind and all of its fields."""
    if isinstance(request, Words):
        return sha256(command_string(request).encode()).hexdigest()
    body = json.dumps(request.model_dump(mode="json"), sort_keys=True, default=str)
    return sha256(f"{type(request).__module__}.{type(request).__name__} {body}".encode()).hexdigest()

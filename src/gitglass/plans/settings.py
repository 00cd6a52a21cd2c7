"""Settings with invalid values that end a command even if it does not use them.

git reads its configuration before it does anything, entry by entry, and an invalid value ends the command:
`color.diff.meta=bogus` ends `git status --short`, `core.compression=10` nearly every command. The lists of which
commands read which settings were observed; other settings are checked where they are used. Mirrors git-config(1).
"""

from ..config.config import Config, Entry
from ..errors import GitError
from . import setting_values as values
from .setting_values import Judge

__all__ = ["judge_settings"]

_NO_DEFAULTS = frozenset(["check-ref-format", "cherry", "config", "reflog exists", "remote", "stripspace"])
_LOGS = frozenset(["format-patch", "log", "reflog", "show", "stash list", "whatchanged"])
_SHOWN = _LOGS | {"compare", "diff", "stash show", "status"}
_PORCELAIN = _SHOWN | {"commit", "merge"}
_STASHING = frozenset(["stash push", "stash save", "stash pop", "stash apply", "stash drop", "stash clear"])
_STASHED = _STASHING | {"stash branch", "stash create", "stash store"}
_PICKS = frozenset(["cherry-pick", "rebase", "revert"])
_MERGES = _PICKS | {"merge", "stash apply", "stash branch", "stash pop"}
_MERGED = _MERGES | {"merge-tree"}
_CHECKOUTS = frozenset(["checkout", "restore", "switch"])
_DIFFS = _PORCELAIN | _STASHED | _PICKS | {"diff-files", "diff-index", "diff-tree", "stash"}
_COLORED = _PORCELAIN - {"format-patch"}
_GREPS = _LOGS | {"grep"}
_BLAMES = frozenset(["annotate", "blame"])
_STATUS = frozenset(["commit", "status"])
_COMMIT = frozenset(["commit"])
_SIGNED = _PICKS | {"commit", "merge"}
_BRANCH = frozenset(["branch"])
_TAG = frozenset(["tag"])
_MERGE = frozenset(["merge"])
_REBASE = frozenset(["rebase"])
_STASHES = _STASHED | {"stash", "stash show"}
_MAILS = frozenset(["format-patch"])
_PUSH = frozenset(["push"])
_FETCHES = frozenset(["fetch", "pull"])
_WRITES = _STASHED | _SIGNED | _CHECKOUTS | _FETCHES | {"add", "mv", "push", "reset", "rm", "update-ref"}

#: commands that prepare for objects or the index
_PREPARED = _LOGS | _BLAMES | {
    "cat-file", "check-attr", "check-ignore", "cherry", "describe", "diff", "diff-files", "diff-index", "diff-tree",
    "for-each-ref", "fsck", "grep", "ls-files", "ls-tree", "merge-base", "merge-tree", "name-rev", "rev-list",
    "rev-parse", "shortlog", "show-ref", "stash", "status", "worktree",
}  # fmt: skip

#: groups of colours → the commands that read them
_PALETTES = {
    b"diff": _DIFFS, b"status": _STATUS, b"branch": _BRANCH, b"decorate": _LOGS, b"grep": _GREPS,
}  # fmt: skip

#: the settings of a diff driver, `diff.<driver>.<name>`, and the commands that read them (gitattributes(5))
_DRIVERS: dict[bytes, Judge] = {
    **dict.fromkeys([b"command", b"funcname", b"textconv", b"wordregex", b"xfuncname"], values.word),
    b"binary": values.or_words(b"auto"),
    b"cachetextconv": values.boolean,
}
_DRIVEN = _DIFFS | _GREPS | _BLAMES | {"cat-file"}

_Rules = dict[bytes, tuple[frozenset[str], Judge]]


def _all(commands: frozenset[str], judge: Judge, section: str, names: str) -> _Rules:
    return {f"{section}.{name}".encode(): (commands, judge) for name in names.split()}


_invalid = values.one_of("invalid value for '{key}': '{value}'", b"openpgp", b"x509", b"ssh")
_preferred = values.one_of(
    "unknown hint type for '{key}': {value}", b"none", b"commit", b"committish", b"tree", b"treeish", b"blob", fold=True
)
_EVERYONE: frozenset[str] = frozenset()  # all except _NO_DEFAULTS
_ADVICE = (
    "addembeddedrepo addemptypathspec addignoredfile ambiguousfetchrefspec amworkdir checkoutambiguousremotebranchname "
    "commitbeforemerge detachedhead fetchshowforcedupdates graftfiledeprecated ignoredhook implicitidentity "
    "nestedtag objectnamewarning pushalreadyexists pushfetchfirst pushneedsforce pushnonfastforward pushnonffcurrent "
    "pushnonffmatching pushrefneedsupdate pushunqualifiedrefname pushupdaterejected resetnorefresh resolveconflict "
    "rmhints sequencerinuse setupstreamfailure skippedcherrypicks statusaheadbehindwarning statushints statusuoption "
    "submodulealternateerrorstrategydie submodulesnotupdated suggestdetachinghead updatesparsepath "
    "waitingforeditor"
)
#: what is read of the core and of the repository by every command
_DEFAULTS: _Rules = {
    **_all(_EVERYONE, values.boolean, "core", "bare filemode ignorecase symlinks trustctime precomposeunicode"),
    **_all(_EVERYONE, values.boolean, "core", "preloadindex quotepath warnambiguousrefs sparsecheckout usereplacerefs"),
    **_all(_EVERYONE, values.boolean, "core", "prefersymlinkrefs protecthfs protectntfs sparsecheckoutcone"),
    **_all(_EVERYONE, values.word, "core", "askpass attributesfile editor excludesfile hookspath"),
    **_all(_EVERYONE, values.whitespace, "core", "whitespace"),
    **_all(_EVERYONE, values.or_words(b"always"), "core", "logallrefupdates"),
    **_all(_EVERYONE, values.or_words(b"input"), "core", "autocrlf"),
    **_all(_EVERYONE, values.or_words(b"warn"), "core", "safecrlf"),
    **_all(_EVERYONE, values.size, "core", "packedgitlimit packedgitwindowsize deltabasecachelimit bigfilethreshold"),
    **_all(_EVERYONE, values.compression, "core", "compression loosecompression"),
    **_all(_EVERYONE, values.comment, "core", "commentchar"),
    **_all(_EVERYONE, values.abbrev, "core", "abbrev"),
    **_all(_EVERYONE, values.creation, "core", "createobject"),
    **_all(_EVERYONE, _preferred, "core", "disambiguate"),
    **_all(_EVERYONE, values.boolean, "advice", _ADVICE),
    **_all(_EVERYONE, values.pushed, "push", "default"),
    **_all(_EVERYONE, values.or_words(b"always", b"inherit", b"simple"), "branch", "autosetupmerge"),
    **_all(
        _EVERYONE, values.one_of("malformed value for {key}", b"never", b"local", b"remote", b"always"),
        "branch", "autosetuprebase",
    ),
    **_all(_EVERYONE, values.when, "color", "advice"),
    **_all(_EVERYONE, values.compression, "pack", "compression"),
    **_all(_EVERYONE, values.size, "pack", "packsizelimit"),
    **_all(_EVERYONE, values.boolean, "user", "useconfigonly"),
    **_all(_EVERYONE, values.word, "user", "email name"),
    **_all(_EVERYONE, values.word, "author", "email name"),
    **_all(_EVERYONE, values.word, "committer", "email name"),
    **_all(_EVERYONE, values.word, "i18n", "commitencoding logoutputencoding"),
    **_all(_EVERYONE, values.word, "mailmap", "blob file"),
}  # fmt: skip
_RULES: _Rules = {
    **_DEFAULTS,
    **_all(_WRITES, values.boolean, "core", "commitgraph"),
    **_all(_WRITES, values.boolean, "index", "sparse"),
    **_all(_WRITES | _PREPARED, values.number, "index", "version"),
    **_all(_PREPARED, values.word, "core", "untrackedcache"),
    **_all(_WRITES, values.boolean, "feature", "experimental manyfiles"),
    **_all(_WRITES, values.boolean, "fetch", "writecommitgraph"),
    **_all(_WRITES, values.number, "commitgraph", "generationversion"),
    **_all(_WRITES - _FETCHES, values.shared, "core", "sharedrepository"),
    **_all(_COLORED, values.when, "color", "diff"),
    **_all(_STATUS, values.when, "color", "status"),
    **_all(_BRANCH, values.when, "color", "branch"),
    **_all(_GREPS, values.when, "color", "grep"),
    **_all(_COLORED | {"branch", "grep", "tag"}, values.when, "color", "ui"),
    **_all(_PUSH, values.when, "color", "push transport"),
    **_all(_BLAMES, values.recent, "color", "blame.highlightrecent"),
    **_all(_PORCELAIN, values.lines, "diff", "context interhunkcontext"),
    **_all(_PORCELAIN, values.algorithm, "diff", "algorithm"),
    **_all(_PORCELAIN, values.moved, "diff", "colormoved"),
    **_all(_PORCELAIN, values.word, "diff", "external orderfile wordregex"),
    **_all(_DIFFS, values.highlights, "diff", "wserrorhighlight"),
    **_all(_PORCELAIN, values.number, "diff", "statgraphwidth"),
    **_all(_PORCELAIN, values.boolean, "diff", "relative autorefreshindex noprefix mnemonicprefix"),
    **_all(_PORCELAIN | _MERGED, values.or_words(b"copies", b"copy"), "diff", "renames"),
    **_all(_DIFFS | _MERGED, values.number, "diff", "renamelimit"),
    **_all(_PORCELAIN, values.moved_spaces, "diff", "colormovedws"),
    **_all(_PORCELAIN | _CHECKOUTS | {"stash branch"}, values.submodules, "diff", "ignoresubmodules"),
    **_all(_DIFFS, values.boolean, "diff", "suppressblankempty"),
    **_all(_DIFFS | _BLAMES, values.boolean, "diff", "indentheuristic"),
    **_all(_LOGS, values.boolean, "log", "follow showroot mailmap abbrevcommit showsignature"),
    **_all(_LOGS, values.boolean, "format", "encodeemailheaders"),
    **_all(_LOGS, values.word, "format", "pretty subjectprefix"),
    **_all(_LOGS, values.word, "log", "date"),
    **_all(_GREPS, values.boolean, "grep", "linenumber column extendedregexp fullname"),
    **_all(frozenset(["grep"]), values.threads, "grep", "threads"),
    **_all(_BLAMES, values.boolean, "blame", "showroot blankboundary showemail"),
    **_all(_STASHES, values.boolean, "stash", "showpatch showstat showincludeuntracked"),
    **_all(_MAILS, values.boolean, "format", "signoff"),
    b"format.numbered": (_MAILS, values.or_words(b"auto")),
    **_all(_STATUS, values.boolean, "status", "relativepaths showstash displaycommentprefix aheadbehind branch short"),
    **_all(_STATUS, values.untracked, "status", "showuntrackedfiles"),
    **_all(_TAG, values.boolean, "tag", "gpgsign forcesignannotated"),
    **_all(_SIGNED | _TAG, _invalid, "gpg", "format"),
    **_all(_SIGNED, values.boolean, "commit", "gpgsign"),
    **_all(_COMMIT, values.boolean, "commit", "status"),
    **_all(_COMMIT, values.boolean, "rerere", "enabled autoupdate"),
    **_all(_COMMIT, values.word, "commit", "template"),
    **_all(_MERGES | _COMMIT, values.cleanup, "commit", "cleanup"),
    **_all(_MERGED, values.boolean, "merge", "renormalize"),
    **_all(_MERGED, values.or_words(b"copies", b"copy"), "merge", "renames"),
    **_all(_MERGED, values.number, "merge", "renamelimit verbosity"),
    **_all(_MERGES | _CHECKOUTS, values.style, "merge", "conflictstyle"),
    **_all(_MERGE, values.boolean, "merge", "autostash branchdesc defaulttoupstream stat verifysignatures"),
    **_all(_REBASE, values.boolean, "rebase", "autosquash autostash forkpoint stat updaterefs"),
    **_all(_REBASE, values.backend, "rebase", "backend"),
    **_all(frozenset(["revert"]), values.boolean, "revert", "reference"),
    **_all(frozenset(["add"]), values.boolean, "add", "ignoreerrors"),
    **_all(_CHECKOUTS, values.boolean, "checkout", "guess"),
    **_all(_BRANCH, values.boolean, "submodule", "propagatebranches"),
    **_all(_BRANCH | _CHECKOUTS | _PUSH | _FETCHES | {"reset"}, values.boolean, "submodule", "recurse"),
    **_all(_PUSH, values.boolean, "push", "autosetupremote followtags"),
    **_all(_FETCHES, values.boolean, "fetch", "prune"),
}


def judge_settings(command: str, config: Config) -> None:
    """Raise git's error about the first invalid setting among those that `command` reads. BadConfig.

    A command that writes is named as well ("commit", "stash push"). "stash" stands for what git reads for `stash list`
    before it runs its log. Where git would find a setting out half way, and end there with a work tree that is changed
    in part, this is found before anything is done.
    """
    for entry in config.entries:
        wrong = _judged(command, entry)
        if wrong is not None:
            raise wrong


def _judged(command: str, entry: Entry) -> GitError | None:
    rule = _RULES.get(entry.key)
    if rule is not None:
        commands, judge = rule
        reads = command in commands if commands else _NO_DEFAULTS.isdisjoint([command, command.partition(" ")[0]])
        return judge(entry) if reads else None
    section, _, name = entry.key.partition(b".")
    driver, _, setting = name.rpartition(b".")
    if section == b"diff" and driver and setting in _DRIVERS:
        return _DRIVERS[setting](entry) if command in _DRIVEN else None
    group, _, slot = name.partition(b".")
    if section in (b"diff", b"status") and group == b"color":  # the older name of color.diff.<slot>
        section, group = b"color", section
    if section == b"color" and command in _PALETTES.get(group, ()):
        return values.color(entry, group, slot)
    return None

"""Which test files are `quick`: those of every room that show a broken rule first, and cost little to load and to run.

With `-m quick` the others are not even loaded: to load all of tests/ takes longer than these take to run.
"""

from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent

#: rooms of which every file is quick
ROOMS = frozenset({"config", "paths", "refs"})

#: and files of the others, by room
FILES = {
    "": "deferred errors messages quick records version visible",
    "agent": "answer schema",
    "agent/native": "params sizes",
    "blame": "blame",
    "bridge": "commits refsource store",
    "cli": "aliases globals help usage",
    "commands": "blame_words short_names shortlog show small_commands whatchanged",
    "diff": "changes pickaxe",
    "diff/lines": "histogram hunks ranges whitespace words",
    "disk": "opened",
    "fsck": "objects roots",
    "graph": "columns merge_base nodes",
    "grep": "lines",
    "history": "filters matching reflogs",
    "history/objects": "filters git_order",
    "history/order": "listed",
    "index": "rows",
    "merge": "remerge",
    "mutate": "config_edit init names",
    "objects": "alternates hashes idents loose names",
    "parseopt": "spec",
    "plans": "blame objects refs status_patches walk words",
    "regex": "posix",
    "regex/perl": "pieces syntax",
    "render": "quote status",
    "render/diff": "combined formats patch raw summary words",
    "render/log": "decorate letters log mail_text padding placeholders",
    "render/refs": "branches environment text",
    "repo": "discover encoding",
    "request": "dates diff pathspecs pretty refs",
    "revs": "errors names nearest reflogs shown_paths",
    "workspace": "edits marks",
    "worktree": "compare copies submodules",
}


def is_quick(path: Path) -> bool:
    """Whether a test file is quick."""
    *folders, name = path.relative_to(TESTS).parts
    if folders and folders[0] in ROOMS:
        return True
    return name.removeprefix("test_").removesuffix(".py") in FILES.get("/".join(folders), "").split()

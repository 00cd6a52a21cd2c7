"""docs/design/index.md, "Rooms, and who may import whom", held from the code's own ast.

A file is parsed once a process: `RULES` are asked of each, and what it imports is kept for the rules about all of them.
"""

import ast
import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SRC = TESTS.parent / "src" / "gitglass"
FILES = sorted(SRC.rglob("*.py"))

#: left may not know right; what stands together in brackets may not know each other
ORDER = """
    version annotations | deferred | records | messages | errors | limits | regex visible memories | disk | config | objects | refs index | repo | paths | diff | graph | merge |
    history | blame fsck revs | worktree | grep | render request | parseopt | plans | commands completed | cli | repository | bridge agent | mutate | workspace | sealed | __main__ __init__
"""
LAYERS = {room: level for level, rooms in enumerate(ORDER.split("|")) for room in rooms.split()}

#: module → the files (or packages, with a trailing slash) that may import it
ONLY = {
    "dulwich": ("objects/delta.py", "bridge/", "mutate/", "workspace/"),
    "pydantic": ("request/", "plans/", "commands/", "repository.py", "cli/", "agent/", "workspace/"),
    "subprocess": ("mutate/process/run.py",), "selectors": ("mutate/process/run.py",),
    "mcp": ("agent/mcp/",), "mcp_types": ("agent/mcp/",), "anyio": ("agent/mcp/",), "uvicorn": ("agent/mcp/",),
    "pydantic_ai": ("agent/adapters/pydantic_ai.py",),
    "langchain_core": ("agent/adapters/langchain.py",),
    "textual": ("workspace/review/app/",), "rich": ("workspace/review/app/",),
    "socket": (), "urllib3": ("mutate/remote/",), "multiprocessing": (), "pickle": (), "shutil": (), "tempfile": (), "ctypes": (),
    "pathlib": ("agent/",),
    "typing": ("annotations.py", "request/declared.py", "request/derived.py", "bridge/", "merge/", "agent/", "mutate/", "workspace/"),
}  # fmt: skip

#: what touches the file system or starts something, as attributes of `os` and as methods of paths
TOUCHES = {
    "open", "stat", "lstat", "scandir", "listdir", "readlink", "walk", "fdopen", "mkdir", "remove", "unlink", "rename", "replace",
    "symlink", "link", "chmod", "utime", "system", "popen", "fork", "execv", "execve", "spawnv", "posix_spawn", "access", "truncate",
}  # fmt: skip
PATH_METHODS = {
    "read_bytes", "read_text", "write_bytes", "write_text", "iterdir", "glob", "rglob", "is_file", "is_dir", "exists", "touch",
}  # fmt: skip
#: the one door to the disk
JAIL = ("disk/jail.py", "disk/opened.py")
#: the one door that writes; rooms for programs, and programs themselves, lie outside of every root
DOOR = ("mutate/calls.py", "mutate/process/room.py", "mutate/process/prove.py")

#: imports inside of functions, each with its reason: start-up, or the door that the library opens only when argv is spoken
LAZY = {
    "annotations.py", "__init__.py", "__main__.py", "repository.py", "regex/search.py", "regex/matcher.py", "regex/perl/classes.py", "repo/store.py", "objects/delta.py", "render/diff/patch.py", "render/log/pretty.py", "render/style.py",
    "cli/answer.py", "commands/registry.py", "commands/command.py", "commands/rev_parse.py", "request/declared.py",
}  # fmt: skip

#: what a type names only: (file, room to the right)
NAMED = {("repository.py", "bridge")}

#: packages in which a family may have a common first word, since git's commands have their names
FAMILIES = {"commands"}
#: what stands in commands/ and is no command: the gate, the list of commands, the rules of what writes
NO_COMMANDS = {"__init__", "command", "registry", "policy"}

#: what of a module grows, and no further: with the program's own classes, commands and lengths of hashes; and the ids of
#: operations, each of which leaves when it ends
GROW = {
    ("request/declared.py", "_KINDS"), ("request/flag.py", "_TABLES"), ("objects/parsed.py", "_SPLITTERS"),
    ("regex/perl/classes.py", "SHORT"), ("commands/registry.py", "_LOADED"),
    ("mutate/journal.py", "_AT_WORK"),
}  # fmt: skip
CONTAINERS = {"dict", "list", "set", "OrderedDict", "defaultdict", "deque", "WeakValueDictionary", "WeakKeyDictionary"}

#: what an engine or a printer is asked, and what is handed on from the words of a command line: values, made once
VALUES = re.compile(
    r"(Spec|Shape|Look|Options|Plan|Settings|Tips?|BlameStyle|TreeStyle|Formats|StatWidths|Dirstat|Pickaxe|Globals)$"
)
#: names that such values go by
VALUE_NAMES = {"spec", "how", "walk_how", "shape", "look", "plan", "formats", "patch", "tip", "tips", "named", "front"}
#: value classes by name that are something else: what a walk under way keeps of a commit
NO_VALUES = {"name_rev._Tip"}
#: what makes records, and may set what is frozen to others
AROUND = {"records.py", "request/declared.py", "deferred.py"}


Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Source:
    """A module of ours, parsed: every import with whether it runs when the module is loaded, and whether only type
    checkers see it."""

    name: str
    text: str
    tree: ast.Module = field(init=False)
    nodes: list[ast.AST] = field(init=False)
    imports: list[tuple[Import, bool, bool]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tree", ast.parse(self.text))
        object.__setattr__(self, "nodes", list(ast.walk(self.tree)))
        object.__setattr__(self, "imports", list(imports(self.tree)))

    @property
    def package(self) -> list[str]:
        return self.name.split("/")[:-1]

    @property
    def room(self) -> str:
        return room(module(self.name))

    def targets(self, statement: Import) -> Iterator[str]:
        """The modules of gitglass that a statement imports."""
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
            yield from (name.removeprefix("gitglass.") for name in names if name.startswith("gitglass."))
            return
        base = self.package
        if statement.level:
            base = base[: len(base) - statement.level + 1]
        elif (statement.module or "").split(".")[0] == "gitglass":
            base = []
        else:
            return
        words = (statement.module or "").split(".") if statement.module else []
        full = ".".join([*base, *(words if statement.level else words[1:])])
        for alias in statement.names:
            inner = f"{full}.{alias.name}".strip(".")
            yield inner if inner in MODULES else full or "__init__"


def name(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def module(name: str) -> str:
    parts = name.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def room(dotted: str) -> str:
    return dotted.split(".")[0]


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(node: ast.AST, *, top: bool = True, typed: bool = False) -> Iterator[tuple[Import, bool, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, top, typed
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):  # no expression holds an import
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(child, top=top and not inside, typed=typed or is_type_checking(child))


def deferrals(block: ast.AST) -> list[ast.Assign]:
    """The assignments in the `else` of a block for type checkers that defer an import."""
    return [
        statement
        for statement in getattr(block, "orelse", ())
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id == "deferred"
    ]


Rule = Callable[[Source], Iterator[str]]
RULES: dict[str, Rule] = {}
#: a file that breaks each of them
BROKEN: dict[str, tuple[str, str]] = {}


def rule(*broken: str) -> Callable[[Rule], Rule]:
    """Declare a rule for each file; `broken` is the name and the text of a file that breaks it."""

    def declare(function: Rule) -> Rule:
        RULES[function.__name__] = function
        BROKEN[function.__name__] = (broken[0], broken[1])
        return function

    return declare


@rule("grep/slips.py", "if TYPE_CHECKING:\n    from ..commands import grep\n")
def left_does_not_know_right(source: Source) -> Iterator[str]:
    """Imports that only type checkers see count; a listed file may reach to the right from within a function."""
    if source.room not in LAYERS:
        yield f"{source.room} is a room without a place in the order"
        return
    for statement, top, _ in source.imports:
        for other in map(room, source.targets(statement)):
            if other == source.room or (not top and source.name in LAZY) or (source.name, other) in NAMED:
                continue
            if LAYERS[other] >= LAYERS[source.room]:
                yield f"line {statement.lineno}: {source.room} imports {other}"


@rule("grep/slips.py", "def f(): import subprocess\n")
def modules_have_one_home(source: Source) -> Iterator[str]:
    for statement, _, typed in source.imports:
        if typed or (isinstance(statement, ast.ImportFrom) and statement.level):
            continue  # what only type checkers see loads nothing
        words = (
            [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
        )
        for word in words:
            homes = ONLY.get(word.split(".")[0])
            if homes is not None and not source.name.startswith(homes or ("-",)):
                yield f"line {statement.lineno}: imports {word}"


@rule("grep/slips.py", "def f():\n    if x:\n        from .. import errors\n")
def imports_stand_at_the_top(source: Source) -> Iterator[str]:
    for statement, top, _ in source.imports:
        if not top and source.name not in LAZY:
            yield f"line {statement.lineno}: an import inside of a function"


@rule(
    "grep/slips.py",
    "if TYPE_CHECKING:\n    from ..errors import A\nelse:\n    B = deferred(__name__, '..errors', 'B')\n",
)
def deferred_imports_are_what_type_checkers_see(source: Source) -> Iterator[str]:
    if source.name == "deferred.py":
        return
    imported = {
        alias.asname or alias.name
        for statement, top, typed in source.imports
        if top and not typed
        for alias in statement.names
    }
    for block in filter(is_type_checking, source.tree.body):
        seen = {
            ("." * statement.level + (statement.module or ""), alias.name)
            for statement in block.body  # type: ignore[attr-defined]
            if isinstance(statement, ast.ImportFrom)
            for alias in statement.names
        }
        for statement in deferrals(block):
            home, where, *names = statement.value.args  # type: ignore[attr-defined]
            target = statement.targets[0]
            assigned = [ast.unparse(one) for one in getattr(target, "elts", [target])]
            words = [ast.literal_eval(one) for one in names]
            if ast.unparse(home) != "__name__" or assigned != words or not words or imported & set(words):
                yield f"line {statement.lineno}: {assigned} are deferred as {words}"
            for word in words:
                if (ast.literal_eval(where), word) not in seen:
                    yield f"line {statement.lineno}: type checkers do not see {word}"
                    continue
                there = importlib.import_module(ast.literal_eval(where), ".".join(["gitglass", *source.package]))
                if not callable(getattr(there, word)):
                    yield f"line {statement.lineno}: {word} is no function and no class"


@rule("grep/slips.py", "import os\ndef f(): os.stat('x')\n")
def only_the_jail_touches_files(source: Source) -> Iterator[str]:
    if source.name in JAIL + DOOR:
        return
    for node in source.nodes:
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id == "open" and source.name != "repository.py":
            yield f"line {node.lineno}: open()"
        if isinstance(called, ast.Attribute):
            if isinstance(called.value, ast.Name) and called.value.id == "os":
                allowed = source.name == "cli/main.py" and called.attr == "open"  # /dev/null, after a closed pipe
                if called.attr in TOUCHES and not allowed:
                    yield f"line {node.lineno}: os.{called.attr}"
            if called.attr in PATH_METHODS - {"exists", "is_dir"}:
                yield f"line {node.lineno}: .{called.attr}()"


@rule("grep/slips.py", "import os\nx = os.environ\n")
def only_the_command_line_reads_the_environment(source: Source) -> Iterator[str]:
    allowed = ("cli/main.py", "mutate/commandline.py", "agent/mcp/main.py", "workspace/setup/desks.py")
    for node in source.nodes:
        attribute = node.attr if isinstance(node, ast.Attribute) and source.name not in allowed else ""
        if attribute in ("environ", "environb", "getenv"):
            yield f"line {node.lineno}: .{attribute}"


@rule("grep/slips.py", "x = 1\n" * 601)
def a_file_holds_one_idea(source: Source) -> Iterator[str]:
    if source.text.count("\n") > 600:
        yield "more than 600 lines"
    if not ast.get_docstring(source.tree):
        yield "a module opens with what it is for"


#: names that say in which way a value came about and not what it is; a value is named after what it is (docs/glossary.md)
VERBS = {"found", "known", "place", "how", "said", "told"}


@rule("grep/slips.py", "_rows_found = 1\n")
def values_are_named_by_nouns(source: Source) -> Iterator[str]:
    """Nor is one of these a word of a name; NOT_FOUND is the name of an error."""
    fields = ("id", "attr", "arg", "name", "asname")
    names = {getattr(node, field, None) for node in source.nodes for field in fields} - {None, "NOT_FOUND"}
    yield from sorted(name for name in names if isinstance(name, str) and VERBS & set(name.lower().split("_")))


def edited(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that an assignment sets of something with the name of a value."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [*node.targets]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif isinstance(target, ast.Attribute):
            of = target.value
            if (of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else "") in VALUE_NAMES:
                yield target


@rule("grep/slips.py", "def f(self): self.spec.words, x = 1, 2\n")
def no_spec_is_edited_after_it_was_made(source: Source) -> Iterator[str]:
    for node in source.nodes:
        for target in edited(node):
            yield f"line {target.lineno} sets {ast.unparse(target)}"
        if isinstance(node, ast.Attribute) and node.attr == "__setattr__" and source.name not in AROUND:
            yield f"line {node.lineno} goes around a frozen record"


@rule("grep/slips.py", "def f(ctx): ctx.complaints.pop()\n")
def no_line_is_cut_out_of_what_is_written(source: Source) -> Iterator[str]:
    """Warnings that are not meant for anybody are dropped in a scope (messages.Messages.scope)."""
    lists = {"stderr", "complaints", "remarks", "notes", "voices"}
    for node in source.nodes:
        of = None
        if isinstance(node, ast.Subscript):
            of = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value if node.func.attr in ("clear", "pop", "remove", "insert") else None
        if isinstance(of, ast.Attribute) and of.attr in lists and ast.unparse(of.value).endswith(("ctx", "store")):
            yield f"line {of.lineno} cuts {ast.unparse(of)}"


def is_empty_container(value: ast.AST | None) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    return isinstance(value, ast.Call) and not value.args and ast.unparse(value.func).split(".")[-1] in CONTAINERS


@rule("grep/slips.py", "class A:\n    def f(self): self.memo = {}\n")
def nothing_is_remembered_but_in_the_three_memories(source: Source) -> Iterator[str]:
    """docs/design/memories.md: no bag for whatever comes, no unbounded memory of calls, nothing that a module fills."""
    declares = any("memories" in source.targets(statement) for statement, _, _ in source.imports)
    for statement in source.tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and is_empty_container(statement.value):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if (source.name, ast.unparse(target)) not in GROW:
                yield f"line {statement.lineno}: a module that fills"
    top = {id(one.value) for one in source.tree.body if isinstance(one, ast.Assign | ast.AnnAssign)}
    for node in source.nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                bag = isinstance(target, ast.Attribute) and target.attr.strip("_") in ("memo", "kept", "caches")
                if bag and is_empty_container(node.value):
                    yield f"line {node.lineno}: a memory of its own"
        if isinstance(node, ast.FunctionDef):
            for decorator in map(ast.unparse, node.decorator_list):
                if decorator.split(".")[-1] in ("cache", "lru_cache"):
                    yield f"line {node.lineno}: without a bound"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if called == "lru_cache":
                bounds = [word for word in node.keywords if word.arg == "maxsize"]
                if not bounds or ast.unparse(bounds[0].value) == "None":
                    yield f"line {node.lineno}: without a bound"
            if (
                declares
                and called in ("Slot", "Facts", "Files")
                and not (isinstance(node.func, ast.Attribute) or id(node) in top)
            ):
                yield f"line {node.lineno}: declared once, as a constant of the module"


@dataclass(frozen=True)
class Judged:
    """What is kept of a file when its tree is gone: the breaches of each rule, and its imports as (module, whether it
    is loaded with the file, whether only type checkers see it)."""

    source: str
    module: str
    breaches: dict[str, list[str]]
    imports: list[tuple[str, bool, bool]]


MODULES = {module(name(path)) for path in FILES}


def judged_file(source: Source) -> Judged:
    breaches = {title: [f"{source.name}: {breach}" for breach in judge(source)] for title, judge in RULES.items()}
    reached = [(other, top, typed) for one, top, typed in source.imports for other in source.targets(one)]
    return Judged(source.name, module(source.name), breaches, reached)


@cache
def judged() -> list[Judged]:
    return [judged_file(Source(name(path), path.read_text(encoding="utf-8"))) for path in FILES]


@pytest.mark.parametrize("title", RULES)
def test_every_file_keeps_to(title: str) -> None:
    assert [breach for one in judged() for breach in one.breaches[title]] == []
    assert judged_file(Source(*BROKEN[title])).breaches[title], "the rule does not see the file that breaks it"


def graph() -> dict[str, set[str]]:
    """Which module imports which, in functions and for type checkers too; what a listed file loads late is left out."""
    return {
        one.module: {
            other
            for other, top, _ in one.imports
            if (top or one.source not in LAZY) and (one.source, room(other)) not in NAMED
        }
        - {one.module}
        for one in judged()
    }


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    made: list[list[str]] = []

    def visit(one: str) -> None:
        index[one] = low[one] = len(index)
        stack.append(one)
        for other in edges.get(one, ()):
            if other not in index:
                visit(other)
                low[one] = min(low[one], low[other])
            elif other in stack:
                low[one] = min(low[one], index[other])
        if low[one] == index[one]:
            component = stack[stack.index(one) :]
            del stack[stack.index(one) :]
            if len(component) > 1:
                made.append(sorted(component))

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 10_000))
    try:
        for one in edges:
            if one not in index:
                visit(one)
    finally:
        sys.setrecursionlimit(before)
    return made


def test_there_are_no_circles() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles(graph()) == []


def importers(*rooms: str) -> set[tuple[str, bool]]:
    """(file, whether the import runs when the file is loaded) of the imports of these rooms from outside of them."""
    return {
        (one.source, top and not typed)
        for one in judged()
        for other, top, typed in one.imports
        if room(other) in rooms and room(one.module) not in rooms
    }


def test_nothing_that_reads_knows_the_write_side() -> None:
    assert importers("mutate", "workspace") == set()


def test_nothing_that_writes_knows_the_workspace() -> None:
    """It is behind everything: hosts ask for it by name."""
    assert importers("workspace") == set()


def test_nothing_that_starts_up_knows_the_bridge() -> None:
    """dulwich is loaded with it: only `repository` leads there, from inside of the functions that are asked for it."""
    reach = {one for one in importers("bridge") if not one[0].startswith("workspace/")}
    assert reach == {("repository.py", False)}


def test_a_room_can_be_looked_over() -> None:
    """At most 22 files a package, but for commands/, which has one a command and nothing else."""
    sizes = Counter(path.parent.relative_to(SRC).as_posix() for path in FILES)
    assert {room: count for room, count in sizes.items() if count > 22 and room != "commands"} == {}


def test_commands_has_one_file_a_git_command() -> None:
    from gitglass.commands.registry import FORMS, NAMES

    there = {path.stem for path in (SRC / "commands").glob("*.py")}
    forms = {module for _, module in FORMS.values()}
    assert there - NO_COMMANDS == set(NAMES.values()) | forms


def test_no_family_of_files_in_a_bag() -> None:
    """Three files of one package whose names begin with the same word are a package that has not been made."""
    words = Counter(
        (path.parent.relative_to(SRC).as_posix(), path.stem.split("_")[0]) for path in FILES if path.stem[0] != "_"
    )
    assert {found: count for found, count in words.items() if count > 2 and found[0] not in FAMILIES} == {}


def untested() -> dict[str, str]:
    """tests/without_a_file.txt: module → why it has no test file of its own."""
    lines = (TESTS / "without_a_file.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("  ", 1) for line in lines if line and not line.startswith("#")]
    return {words[0]: words[1].strip() for words in rows}


def test_tests_mirror_the_sources() -> None:
    listed = untested()
    for path in FILES:
        if path.stem.startswith("_"):
            continue
        home = TESTS / path.relative_to(SRC).parent / f"test_{path.stem}.py"
        assert home.is_file() != (name(path) in listed), f"{name(path)}: {home.relative_to(TESTS)}"
    assert set(listed) <= set(map(name, FILES)) and all(listed.values())


def records_of(path: Path) -> Iterator[type]:
    made = importlib.import_module("gitglass." + module(name(path))) if path.name != "__main__.py" else None
    for item in vars(made).values() if made is not None else ():
        if isinstance(item, type) and item.__module__ == made.__name__ and hasattr(item, "__record_fields__"):  # type: ignore[union-attr]
            yield item


def test_specs_are_frozen() -> None:
    """A spec that could be edited would be another one to whoever holds it already."""
    count = 0
    for path in FILES:
        if name(path).startswith(("agent/adapters", "agent/mcp", "workspace/review/app/")):
            continue
        for made in records_of(path):
            where = f"{path.stem}.{made.__name__}"
            if VALUES.search(made.__name__) and where not in NO_VALUES:
                assert "__delattr__" in made.__dict__, f"{where} is not frozen"
                count += 1
    assert count >= 30

"""docs/design/index.md, "Rooms, and who may import whom", held from the code's own ast."""

import ast
import importlib
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SRC = TESTS.parent / "src" / "gitglass"
FILES = sorted(SRC.rglob("*.py"))

#: left may not know right; what stands together in brackets may not know each other
ORDER = """
    version deferred | records | messages | errors | limits | regex visible memories | disk | config | objects | refs index | repo | paths | diff | graph | merge |
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
    "__init__.py", "__main__.py", "repository.py", "regex/search.py", "regex/matcher.py", "regex/perl/classes.py", "repo/store.py", "objects/delta.py", "render/diff/patch.py", "render/log/pretty.py", "render/style.py",
    "cli/answer.py", "commands/registry.py", "commands/command.py", "commands/rev_parse.py", "request/declared.py",
}  # fmt: skip

#: what a type names only: (file, room to the right)
NAMED = {("repository.py", "bridge")}

#: packages in which a family may have a common first word, since git's commands have their names
FAMILIES = {"commands"}
#: what stands in commands/ and is no command: the gate, the list of commands, the rules of what writes
NO_COMMANDS = {"__init__", "command", "registry", "policy"}


def name(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def module(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def room(dotted: str) -> str:
    return dotted.split(".")[0]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


Import = ast.Import | ast.ImportFrom


def imports(node: ast.AST, *, top: bool = True, typed: bool = False) -> Iterator[tuple[Import, bool, bool]]:
    """Every import: the statement, whether it runs when the module is loaded, whether only type checkers see it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, top, typed
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
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


MODULES = {module(path): path for path in FILES}


def targets(statement: Import, path: Path) -> Iterator[str]:
    """The modules of gitglass that a statement imports."""
    if isinstance(statement, ast.Import):
        yield from (
            alias.name.removeprefix("gitglass.") for alias in statement.names if alias.name.startswith("gitglass.")
        )
        return
    base = list(path.relative_to(SRC).parts[:-1])
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


@pytest.mark.parametrize("path", FILES, ids=name)
def test_left_does_not_know_right(path: Path) -> None:
    """Imports that only type checkers see count; a listed file may reach to the right from within a function."""
    mine = room(module(path))
    assert mine in LAYERS, "a room without a place in the order"
    for statement, top, _ in imports(tree(path)):
        for other in map(room, targets(statement, path)):
            if other == mine or (not top and name(path) in LAZY) or (name(path), other) in NAMED:
                continue
            assert LAYERS[other] < LAYERS[mine], f"line {statement.lineno}: {mine} imports {other}"


def graph() -> dict[str, set[str]]:
    """Which module imports which, in functions and for type checkers too; what a listed file loads late is left out."""
    found: dict[str, set[str]] = {}
    for path in FILES:
        statements = [one for one, top, _ in imports(tree(path)) if top or name(path) not in LAZY]
        found[module(path)] = {
            other for one in statements for other in targets(one, path) if (name(path), room(other)) not in NAMED
        } - {module(path)}
    return found


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


@pytest.mark.parametrize("path", FILES, ids=name)
def test_modules_with_one_home(path: Path) -> None:
    for statement, _, typed in imports(tree(path)):
        if typed or (isinstance(statement, ast.ImportFrom) and statement.level):
            continue  # what only type checkers see loads nothing
        words = (
            [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
        )
        for word in words:
            homes = ONLY.get(word.split(".")[0])
            assert homes is None or name(path).startswith(homes or ("-",)), f"line {statement.lineno}: imports {word}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_stand_at_the_top(path: Path) -> None:
    for statement, top, _ in imports(tree(path)):
        assert top or name(path) in LAZY, f"line {statement.lineno}: an import inside of a function"


@pytest.mark.parametrize("path", [path for path in FILES if "deferred(" in path.read_text(encoding="utf-8")], ids=name)
def test_deferred_imports_are_what_type_checkers_are_told(path: Path) -> None:
    if path.name == "deferred.py":
        return
    whole = tree(path)
    imported = {
        alias.asname or alias.name
        for statement, top, typed in imports(whole)
        if top and not typed
        for alias in statement.names
    }
    for block in filter(is_type_checking, whole.body):
        told = {
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
            assert ast.unparse(home) == "__name__" and assigned == words and words, f"line {statement.lineno}"
            assert not imported & set(words), f"line {statement.lineno}: imported already"
            for word in words:
                assert (ast.literal_eval(where), word) in told, f"line {statement.lineno}: {word}"
                there = importlib.import_module(
                    ast.literal_eval(where), ".".join(["gitglass", *path.relative_to(SRC).parts[:-1]])
                )
                assert callable(getattr(there, word)), f"line {statement.lineno}: {word} is no function and no class"


def test_nothing_that_reads_knows_the_write_side() -> None:
    knowing = {
        name(path)
        for path in FILES
        for statement, _, _ in imports(tree(path))
        if {"mutate", "workspace"} & set(map(room, targets(statement, path)))
        and room(module(path)) not in ("mutate", "workspace")
    }
    assert knowing == set()


def test_nothing_that_writes_knows_the_workspace() -> None:
    """It is behind everything: hosts ask for it by name."""
    knowing = {
        name(path)
        for path in FILES
        for statement, _, _ in imports(tree(path))
        if "workspace" in map(room, targets(statement, path)) and room(module(path)) != "workspace"
    }
    assert knowing == set()


def test_nothing_that_starts_up_knows_the_bridge() -> None:
    """dulwich is loaded with it: only `repository` leads there, from inside of the functions that are asked for it."""
    known = {
        (name(path), top and not typed)
        for path in FILES
        for statement, top, typed in imports(tree(path))
        if room(module(path)) not in ("bridge", "workspace") and "bridge" in map(room, targets(statement, path))
    }
    assert known == {("repository.py", False)}


@pytest.mark.parametrize("path", [path for path in FILES if name(path) not in JAIL + DOOR], ids=name)
def test_only_the_jail_touches_files(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id == "open":
            assert name(path) == "repository.py", f"line {node.lineno}: open()"
        if isinstance(called, ast.Attribute):
            if isinstance(called.value, ast.Name) and called.value.id == "os":
                allowed = name(path) == "cli/main.py" and called.attr in ("open",)  # /dev/null, after a closed pipe
                assert called.attr not in TOUCHES or allowed, f"line {node.lineno}: os.{called.attr}"
            assert called.attr not in PATH_METHODS - {"exists", "is_dir"}, f"line {node.lineno}: .{called.attr}()"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_only_the_command_line_reads_the_environment(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv"):
            allowed = ("cli/main.py", "mutate/commandline.py", "agent/mcp/main.py", "workspace/setup/desks.py")
            assert name(path) in allowed, f"line {node.lineno}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_holds_one_idea(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 600
    assert ast.get_docstring(tree(path)), "a module opens with what it is for"


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


#: names that say how a value came about and not what it is; a value is named after what it is (docs/glossary.md)
VERBS = {"found", "known", "place", "how", "said", "told"}


def test_values_are_named_by_nouns() -> None:
    used = Counter[str]()
    for path in FILES:
        with tokenize.open(path) as file:
            words = {token.string for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.NAME}
        used.update(f"{name(path)}: {word}" for word in words & VERBS)
    assert used == {}


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


#: what of a module grows, and no further: with the program's own classes, commands and lengths of hashes; and the ids of
#: operations, each of which leaves when it ends
GROW = {
    ("request/declared.py", "_KINDS"), ("request/flag.py", "_TABLES"), ("objects/parsed.py", "_SPLITTERS"),
    ("regex/perl/classes.py", "SHORT"), ("commands/registry.py", "_LOADED"),
    ("mutate/journal.py", "_AT_WORK"),
}  # fmt: skip
CONTAINERS = {"dict", "list", "set", "OrderedDict", "defaultdict", "deque", "WeakValueDictionary", "WeakKeyDictionary"}


def is_empty_container(value: ast.AST | None) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    return isinstance(value, ast.Call) and not value.args and ast.unparse(value.func).split(".")[-1] in CONTAINERS


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_is_remembered_but_in_the_three_memories(path: Path) -> None:
    """docs/design/memories.md: no bag for whatever comes, no unbounded memory of calls, nothing that a module fills."""
    whole = tree(path)
    declares = any("memories" in targets(statement, path) for statement, _, _ in imports(whole))
    for statement in whole.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and is_empty_container(statement.value):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            assert (name(path), ast.unparse(target)) in GROW, f"line {statement.lineno}: a module that fills"
    for node in ast.walk(whole):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                bag = isinstance(target, ast.Attribute) and target.attr.strip("_") in ("memo", "kept", "caches")
                assert not (bag and is_empty_container(node.value)), f"line {node.lineno}: a memory of its own"
        if isinstance(node, ast.FunctionDef):
            for decorator in map(ast.unparse, node.decorator_list):
                assert decorator.split(".")[-1] not in ("cache", "lru_cache"), f"line {node.lineno}: without a bound"
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "lru_cache":
            bounds = [word for word in node.keywords if word.arg == "maxsize"]
            assert bounds and ast.unparse(bounds[0].value) != "None", f"line {node.lineno}: without a bound"
        if declares and isinstance(node, ast.Call) and ast.unparse(node.func) in ("Slot", "Facts", "Files"):
            top = {id(statement.value) for statement in whole.body if isinstance(statement, ast.Assign | ast.AnnAssign)}
            assert id(node) in top, f"line {node.lineno}: declared once, as a constant of the module"


#: what an engine or a printer is asked, and what is handed on from the words of a command line: values, made once
VALUES = re.compile(
    r"(Spec|Shape|Look|Options|Plan|Settings|Tips?|BlameStyle|TreeStyle|Formats|StatWidths|Dirstat|Pickaxe|Globals)$"
)
#: names that such values go by
VALUE_NAMES = {"spec", "how", "walk_how", "shape", "look", "plan", "formats", "patch", "tip", "tips", "named", "front"}
#: value classes by name that are something else: what a walk under way keeps of a commit
NO_VALUES = {"name_rev._Tip"}


def records_of(path: Path) -> Iterator[type]:
    made = importlib.import_module("gitglass." + module(path)) if path.name != "__main__.py" else None
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


def test_no_spec_is_edited_after_it_was_made() -> None:
    for path in FILES:
        for node in ast.walk(tree(path)):
            for target in edited(node):
                raise AssertionError(f"{name(path)}:{target.lineno} sets {ast.unparse(target)}")
            if isinstance(node, ast.Attribute) and node.attr == "__setattr__" and name(path) not in (
                "records.py", "request/declared.py", "deferred.py",
            ):  # fmt: skip
                raise AssertionError(f"{name(path)}:{node.lineno} goes around a frozen record")


def test_no_line_is_cut_out_of_what_is_said() -> None:
    """Warnings that are not meant for anybody are dropped in a scope (messages.Messages.scope)."""
    lists = {"stderr", "complaints", "remarks", "notes", "voices"}
    for path in FILES:
        for node in ast.walk(tree(path)):
            of = None
            if isinstance(node, ast.Subscript):
                of = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of = node.func.value if node.func.attr in ("clear", "pop", "remove", "insert") else None
            if isinstance(of, ast.Attribute) and of.attr in lists and ast.unparse(of.value).endswith(("ctx", "store")):
                raise AssertionError(f"{name(path)}:{node.lineno} cuts {ast.unparse(of)}")

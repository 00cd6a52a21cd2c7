"""DESIGN.md section 6, held from the code's own ast: who may import whom, and what may be touched only where."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src" / "gitglass"
FILES = sorted(SRC.rglob("*.py"))

#: left may not know right; what shares a number may not know each other
LAYERS = {
    "deferred": -2, "records": -1, "errors": 0, "limits": 1, "patterncost": 0, "posixre": 1, "perlclasses": 1, "perlpieces": 1.1, "perlescapes": 1.2, "perlre": 1.3, "patternsearch": 1.5, "patterns": 2, "store": 3, "paths": 4, "diff": 5, "walk": 6, "revs": 7, "worktree": 8, "mutate": 9,
    "render": 10, "model": 10, "commands": 11, "completed": 11, "repository": 12, "bridge": 12.5, "cli": 13, "agent": 14, "__main__": 15, "__init__": 15,
}  # fmt: skip

#: module → the files (or packages, with a trailing slash) that may import it
ONLY = {
    "dulwich": ("objects/delta.py", "bridge/"),
    "pydantic": ("model/", "commands/", "repository.py", "cli/", "agent/"),
    "subprocess": ("mutate/process.py",),
    "mcp": ("agent/mcp/",), "mcp_types": ("agent/mcp/",), "anyio": ("agent/mcp/",), "uvicorn": ("agent/mcp/",),
    "pydantic_ai": ("agent/adapters/pydantic_ai.py",),
    "langchain_core": ("agent/adapters/langchain.py",),
    "socket": (), "multiprocessing": (), "pickle": (), "shutil": (), "tempfile": (), "ctypes": (),
    "pathlib": ("agent/",),
}  # fmt: skip

#: what touches the file system or starts something, as attributes of `os` and as methods of paths
TOUCHES = {
    "open", "stat", "lstat", "scandir", "listdir", "readlink", "walk", "fdopen", "mkdir", "remove", "unlink", "rename", "replace",
    "symlink", "link", "chmod", "utime", "system", "popen", "fork", "execv", "execve", "spawnv", "posix_spawn", "access", "truncate",
}  # fmt: skip
PATH_METHODS = {
    "read_bytes",
    "read_text",
    "write_bytes",
    "write_text",
    "iterdir",
    "glob",
    "rglob",
    "is_file",
    "is_dir",
    "exists",
    "touch",
}
#: the one door to the disk
JAIL = ("disk/jail.py", "disk/directory.py")

#: imports inside of functions, each with its reason: start-up, or the door that the library opens only when argv is spoken
LAZY = {
    "__init__.py", "__main__.py", "repository.py", "regex/search.py", "regex/matcher.py", "regex/perl/classes.py", "repo/store.py", "objects/delta.py", "render/diff/patch.py", "render/log/pretty.py",
    "cli/answer.py", "commands/registry.py", "commands/command.py", "commands/rev_parse.py", "request/declared.py",
}  # fmt: skip


def name(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def room(path: Path) -> str:
    parts = path.relative_to(SRC).parts
    return parts[0] if len(parts) > 1 else path.stem


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(node: ast.AST, *, top: bool = True) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import with whether it runs when the module is loaded; those for type checkers only are left out.

    Deferred ones (`gitglass.deferred`) are not for type checkers only: what is beside the `else` counts.
    """
    for child in ast.iter_child_nodes(node):
        if is_type_checking(child):
            if deferrals(child):
                yield from ((statement, top) for statement in child.body if isinstance(statement, ast.ImportFrom))  # type: ignore[attr-defined]
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, top
        yield from imports(
            child, top=top and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        )


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


def rooms_of(statement: ast.Import | ast.ImportFrom, path: Path) -> list[str]:
    """The rooms of gitglass that a statement imports from."""
    if isinstance(statement, ast.Import):
        return [alias.name.split(".")[1] for alias in statement.names if alias.name.startswith("gitglass.")]
    if not statement.level:
        module = statement.module or ""
        return [module.split(".")[1]] if module.startswith("gitglass.") else []
    package = path.relative_to(SRC).parts[:-1]
    base = package[: len(package) - statement.level + 1]
    full = [*base, *(statement.module.split(".") if statement.module else [])]
    return [full[0]] if full else [alias.name for alias in statement.names]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_left_does_not_know_right(path: Path) -> None:
    mine = room(path)
    for statement, top in imports(tree(path)):
        for other in rooms_of(statement, path):
            if other == mine or other not in LAYERS or (not top and name(path) in LAZY):
                continue
            assert LAYERS[other] < LAYERS[mine], f"line {statement.lineno}: {mine} imports {other}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_modules_with_one_home(path: Path) -> None:
    for statement, _ in imports(tree(path)):
        if isinstance(statement, ast.ImportFrom) and statement.level:
            continue
        modules = (
            [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
        )
        for module in modules:
            homes = ONLY.get(module.split(".")[0])
            assert homes is None or name(path).startswith(homes or ("-",)), f"line {statement.lineno}: imports {module}"


def test_nothing_that_starts_up_knows_the_bridge() -> None:
    """dulwich is loaded with it: only `repository` leads there, from inside of the functions that are asked for it."""
    known = {
        (name(path), top)
        for path in FILES
        for statement, top in imports(tree(path))
        if room(path) != "bridge" and "bridge" in rooms_of(statement, path)
    }
    assert known == {("repository.py", False)}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_stand_at_the_top(path: Path) -> None:
    for statement, top in imports(tree(path)):
        assert top or name(path) in LAZY, f"line {statement.lineno}: an import inside of a function"


@pytest.mark.parametrize("path", [path for path in FILES if "deferred(" in path.read_text(encoding="utf-8")], ids=name)
def test_deferred_imports_are_what_type_checkers_are_told(path: Path) -> None:
    if path.name == "deferred.py":
        return
    module = tree(path)
    imported = {
        alias.asname or alias.name
        for statement, top in imports(module)
        if top and not any(statement in getattr(block, "body", ()) for block in module.body if is_type_checking(block))
        for alias in statement.names
    }
    for block in filter(is_type_checking, module.body):
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
                there = importlib.import_module(ast.literal_eval(where), "gitglass." + ".".join(path.relative_to(SRC).parts[:-1]))
                assert callable(getattr(there, word)), f"line {statement.lineno}: {word} is no function and no class"


@pytest.mark.parametrize("path", [path for path in FILES if name(path) not in JAIL], ids=name)
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
            assert name(path) in ("cli/main.py", "mutate/process.py"), f"line {node.lineno}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_holds_one_idea(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 620
    assert ast.get_docstring(tree(path)), "a module opens with what it is for"

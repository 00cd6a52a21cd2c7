"""Breakages that nobody chose: drawn from a file's syntax tree, judged by the tests that are named.

    python -m tests.mutants.drawn FILE... --tests TEST... [--count 50] [--seed 1] [--jobs 2]

FILE is below src/gitglass, TEST below tests/. Each mutant changes one thing: a comparison, a condition, a constant, a
statement that goes. What no test notices is printed with its place: either the change does not matter (a cost, words
in an error that are git's affair), or a test is missing.
"""

import argparse
import ast
import copy
import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from .__main__ import SURVIVED, Run, judged, unbroken, warm_up
from .table import SOURCES, Mutant

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True)
class Drawn(Mutant):
    """A mutant whose broken source is already made."""

    text: str = ""

    @property
    def source(self) -> str | None:
        return self.text

    def __str__(self) -> str:
        return f"{self.file}:{self.breaks}"


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """What of a module can be changed: (node, the change)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _in_function(node)


def _in_function(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[ast.AST, str]]:
    words = function.body[0].value if isinstance(function.body[0], ast.Expr) else None
    inner = {id(node) for part in function.body for node in ast.walk(part) if isinstance(node, ast.FunctionDef)}
    for part in function.body:
        for node in ast.walk(part):
            if node is words or id(node) in inner:
                continue
            if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITE:
                yield node, "compare"
            elif isinstance(node, ast.BoolOp):
                yield node, "and/or"
            elif isinstance(node, ast.If | ast.IfExp):
                yield node, "always"
                yield node, "never"
            elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
                yield node, "constant"
            elif isinstance(node, ast.Return) and node.value is not None:
                yield node, "return None"
            elif isinstance(node, ast.Raise | ast.AugAssign) or (
                isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom)
            ):
                yield node, "gone"


def changed(tree: ast.Module, node: ast.AST, change: str) -> str:
    """The module's source with one node changed; the tree stays as it is."""
    fresh = copy.deepcopy(tree)
    target = next(new for old, new in zip(ast.walk(tree), ast.walk(fresh)) if old is node)
    if isinstance(target, ast.Compare):
        target.ops[0] = OPPOSITE[type(target.ops[0])]()
    elif isinstance(target, ast.BoolOp):
        target.op = ast.Or() if isinstance(target.op, ast.And) else ast.And()
    elif isinstance(target, ast.If | ast.IfExp):
        target.test = ast.Constant(change == "always")
    elif isinstance(target, ast.Constant):
        target.value = not target.value if isinstance(target.value, bool) else int(str(target.value)) + 1
    elif isinstance(target, ast.Return):
        target.value = ast.Constant(None)
    else:
        _replace(fresh, target)
    return ast.unparse(ast.fix_missing_locations(fresh))


def _replace(tree: ast.Module, gone: ast.AST) -> None:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and gone in block:
                block[block.index(gone)] = ast.Pass()


def draw(file: str, tests: tuple[str, ...]) -> list[Drawn]:
    """All mutants of a file."""
    source = (SOURCES / file).read_text(encoding="utf-8")
    tree = ast.parse(source)
    lines = source.splitlines()
    drawn = []
    for node, change in places(tree):
        line = node.lineno  # type: ignore[attr-defined]
        words = f"{line}: {change}: {lines[line - 1].strip()}"
        drawn.append(Drawn(file, "", "", words, "drawn", tests, text=changed(tree, node, change)))
    return drawn


def main() -> int:
    """Draw and judge; 0 whatever survives: that is a place to look, and no verdict."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.drawn", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--tests", nargs="+", required=True, metavar="TEST")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    warm_up()
    began, tests = time.monotonic(), tuple(given.tests)
    population = [one for file in given.files for one in draw(file, tests)]
    chosen = random.Random(given.seed).sample(population, min(given.count, len(population)))
    survivors, runs = 0, [*unbroken([*chosen], given.jobs), *(Run(one, one.tests) for one in chosen)]
    for run, word, words in judged(runs, given.jobs):
        if run.mutant is None:
            if word != SURVIVED:
                print(f"{words}\nthe tests fail without any mutant", flush=True)
                return 1
        elif word == SURVIVED:  # a module that can no longer be imported is noticed too
            survivors += 1
            print(f"survived: {run.mutant}", flush=True)
    print(f"{survivors} of {len(chosen)} survived, of {len(population)} in all; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

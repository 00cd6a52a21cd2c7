"""Small histories in which everything happens: clocks that lie, merges of three, files renamed, copied and made
executable, lines that move, tags of both kinds."""

from __future__ import annotations

import random
from pathlib import Path

from .object_files import Builder

COMMITS = 50
NAMES = ("docs/x.rst", "file", "README.md", "requests/m.py", "setup.py", "src/a.py", "src/b.py", "tests/t.py")
MESSAGES = (
    "fix {0}\n", "Add thing {0}\n\nbody text\n\nSigned-off-by: A <a@x>\n", "long subject\nsecond line\n\npara\n", "  in {0}\n",
)  # fmt: skip
_MORE = ("new {0}", "def f():", "\tx ", "", "import a", "# def")
_STEPS = (0, 0, 100, 3600, -7200, 86400, 5)
Files = dict[str, tuple[str, str]]  # path → mode, text


def on_disk(seed: int, place: Path) -> None:
    """Writes the history of a seed to a repository: branches b0 to b4 and main, tags t<n> (annotated) and l<n>."""
    draw, builder = random.Random(seed), Builder(place)
    made: list[tuple[str, Files]] = []
    refs: dict[str, str] = {}
    now = 1_600_000_000
    for number in range(COMMITS):
        now += draw.choice(_STEPS)
        above = _parents(draw, len(made))
        files = _merged(draw, [made[at][1] for at in above])
        for _ in range(draw.choice((0, 1, 1, 2, 3))):
            _change(draw, files)
        lines = [f"tree {_tree(builder, files).hex()}", *(f"parent {made[at][0]}" for at in above)]
        lines.append(f"author A{draw.randrange(3)} <a@x> {now + draw.randrange(-5000, 5000)} +0{draw.randrange(9)}00")
        lines += [f"committer C <c@x> {now} +0000", "", draw.choice(MESSAGES).format(number)]
        name = builder.loose(b"commit", "\n".join(lines).encode()).hex()
        made.append((name, files))
        refs[f"heads/b{number % 5}"] = refs["heads/main"] = name
        if draw.random() < 0.12:
            body = f"object {name}\ntype commit\ntag t{number}\ntagger T <t@x> {now} +0000\n\nhi\n"
            refs[f"tags/t{number}"] = builder.loose(b"tag", body.encode()).hex()
        if draw.random() < 0.1:
            refs[f"tags/l{number}"] = name
    packed = "".join(f"{name} refs/{ref}\n" for ref, name in sorted(refs.items()))
    (place / ".git/packed-refs").write_text("# pack-refs with: sorted \n" + packed)


def _parents(draw: random.Random, count: int) -> list[int]:
    if not count or draw.random() < 0.03:
        return []
    above = [draw.randrange(max(0, count - 6), count)]
    if draw.random() < 0.3:
        near = range(max(0, count - 10), count)
        above += [at for at in draw.sample(near, min(len(near), draw.choice((1, 1, 1, 2)))) if at not in above]
    return above


def _merged(draw: random.Random, sides: list[Files]) -> Files:
    files = dict(sides[0]) if sides else {}
    for side in sides[1:]:
        files.update({name: file for name, file in side.items() if name not in files or draw.random() < 0.4})
    return files


def _change(draw: random.Random, files: Files) -> None:
    name, kind = draw.choice(NAMES), draw.random()
    if kind < 0.1:
        files.pop(name, None)
    elif kind < 0.25 and files:
        files[name] = files.pop(draw.choice(sorted(files)))
    else:
        usual = [f"line {nth} import def {name}" for nth in range(draw.randrange(1, 14))]
        lines = files[name][1].split("\n") if name in files else [*usual, ""]
        for _ in range(draw.randrange(1, 3)):
            lines.insert(draw.randrange(len(lines)), draw.choice(_MORE).format(draw.randrange(50)))
        if draw.random() < 0.3 and len(lines) > 2:
            del lines[draw.randrange(len(lines) - 1)]
        files[name] = draw.choice(("100644", "100644", "100644", "100755")), "\n".join(lines)


def _tree(builder: Builder, files: Files) -> bytes:
    entries: dict[str, bytes] = {}
    for top in {name.partition("/")[0] for name in files}:
        below = {name[len(top) + 1 :]: file for name, file in files.items() if name.startswith(top + "/")}
        if below:
            entries[top + "/"] = b"40000 " + top.encode() + b"\0" + _tree(builder, below)
        else:
            mode, text = files[top]
            entries[top] = f"{mode} {top}\0".encode() + builder.loose(b"blob", text.encode())
    return builder.loose(b"tree", b"".join(entry for _, entry in sorted(entries.items())))


#: what is asked of every history: words, with `{r}` for a ref
QUESTIONS = (
    "log --remerge-diff -p --all", "log --remerge-diff --raw --reverse --all", "log --remerge-diff -C -C --raw --all",
    "log --remerge-diff --diff-filter=d -p --all", "log --remerge-diff --diff-filter=M --all", "log --remerge-diff -S def --all",
    "log --remerge-diff -t --raw --all", "log --no-commit-id --remerge-diff --raw --all", "log --remerge-diff -R --all",
    "log --follow --remerge-diff --raw {r} -- setup.py", "log --follow --cc {r} -- README.md", "log --follow -c --raw {r} -- file",
    "log --follow -m --raw {r} -- src/a.py", "log --cc --all", "log -c --raw -R --no-renames --all", "log -c --raw -R --all",
    "log -m --name-status -C -C --all", "log --boundary --first-parent --name-only -n 9 {r}",
    "log --boundary --first-parent --diff-filter=AM --raw -n 9 {r}", "log --graph --oneline --all --boundary",
    "log --graph --stat --author-date-order --all", "log --simplify-merges --parents --format=%h|%p {r} -- file",
    "log --full-history --parents --format=%h|%p {r} -- src", "log --ancestry-path --oneline {s}..{r}",
    "log --left-right --oneline {r}...{s}", "log --cherry-mark --oneline {r}...{s}", "log --show-pulls --oneline {r} -- file",
    "log -L1,4:file --boundary -n 4 {r}", "log -L/def/,+3:setup.py --oneline {r}", "log --oneline --format=%m%h%d --all",
    "rev-list --objects --first-parent --boundary {r}", "rev-list --objects --in-commit-order --topo-order {r} ^{s}",
    "rev-list --objects-edge-aggressive --objects {r} ^{s}", "rev-list --bisect-all --boundary {r} ^{s}",
    "rev-list --timestamp --children --all", "rev-list --timestamp --format=%h,%an {r}", "rev-list --pretty=raw --parents {r}",
    "rev-list --count --left-right {r}...{s}", "rev-list --date-order --reverse --all",
    "diff-tree -C -C {s} {r}", "diff-tree -r -C -C --find-copies-harder {s} {r}", "diff -C -C -B {s} {r}", "diff {s}...{r}",
    "diff --stat --summary -M30% {s} {r}", "diff --color=always --color-moved --word-diff {s} {r}",
    "blame --incremental -C -C {r} -- file", "blame --incremental -M {r} -- setup.py", "blame -C --line-porcelain {r} -- README.md",
    "shortlog -sne --all", "describe --all --long {r}", "name-rev {r} {s}", "merge-base --all {r} {s}",
    "merge-tree --write-tree --messages {r} {s}", "cherry -v {r} {s}", "format-patch --stdout {s}..{r}",
    "for-each-ref --format=%(refname)|%(*objectname)|%(creatordate:raw)", "show --remerge-diff {r}", "whatchanged --cc --all",
)  # fmt: skip


def asked(seed: int, refs: list[str]) -> list[list[str]]:
    """The questions about the history of a seed."""
    draw = random.Random(seed)
    return [question.format(r=draw.choice(refs), s=draw.choice(refs)).split(" ") for question in QUESTIONS]


def refs_of(place: Path) -> list[str]:
    """The short names of the refs of a history."""
    lines = (place / ".git/packed-refs").read_text().splitlines()[1:]
    return [line.split("/", 2)[2] for line in lines]


#: what the answers depend on besides the repository
ENVIRONMENT = {"HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_CONFIG_GLOBAL": "/dev/null"}

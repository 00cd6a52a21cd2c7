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
    "blame --first-parent -s {r} -- file", "blame --ignore-rev={s} {r} -- file",
    "blame --incremental --first-parent -M {r} -- file", "blame --incremental -C -C {r} -- file",
    "blame --incremental -C1 {r} -- src/b.py", "blame --incremental -M {r} -- setup.py",
    "blame --incremental -w -C -C -C {r} -- requests/m.py", "blame --porcelain {s}..{r} -- file",
    "blame --reverse {s}..{r} -- file", "blame --reverse {s}..{r} -- setup.py",
    "blame --score-debug -C -M {r} -- file", "blame --show-stats -M {r} -- setup.py",
    "blame -C --line-porcelain {r} -- README.md", "blame -C -C -C {r} -- setup.py", "blame -L1,3 {r} -- README.md",
    "blame -e -t --root {r} -- file", "blame -w -M {r} -- src/a.py", "blame {r} -- file", "branch --contains {s}",
    "branch --merged {r}", "branch --no-merged {r} -vv", "branch -a -v", "cat-file -p {r}", "cat-file -p {r}:src",
    "cherry -v {r} {s}", "cherry {r} {s}", "count-objects", "describe --all --first-parent {r}",
    "describe --all --long {r}", "describe --always --abbrev=5 {s}", "describe --contains {s}",
    "describe --tags --long --candidates=2 {r}", "describe --tags {r}", "describe {r}", "diff --cc {r} {s}",
    "diff --color=always --color-moved --word-diff {s} {r}", "diff --merge-base {s} {r}",
    "diff --stat --summary -M30% {s} {r}", "diff -C -C -B {s} {r}", "diff -q {s} {r}", "diff -t --raw {s} {r}",
    "diff {r} {s} {s}", "diff {r}^!", "diff {s} {r}", "diff {s} {r} --anchored=def", "diff {s} {r} --check",
    "diff {s} {r} --color-moved=plain --color=always", "diff {s} {r} --color-words --color=always",
    "diff {s} {r} --compact-summary", "diff {s} {r} --diff-filter=MR -M --name-status",
    "diff {s} {r} --dirstat=lines", "diff {s} {r} --exit-code -q", "diff {s} {r} --full-index --binary",
    "diff {s} {r} --histogram -W", "diff {s} {r} --minimal --inter-hunk-context=3",
    "diff {s} {r} --name-status -C -C", "diff {s} {r} --no-prefix --src-prefix=x",
    "diff {s} {r} --numstat --no-renames", "diff {s} {r} --patience -U1", "diff {s} {r} --raw -R",
    "diff {s} {r} --relative=src", "diff {s} {r} --rotate-to=file --name-only",
    "diff {s} {r} --skip-to=setup.py --raw", "diff {s} {r} --stat -C", "diff {s} {r} --word-diff=porcelain",
    "diff {s} {r} -B -M --summary", "diff {s} {r} -G def --name-only", "diff {s} {r} -I^line",
    "diff {s} {r} -O/dev/null --stat", "diff {s} {r} -S import --pickaxe-all --raw",
    "diff {s} {r} -w --ignore-blank-lines", "diff {s}...{r}", "diff {s}..{r} -- src docs", "diff {s}:file {r}:file",
    "diff {s}:src {r}:src", "diff-tree --cc {r}", "diff-tree --merge-base {s} {r}", "diff-tree --name-only {s} {r}",
    "diff-tree --stat {s} {r}", "diff-tree -C -C {s} {r}", "diff-tree -c -r {r}", "diff-tree -m -r {r}",
    "diff-tree -p {r}", "diff-tree -r --root {r}", "diff-tree -r -B --find-copies-harder {s} {r}",
    "diff-tree -r -C -C --find-copies-harder {s} {r}", "diff-tree -r -M {s} {r}", "diff-tree -s --always {r}",
    "diff-tree -t -C -C {s} {r}", "diff-tree -t {s} {r}", "diff-tree -v --pretty=raw {r}",
    "for-each-ref --format=%(refname)|%(*objectname)|%(creatordate:raw)",
    "for-each-ref --format=%(refname:short)%(ahead-behind:{r})", "for-each-ref --merged={r} --no-contains={s}",
    "for-each-ref --sort=-committerdate --contains={s}", "format-patch --stdout --no-stat -k -U1 {s}..{r}",
    "format-patch --stdout -3 {r}", "format-patch --stdout -M -C --stat {s}..{r}", "format-patch --stdout {s}..{r}",
    "fsck --no-dangling", "grep -W def {s} -- *.py", "grep -c -e import --and -e line {r} -- src", "grep -n def {r}",
    "log --ancestry-path --graph --oneline {s}..{r} -- file", "log --ancestry-path --oneline {s}..{r}",
    "log --author=A1 --oneline --all", "log --boundary --first-parent --diff-filter=AM --raw -n 9 {r}",
    "log --boundary --first-parent --name-only -n 9 {r}", "log --boundary --graph --oneline {s}..{r} -- src",
    "log --boundary --oneline {s}...{r} --left-right", "log --boundary -s --raw --first-parent -n 3 {r}",
    "log --cc --all", "log --cc --combined-all-paths --raw -M {r}", "log --cc --name-only {r}",
    "log --cc --stat --oneline {r}", "log --cherry --oneline {s}...{r}", "log --cherry-mark --oneline {r}...{s}",
    "log --cherry-pick --right-only --oneline {s}...{r}",
    "log --committer=C --grep=thing -i --all-match --oneline {r}", "log --dd --oneline {r}",
    "log --decorate=full --oneline --all", "log --dense --full-history --oneline {r} -- docs",
    "log --diff-filter=C -C -C --name-status --oneline {r}", "log --diff-filter=R -M --name-status --oneline --all",
    "log --diff-merges=first-parent --shortstat --oneline {r}", "log --exclude-first-parent-only --oneline {r} ^{s}",
    "log --exit-code --raw --remerge-diff -n 1 {r}", "log --follow --cc {r} -- README.md",
    "log --follow --diff-filter=R --name-status {r} -- requests/m.py",
    "log --follow --graph --oneline --name-only {r} -- setup.py",
    "log --follow --name-status --oneline {r} -- tests/t.py", "log --follow --remerge-diff --raw {r} -- setup.py",
    "log --follow --reverse --oneline {r} -- file", "log --follow --stat --first-parent {r} -- file",
    "log --follow -B -C --raw {r} -- docs/x.rst", "log --follow -M30% -p {r} -- src/b.py",
    "log --follow -R --raw {r} -- setup.py", "log --follow -S def --raw {r} -- file",
    "log --follow -c --raw {r} -- file", "log --follow -m --raw {r} -- src/a.py", "log --format=%(trailers) {r}",
    "log --format=%<(10,trunc)%s|%>(8)%h {r}", "log --format=%C(auto)%h%d --color=always {r}",
    "log --format=%h%x09%an%x09%ad%x09%s --date=iso {r}", "log --format=%h|%p|%t|%cd|%D --date=unix --all",
    "log --format=%w(20,1,2)%B {r}", "log --format=email {r} -n 5", "log --format=fuller --date=raw {r}",
    "log --full-history --parents --format=%h|%p {r} -- src",
    "log --full-history --simplify-merges --children --format=%h {r} -- README.md", "log --graph --cc --raw {r}",
    "log --graph --oneline --all --boundary", "log --graph --remerge-diff --oneline -p {r}",
    "log --graph --stat --author-date-order --all", "log --graph -p --stat --all -n 9",
    "log --grep=fix --invert-grep --oneline {r}", "log --grep=fix --oneline {r}",
    "log --left-only --oneline --topo-order {s}...{r}", "log --left-right --oneline {r}...{s}",
    "log --max-parents=1 --min-parents=1 --oneline {r}", "log --merges --first-parent --oneline {r}",
    "log --no-commit-id --remerge-diff --raw --all", "log --no-walk --oneline {r} {s}",
    "log --no-walk=unsorted --oneline {s} {r}", "log --oneline --decorate-refs=refs/tags/* --all",
    "log --oneline --format=%m%h%d --all", "log --oneline --graph --all --date-order",
    "log --oneline --graph {r} {s} --first-parent", "log --parents --oneline --all -- file setup.py",
    "log --remerge-diff --diff-filter=M --all", "log --remerge-diff --diff-filter=d -p --all",
    "log --remerge-diff --follow --raw {r} -- file", "log --remerge-diff --raw --reverse --all",
    "log --remerge-diff -C -C --raw --all", "log --remerge-diff -R --all", "log --remerge-diff -S def --all",
    "log --remerge-diff -p --all", "log --remerge-diff -t --raw --all", "log --reverse --graph",
    "log --reverse -n 4 --oneline {r}", "log --root --dirstat --oneline {r}",
    "log --show-linear-break --oneline --all", "log --show-pulls --oneline {r} -- file",
    "log --simplify-merges --graph --oneline --all -- src",
    "log --simplify-merges --parents --format=%h|%p {r} -- file", "log --since-as-filter=2020-09-15T12:00:00 --oneline {r}",
    "log --since=2020-09-15T12:00:00 --oneline {r}", "log --source --oneline --all", "log --sparse --oneline {r} -- file",
    "log --until=2020-09-16T12:00:00 --oneline --all", "log -B -M --name-status --oneline {r}",
    "log -G def --name-only --oneline {r} -- src", "log -L/def/,+3:setup.py --oneline {r}",
    "log -L/import/,/def/:src/a.py {r}", "log -L1,2:file -L1,2:README.md --oneline {r}",
    "log -L1,3:setup.py -s --oneline {r}", "log -L1,4:file --boundary -n 4 {r}",
    "log -L1,5:file --first-parent -p {r}", "log -L1,5:file -M --reverse {r}",
    "log -L2,+4:file --graph --oneline {r}", "log -S def --pickaxe-all --raw {r}", "log -S line --oneline {r}",
    "log -c --name-status -M {r}", "log -c --raw -R --all", "log -c --raw -R --no-renames --all",
    "log -c -p {r} -- file", "log -m --first-parent --stat --oneline {r}", "log -m --name-status -C -C --all",
    "log -n 4 --skip=3 --oneline {r}", "ls-tree -r -l {r}", "ls-tree {r} src/", "merge-base --all {r} {s}",
    "merge-base --independent {r} {s} main b1", "merge-base --is-ancestor {s} {r}",
    "merge-base --octopus {r} {s} main", "merge-base {r} {s} main", "merge-tree --write-tree --messages {r} {s}",
    "merge-tree --write-tree -z --name-only {s} {r}", "merge-tree --write-tree {r} {s}", "name-rev --all",
    "name-rev --tags {r}", "name-rev {r} {s}", "name-rev {s}~1 {r}^0", "rev-list --all --count",
    "rev-list --ancestry-path={s} {r}", "rev-list --author-date-order --boundary {s}..{r}",
    "rev-list --bisect {r} ^{s}", "rev-list --bisect-all --boundary {r} ^{s}",
    "rev-list --bisect-all --simplify-by-decoration {r} ^{s}", "rev-list --bisect-all --pretty=%D --color {r} ^{s}",
    "rev-list --bisect-all --first-parent {r} ^{s}", "rev-list --bisect-vars --tags {r} -- setup.py",
    "rev-list --bisect-vars {r} ^{s}", "rev-list --children --reverse {r}", "rev-list --count --left-right {r}...{s}",
    "rev-list --date-order --reverse --all", "rev-list --disk-usage --objects {r}",
    "rev-list --exclude=b* --branches", "rev-list --full-history --sparse {r} -- file",
    "rev-list --glob=tags/t* --not {s}", "rev-list --graph --oneline {r}", "rev-list --header -n 2 {r}",
    "rev-list --indexed-objects --objects {r}", "rev-list --left-right --cherry-mark {r}...{s}",
    "rev-list --max-count=3 --skip=2 {r}", "rev-list --no-walk {r} {s}", "rev-list --objects --all",
    "rev-list --objects --boundary {s}..{r}", "rev-list --objects --date-order --objects-edge {r} ^{s}",
    "rev-list --objects --filter=blob:limit=60 --filter-print-omitted {r}",
    "rev-list --objects --filter=blob:none --topo-order {r} ^{s}", "rev-list --objects --filter=tree:1 {r}",
    "rev-list --objects --first-parent --boundary {r}", "rev-list --objects --first-parent {s} ^{r}",
    "rev-list --objects --first-parent --topo-order {r} ^{s}",
    "rev-list --objects-edge --first-parent --topo-order b2 ^t40",
    "rev-list --objects-edge --first-parent {s} ^{r} --date-order",
    "rev-list --objects --exclude-first-parent-only --date-order {r} ^{s}",
    "rev-list --objects --exclude-first-parent-only {r} ^{s}",
    "rev-list --objects --in-commit-order --topo-order {r} ^{s}",
    "rev-list --objects --in-commit-order {r} ^{s}", "rev-list --objects --left-right {s}...{r}",
    "rev-list --objects --no-object-names {r} ^{s}", "rev-list --objects --topo-order --objects-edge {r} ^{s}",
    "rev-list --objects {r} -- src", "rev-list --objects-edge --objects --first-parent {r} ^{s}",
    "rev-list --objects-edge-aggressive --objects --topo-order {r} ^{s}",
    "rev-list --objects-edge-aggressive --objects {r} ^{s}", "rev-list --parents --topo-order {r}",
    "rev-list --pretty=raw --parents {r}", "rev-list --remove-empty {r} -- file", "rev-list --show-pulls {r} -- src",
    "rev-list --simplify-by-decoration {r}", "rev-list --tags --no-merges", "rev-list --timestamp --children --all",
    "rev-list --timestamp --format=%h,%an {r}", "rev-list --unpacked --objects {r}", "rev-list --unpacked {r}",
    "rev-list {r} --count --merges", "rev-list {r} --not --tags --objects", "rev-parse --short {r}^@",
    "rev-parse {r} {s}^ {r}~2", "rev-parse {s}...{r}", "shortlog --format=%h {r}",
    "shortlog --group=committer -n {s}..{r}", "shortlog -s {r}", "shortlog -sne --all", "show --first-parent -p {r}",
    "show --oneline --name-status -C {s} {r}", "show --remerge-diff {r}", "show -c {r}", "show -m --raw {r}",
    "show -s --format=%H%n%b {r}", "show {r}", "show {r}:file", "show {r}^{{tree}}", "show {s} {r} --stat",
    "show {s}..{r} --oneline -s", "show-ref -d", "tag --contains {s}", "tag --merged {r}",
    "tag -n2 --sort=-creatordate", "whatchanged --cc --all",
    "whatchanged --no-commit-id --remerge-diff -n 3 --raw {r}", "whatchanged --oneline {r}",
    "whatchanged -m --raw {r}", "whatchanged -p --graph -n 5 {r}",
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

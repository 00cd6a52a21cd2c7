"""What the comparison runs on: repositories in worktree states, material mined from them, and random commands."""

import collections
import hashlib
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "states.sh")
DIRTY_OPS = {"status", "diff", "ls-files", "stash"}  # seldom asked of a clean worktree
EXTRA_STATES = 5  # of a real repository, beside clean and dirty
ZONES = ["UTC"] * 8 + ["EST5EDT,M3.2.0,M11.1.0", "IST-5:30"]
TEXT = re.compile(r"\.(py|c|h|rs|go|js|ts|md|txt|rst|sh|toml|yml|tcl|java|html)$")
BINARY = re.compile(r"\.(png|ico|gif|jpe?g|pdf|zip|gz|bin|woff2?|der|crt)$")
Result = collections.namedtuple("Result", "code out err seconds cpu")
State = collections.namedtuple("State", "repo name cwd index stamp material")
Case = collections.namedtuple("Case", "op tier state argv cwd zone signature variables")


class Missing(Exception):
    """The repository has no material of the kind asked for."""


# ------------------------------------------------------------------------------------------------ running programs
def environment(work, zone="UTC", path="/usr/local/bin:/usr/bin:/bin", **more):
    env = {
        "HOME": os.path.join(work, "home"),
        "PATH": path,
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": zone,
        "GIT_PAGER": "cat",
        "PAGER": "cat",
        "TERM": "dumb",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    env.update({key: os.environ[key] for key in ("PYTHONPATH", "VIRTUAL_ENV") if key in os.environ})
    return dict(env, **more)


def clocks():
    """Seconds on the wall, and of processor time in the child processes that ended so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), children.ru_utime + children.ru_stime


def run(command, cwd, env, timeout):
    start = clocks()
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            code, out, err = "timeout", b"", b""
    return Result(code, out, err, *(after - before for before, after in zip(start, clocks())))


def ask_git(cwd, *argv, sep="\n"):
    """The parts of what git prints; none where it fails."""
    out = run(["git", *argv], cwd, environment(HERE), 600).out
    return [part for part in os.fsdecode(out).split(sep) if part]


# ---------------------------------------------------------------------------------------------------------- states
def state_kinds():
    """name -> (starts from a copy of the clean clone, made for real repositories too, weight); from the script."""
    with open(SCRIPT) as stream:
        found = re.findall(r"^(\w+)\(\) *\{ *# (copy|fresh)(!?) (\d+)", stream.read(), re.M)
    return {name: (kind == "copy", bool(real), int(weight)) for name, kind, real, weight in found}


def copy_clone(source, target):
    """Copy a clone with its worktree; the objects, which nothing changes in place, as hard links."""

    def copy(a, b):
        if "/.git/objects/" in a:
            os.link(a, b)
        else:
            shutil.copy2(a, b, follow_symlinks=False)

    shutil.copytree(source, target, symlinks=True, copy_function=copy)
    ask_git(target, "update-index", "-q", "--refresh")


def build(work, repo, source, name, base=None, zoo=None):
    """Make, or find, one state of one repository; None where its script does not apply to the repository."""
    place = os.path.join(work, repo, name)
    meta = place + ".json"
    if os.path.exists(meta):
        with open(meta) as stream:
            found = json.load(stream)
        return State(**found) if found else None
    print(f"building {repo}/{name}", file=sys.stderr)
    shutil.rmtree(place, ignore_errors=True)
    rnd = random.Random(f"{repo}/{name}")
    if base and state_kinds()[name][0]:
        copy_clone(base.cwd, place)
    else:
        os.makedirs(place)
    texts = base.material["text"] if base else []
    given = {f"F{i}": path for i, path in enumerate(rnd.sample(texts, min(9, len(texts))), 1)}
    given.update(
        SRC=source,
        BASE=base.cwd if base else "",
        ZOO=zoo.cwd if zoo else "",
        GIT_EDITOR="true",
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="advice.detachedHead",
        GIT_CONFIG_VALUE_0="false",
    )
    for role, person in ("AUTHOR", "Alice Example"), ("COMMITTER", "Carl Committer"):
        given.update(
            {f"GIT_{role}_NAME": person, f"GIT_{role}_EMAIL": "x@example.com", f"GIT_{role}_DATE": "1700000000 +0100"}
        )
    function = "zoo" if (repo, name) == ("zoo", "clean") else name
    command = f". {shlex.quote(SCRIPT)}; {function}"
    made = run(["bash", "-ec", command], place, environment(work, **given), 1800)
    state = None
    if made.code:
        print(f"  left out: {made.err.decode(errors='replace').strip()[-200:]}", file=sys.stderr)
    else:
        cwd = os.path.join(place, "wt") if name == "worktree" else place
        index = os.path.join(cwd, ask_git(cwd, "rev-parse", "--git-path", "index")[0])
        told = [
            ask_git(cwd, *argv, sep="\0")
            for argv in (
                ["for-each-ref"],
                ["rev-parse", "HEAD"],
                ["diff", "--no-ext-diff"],
                ["status", "--porcelain=v2", "--branch", "--ignored", "-uall", "-z"],
                ["config", "--list", "--local"],
            )
        ]
        with open(SCRIPT) as stream:
            stamp = hashlib.sha256(json.dumps([cwd, told, stream.read()]).encode()).hexdigest()
        state = State(repo, name, cwd, index, stamp, mine(cwd, rnd))
    with open(meta, "w") as stream:
        json.dump(state and state._asdict(), stream)
    return state


def build_all(work, repos):
    kinds = state_kinds()
    zoo = build(work, "zoo", "", "clean")
    states = [zoo] + [build(work, "zoo", "", name, zoo, zoo) for name in kinds if name != "clean"]
    for source in map(os.path.abspath, repos):
        repo = re.sub(r"(/\.git|/repo|\.git)$", "", source).rpartition("/")[2].rpartition("+")[2]
        if any(state and state.repo == repo for state in states):
            raise SystemExit(f"two repositories are called {repo}")
        base = build(work, repo, source, "clean")
        extra = [name for name, (_, real, _) in kinds.items() if real and name not in ("clean", "dirty")]
        chosen = ["dirty", *random.Random(repo).sample(extra, EXTRA_STATES)]
        states += [base] + [base and build(work, repo, source, name, base, zoo) for name in chosen]
    return [state for state in states if state]


# -------------------------------------------------------------------------------------------------------- material
def changes(cwd, *argv):
    """(commit, status letter, old path, new path) of the changes in a stretch of history."""
    commit = None
    fields = iter(ask_git(cwd, "log", "--raw", "-z", "-M", "--format=%x00%H", *argv, sep="\0"))
    for field in fields:
        if re.fullmatch(r"\s*[0-9a-f]{40,64}", field):
            commit = field.strip()
        elif field.lstrip().startswith(":"):
            kind, old = field.split(" ")[-1][0], next(fields)
            yield commit, kind, old, next(fields) if kind in "RC" else old


def functions(cwd, live):
    """(name, path) of functions lately changed, from hunk headers."""
    path = None
    for line in ask_git(cwd, "log", "-n60", "--no-merges", "-p", "-U0", "HEAD"):
        if line.startswith("+++ b/"):
            path = line[6:]
        match = re.match(r"@@ [^@]* @@ .*?([A-Za-z_]\w{3,})\s*\(", line)
        if match and path in live:
            yield match[1], path


def mine(cwd, rnd):
    """Collect from a repository what commands can be about."""

    def some(items, count=60):
        items = list(dict.fromkeys(items))
        return items if len(items) <= count else items[: count // 2] + rnd.sample(items[count // 2 :], count // 2)

    def refs(*argv):
        return ask_git(cwd, "for-each-ref", "--format=%(refname:short)", *argv)

    log = ask_git(
        cwd, "log", "-n20000", "--format=%H%x00%P%x00%an%x00%at%x00%s", "HEAD", "--branches", "--tags", "--remotes"
    )
    history = [row for row in (line.split("\0") for line in log) if len(row) == 5]
    tree = [row.split("\t", 1) for row in ask_git(cwd, "ls-tree", "-rlz", "--full-tree", "HEAD", sep="\0")]
    tree = [(head.split()[0], int(head.split()[3].replace("-", "0")), path) for head, path in tree]
    live = {path for _, _, path in tree}
    odd = [path for mode, _, path in tree if mode in ("120000", "160000") or re.search(r'[^!-~]|["\\\[]', path)]
    texts = [path for mode, size, path in tree if mode == "100644" and 700 < size < 60000 and TEXT.search(path)]
    commits = some([row[0] for row in history], 120)
    recent = list(changes(cwd, "-n250", "HEAD"))
    touched = recent[:200] + (list(changes(cwd, "--no-walk", *commits[60:]))[:100] if len(commits) > 60 else [])
    hot = [new for _, kind, _, new in recent if kind in "AMR" and new in live][:150] or texts
    status = ask_git(cwd, "status", "--porcelain", "-z", "-uall", "--no-renames", sep="\0")
    return {
        "count": len(history),
        "commit": commits,
        "merge": some([row[0] for row in history if " " in row[1]]),
        "author": some([row[2].strip() for row in history if row[2].strip()], 30),
        "dates": [int(row[3]) for row in history[:: len(history) // 60 + 1]],
        "word": some([w for row in history[:800] for w in re.findall(r"[A-Za-z]{4,}", row[4])], 100),
        "branch": some(refs("refs/heads")),
        "rbranch": some(refs("refs/remotes")),
        "tag": refs("--sort=creatordate", "refs/tags")[-120:],
        "text": texts,
        "hot": hot,
        "path": some([path for _, _, path in tree][::-1], 80) + odd[:20],
        "dir": some([os.path.dirname(path) for path in live if "/" in path], 30),
        "glob": ["*" + ext for ext in some([os.path.splitext(path)[1] for path in sorted(live)], 8) if ext],
        "dpath": [row[3:] for row in status if len(row) > 3][:60],
        "func": list(functions(cwd, live))[:150],
        "renamed": some([new for _, kind, _, new in touched if kind == "R"] + hot[:3], 40),
        "deleted": some([old for _, kind, old, _ in touched if kind == "D"], 40),
        "blob": [f"{commit}:{new}" for commit, kind, _, new in touched if kind != "D"],
        "revpath": [(commit, new) for commit, kind, _, new in touched],
        "blamerev": [(commit, new) for commit, kind, _, new in touched if kind in "MR"],
        "binrev": [commit for commit, _, _, new in touched if BINARY.search(new)],
    }


# --------------------------------------------------------------------------------------------------------- grammar
def load_grammar():
    """(rules, lists): rule -> (alternatives as token lists, weights), list -> values."""
    rules, name = {}, None
    lists: dict[str, list[str]] = collections.defaultdict(list)
    with open(os.path.join(HERE, "grammar.txt")) as stream:
        text = re.sub(r"\n  +", " ", stream.read())
    for line in text.split("\n"):
        if name and line:
            lists[name].append(line)
        elif line.startswith("@"):
            name, colon, values = line[1:].partition(":")
            lists[name] += values.split()
            name = None if colon else name
        else:
            name = None
            if line and not line.startswith("#"):
                rule, body = line.split(" = ", 1)
                choices = [re.findall(r"^(?:(\d+)(?: |$))?(.*)$", choice)[0] for choice in body.split(" | ")]
                rules[rule] = [body.split() for _, body in choices], [int(weight or 1) for weight, _ in choices]
    return rules, lists


class Material:
    """Draws values for the grammar's placeholders from what was mined in one state."""

    def __init__(self, mined, lists, rnd, below):
        self.mined, self.lists, self.rnd, self.below = mined, lists, rnd, below

    def one(self, kind):
        if not self.mined[kind]:
            raise Missing(kind)
        return self.rnd.choice(self.mined[kind])

    def path(self, kind):
        deleted = self.mined["deleted"] and kind in ("path", "hot") and self.rnd.random() < 0.04
        path = self.one("deleted" if deleted else kind)
        return os.path.relpath(path, self.below) if self.below else path

    def cut(self, commit):
        return commit[: self.rnd.choice((7, 7, 7, 7, 8, 9, 10, 12, 40, 40, 40, 40))]

    def near(self, most):
        """Two revisions, not far apart."""
        tip = self.rnd.choice(["HEAD", "HEAD", self.cut(self.one("commit")), self.one("branch")])
        return f"{tip}~{self.rnd.choice([k for k in (1, 2, 3, 5, 10, 30, 100, 200) if k <= most])}", tip

    def pair(self):
        tags = self.mined["tag"]
        if len(tags) > 1 and self.rnd.random() < 0.3:
            at = self.rnd.randrange(1, len(tags))
            return tags[at - 1], tags[at]
        return self.near(10)

    def rev(self):
        kinds = {"HEAD": 30, "HEAD~": 20, "HEAD^": 5, "@": 2, "branch": 10, "rbranch": 8, "tag": 10, "commit": 25}
        kind = self.rnd.choices(list(kinds), list(kinds.values()))[0]
        return kind + self.draw("k") if kind == "HEAD~" else kind if kind[0] in "H@" else self.draw(kind)

    def spec(self):
        top, glob, path = self.path("dir"), self.one("glob"), self.path("hot")
        return self.rnd.choice(
            [
                f":(glob)**/{glob}",
                f":!{path}",
                [".", f":!{top}"],
                ":/",
                f":(icase){path.upper()}",
                f":(top){path}",
                f":^{glob}",
                f":(exclude){glob}",
                f":(literal){path}",
                f"{top}/*",
                f":(glob){top}/*",
                f":/{path}",
                [f":(top,glob)**/{glob}", f":!{path}"],
                f":(attr:diff){path}",
                [top, f":(exclude,glob){top}/**/{glob}"],
            ]
        )

    def draw(self, name):
        """A value for <name>: a string, or several arguments as a list."""
        rnd = self.rnd
        if name in self.lists:
            return rnd.choice(self.lists[name])
        if name in ("path", "hot", "renamed", "dir"):
            return self.path(name)
        if name == "dpath":
            return self.path("dpath" if self.mined["dpath"] and rnd.random() < 0.8 else "hot")
        if name == "commit":
            return f"HEAD~{self.draw('k')}" if rnd.random() < 0.2 else self.cut(self.one("commit"))
        if name in ("revpath", "blamerev"):
            commit, path = self.one(name)
            return [self.cut(commit), "--", os.path.relpath(path, self.below) if self.below else path]
        if name == "blob":
            commit, _, path = self.one("blob").partition(":")
            return f"{self.cut(commit)}:{path}"
        if name in ("date", "date2"):
            moment = self.one("dates") + (20000000 if name == "date2" else 0)
            form = rnd.choice(("%Y-%m-%d", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"))
            return time.strftime(form, time.gmtime(moment))
        if name == "range":
            return "{}..{}".format(*self.pair()) if rnd.random() < 0.8 else self.near(10)[0] + ".."
        if name == "sym":
            ours = rnd.choice(["{}...{}".format(*self.pair()), "HEAD...feature/x", "work...feature/x"])
            return rnd.choice([ours, "HEAD...topic/old", f"HEAD...{self.one('branch')}"])
        if name in ("two", "near"):
            return list(self.pair()) if name == "two" else "{}..{}".format(*self.near(200))
        if name == "lrange":
            first = rnd.choice((1, 1, 5, 10, 20, 40, 60, 100))
            return f"{first},{rnd.choice((first, first + 4, first + 10, first + 30, '+5', '+10', '+20'))}"
        if name in ("func", "func_path"):
            return "{}:{}".format(*self.one("func")) if name == "func_path" else self.one("func")[0]
        if name == "abbr4":
            return self.one("commit")[:4]
        if name == "small":  # stands for no argument, in a short history only
            if self.mined["count"] > 7000:
                raise Missing(name)
            return []
        return getattr(self, name)() if name in ("rev", "spec") else self.one(name)


def expand(rule, rules, material):
    """A random expansion of a rule: the arguments, and the tokens they came from."""
    choices, weights = rules[rule]
    argv: list[str] = []
    signature: list[str] = []
    for token in material.rnd.choices(choices, weights)[0]:
        whole = re.fullmatch(r"<([a-z_]\w*)(\??)>", token)
        if whole and whole[2] and material.rnd.random() > 1 / 3:
            continue
        if whole and whole[1] in rules:
            below = expand(whole[1], rules, material)
            argv, signature = argv + below[0], signature + below[1]
            continue
        if whole:
            value = material.draw(whole[1])
            argv += value if isinstance(value, list) else [value]
        else:
            argv.append(re.sub(r"<([a-z_]\w*)>", lambda match: str(material.draw(match[1])), token))
        signature.append(token)
    return argv, signature


def generate(states, count, seed, ops, tiers, distinct=True):
    """Random commands, each with the state it runs in; no command twice in one place, unless distinct is false."""
    rules, lists = load_grammar()
    kinds, rnd = state_kinds(), random.Random(seed)
    by_repo = collections.defaultdict(list)
    for state in states:
        by_repo[state.repo].append(state)
    cases: list[Case] = []
    seen: set[tuple[str, ...]] = set()
    for _ in range(count * 20):
        if len(cases) >= count:
            break
        op = rnd.choices(list(ops), list(ops.values()))[0]
        tier = rnd.choices(list(tiers), list(tiers.values()))[0]
        choices = by_repo[rnd.choice([*list(by_repo), "zoo"])]
        weights = [
            kinds.get(s.name, (0, 0, 1))[2]
            * (0.15 if s.name in ("clean", "bare") and op in DIRTY_OPS else 1)
            * (5 if op == "stash" and s.name in ("stash", "dirty") else 1)
            for s in choices
        ]
        state = rnd.choices(choices, weights)[0]
        below = rnd.choice(state.material["dir"] or [""]) if rnd.random() < 0.08 else ""
        if not os.path.isdir(os.path.join(state.cwd, below)):
            below = ""
        if f"{op}.{tier}" not in rules:
            continue
        try:
            argv, signature = expand(f"{op}.{tier}", rules, Material(state.material, lists, rnd, below))
        except Missing:
            continue
        variables = dict(word[1:].split("=", 1) for word in argv if word.startswith("$"))  # `$NAME=value`
        argv = [word for word in argv if not word.startswith("$")]
        argv, cwd = [op, *argv], os.path.join(state.cwd, below).rstrip("/")
        if tier > 1 and rnd.random() < (0.04 if tier == 2 else 0.3):
            setting = rnd.choice(lists["config"])
            argv, signature = ["-c", setting, *argv], ["config:" + setting, *signature]
        argv = ["--no-pager", *argv] if rnd.random() < 0.1 else argv
        if rnd.random() < 0.08:
            argv, cwd = ["-C", cwd, *argv], os.path.dirname(os.path.dirname(state.cwd))
        if not distinct or (cwd, *argv, *variables) not in seen:
            seen.add((cwd, *argv, *variables))
            plain = re.sub(r"-(?:n ?|-max-count=)?<(?:few_)?n>", "-n <n>", " ".join([op, *signature]))
            cases.append(Case(op, tier, state, argv, cwd, rnd.choice(ZONES), plain, variables))
    return cases

"""The breakages of the requirements: (requirement, file, old, new, what it breaks[, why no test can notice it])."""

from .forge_rows import FORGE_ROWS
from .forge_writing_rows import FORGE_WRITING_ROWS

RFC, OPEN, NEXUS, FORGE, WRITE = (
    f"agent/profiles/{name}.py" for name in ("rfc", "openharness", "nexus", "forge", "forgewriting")
)
BASE, ROOTS, POLICY, LINE = "agent/profiles/base.py", "agent/roots.py", "commands/policy.py", "agent/commandline.py"
MUTATIONS, REFS = "request/mutations.py", "request/ref_mutations.py"
ANSWER, VISIBLE = "agent/answer.py", "agent/visible.py"

R_READS = "Reading operations: status, diff, log, show, blame, branch_list; is_read_only"
R_WRITES = "Mutating operations are in the schema, with their command strings; not is_read_only"
R_FILES = "Validator of files: no ., -A, --all, -a, *, nothing that begins with -"
R_NEEDS = "Validators: what each operation cannot do without, in the pull request's words"
R_FORCE = "No force, no skipped hooks, max_count 1 to 200: what is dangerous has no field"
R_RESET = "reset is no operation"
R_RULES = "The synthesized command string feeds denied_commands"
R_SCHEMA = "The schema has fifteen operations and no command"
R_LONG = "Output of 12,000 characters, with its marker"
R_NOREPO = "Not a git repository"
N_READS = (
    "SANDBOXED: status, diff, log, show, branch, remote, blame, rev-parse, describe, ls-files, ls-tree are answered"
)
N_REST = "SANDBOXED: everything else is refused, in the document's words"
N_BLOCKED = "Blocked at all levels but YOLO: reset --hard, push --force, clean, rebase -i, checkout --orphan"
N_CONFIRM = "TRUSTED: push, pull, merge, rebase, tag --delete need a confirmation"
N_ALLOWED = "TRUSTED: add, commit, checkout, stash, fetch are allowed (and not available)"
N_STATUS = "Fields of status: branch, ahead, behind, staged, unstaged, untracked"
N_DIFF = "Fields of diff: files_changed, insertions, deletions, raw_diff"
N_LOG = "Fields of log: commits[sha, author, date, message]"
N_BRANCH = "Fields of branch: branches[name, current, tracking, ahead, behind]"
N_SHOW = "Fields of show: sha, author, date, message, diff"
N_EDGES = "Edge cases: detached HEAD, merge conflicts, empty repository"
N_SAFETY = "Safety: command allow list, arguments, cwd within the roots, timeout, no shell"
N_AUDIT = "Audit: every command is recorded with the agent's id"
N_RESULT = "The result: success, command, git's own output and what it said, its status"
N_CWD = "A command may begin with the word git; cwd is where it runs"

ROWS: list[tuple[str, ...]] = [
    # ------------------------------------------------------------------------------------------------- document 0
    ("AC-1", RFC, 'def tools(name: str = "Git")', 'def tools(name: str = "git")', "the tool is not called Git"),
    ("AC-1", BASE, "        registry.register(tool)", "        pass", "nothing is registered"),
    ("AC-2", RFC, "    if asked.op not in OPS:", "    if asked.op not in [*OPS, 'push']:", "push is an op"),
    (
        "AC-3",
        RFC,
        '_REF = re.compile(r"[A-Za-z0-9_./~^@-]{1,200}")',
        '_REF = re.compile(r"[A-Za-z0-9_./~^@;-]{1,200}")',
        "a ref may hold a semicolon",
    ),
    ("AC-3", RFC, '{1,200}")', '{1,300}")', "a ref may be longer"),
    ("AC-3", RFC, "_REF.fullmatch(asked.ref)", "_REF.match(asked.ref)", "only the beginning of a ref is judged"),
    (
        "AC-3",
        RFC,
        '_REF.fullmatch(asked.ref) or asked.ref.startswith("-")',
        "_REF.fullmatch(asked.ref)",
        "a ref may be an option",
    ),
    ("AC-4", BASE, 'or ".." in path.split("/")', "", "a path may lead upwards"),
    ("AC-4", BASE, 'path.startswith("/")', "False", "a path may be absolute"),
    ("AC-4", BASE, r'or "\n" in path', "", "a path may hold a line end"),
    ("AC-5", RFC, r'_SHADY = re.compile(r"[\n\r\0;&', r'_SHADY = re.compile(r"[\0&', "arguments may hold line ends"),
    (
        "AC-5",
        RFC,
        "raise InvalidArgs(f\"args: '{word[:80]}' is not allowed for {op}\")",
        "found.append(word)",
        "any option is taken",
    ),
    (
        "AC-5",
        RFC,
        '            if word.startswith("-"):\n',
        '            if word.startswith("--x"):\n',
        "an option is taken for a value",
    ),
    ("AC-5", RFC, "    if wanted:\n        raise", "    if False:\n        raise", "an option may lack its value"),
    ("AC-6", RFC, '(["status", "--porcelain"]', '(["status", "--porcelain=v2"]', "status in another form"),
    (
        "AC-7",
        RFC,
        '"log": (\n        ["log"],',
        '"log": (\n        ["log", "--reverse"],',
        "log begins with the oldest",
    ),
    ("AC-7", RFC, '        argv.append("--")', "        pass", "no dashes behind the revisions"),
    ("AC-7", RFC, '"stdout": out,', '"stdout": out.upper(),', "other output than git's"),
    ("AC-7", RFC, '"exit_code": outcome.exit_code', '"exit_code": 1', "another exit code"),
    (
        "AC-8",
        RFC,
        '"sandbox_violation": "fs_denied"',
        '"sandbox_violation": "tool_failed"',
        "the jail has another code",
    ),
    ("AC-8", ROOTS, "        if not best:\n", "        if False:\n", "any directory is granted"),
    ("AC-9", RFC, '"timed_out": outcome.timed_out', '"timed_out": False', "a timeout is not told"),
    ("AC-9", RFC, "Field(ge=1, le=120)", "Field(ge=1, le=600)", "timeouts may be longer"),
    ("AC-9", RFC, "Field(ge=1, le=120)", "Field(ge=0, le=120)", "no time at all may be given"),
    (
        "AC-10",
        RFC,
        '"rev_parse": (["rev-parse", "--short"]',
        '"rev_parse": (["rev-parse", "--nosuch=1"]',
        "rev_parse fails",
    ),
    ("AC-10", RFC, '"branch": (["branch", "-a", "--no-color"]', '"branch": (["branch", "-d", "x"]', "branch deletes"),
    # ------------------------------------------------------------------------------------------------- document 1
    (R_READS, OPEN, "oneline: bool = Field(True,", "oneline: bool = Field(False,", "log is not one line by default"),
    (R_READS, OPEN, '"status": ["status", "--short"]', '"status": ["status"]', "status in its long form"),
    (R_READS, OPEN, '(["--cached"] if self.staged else [])', "([])", "staged is ignored"),
    (R_READS, OPEN, '"blame": ["blame", *self._lines(),', '"blame": ["blame",', "lines of blame are ignored"),
    (R_READS, OPEN, 'f"-L{self.line_start or 1},', 'f"-L{(self.line_start or 1) + 1},', "blame begins a line late"),
    (
        R_READS,
        OPEN,
        '"show": ["show", self.ref or "HEAD", *files]',
        '"show": ["show", self.ref or "HEAD"]',
        "show ignores files",
    ),
    (R_READS, OPEN, '["branch", "-a", "-v"]', '["branch", "-v"]', "remote branches are missing"),
    (R_READS, OPEN, '"blame", "branch_list"})', '"branch_list"})', "blame does not count as reading"),
    (
        R_WRITES,
        OPEN,
        '["git", self.operation.replace("_", " ")]',
        '["git", self.operation]',
        "the command has an underscore",
    ),
    (
        R_WRITES,
        OPEN,
        "([self.ref] if self.ref else []) + (self.files or [])",
        '([self.ref] if self.ref else []) + ["--", *(self.files or [])]',
        "the command has dashes",
    ),
    (
        R_WRITES,
        OPEN,
        '"diff", "log", "show", "blame", "branch_list"})\n',
        '"diff", "log", "show", "blame", "branch_list", "push"})\n',
        "push counts as reading",
    ),
    (R_FILES, OPEN, '_BLIND = (".", ', "_BLIND = (", "add takes the whole directory"),
    (R_FILES, OPEN, '"-a", "*")', '"-a")', "add takes a star"),
    (R_FILES, OPEN, '"--all", "-a"', '"-a"', "add takes --all"),
    (R_FILES, OPEN, 'name.startswith(("-", ":"))', 'name.startswith(":")', "add takes options"),
    (R_FILES, OPEN, 'set("*?[")', 'set("?[")', "add takes patterns"),
    (R_NEEDS, OPEN, "requires a non-empty 'files' list", "requires files", "other words for add"),
    (R_NEEDS, OPEN, "len(files) == 1", "len(files) >= 1", "blame takes two files"),
    (R_NEEDS, OPEN, "None if self.ref or files else", "None if True else", "show needs nothing"),
    (R_NEEDS, OPEN, '("commit", "tag")', '("commit",)', "tag needs no message"),
    (R_NEEDS, OPEN, '    "branch_delete": "the branch to delete",\n', "", "branch_delete needs no ref"),
    (R_NEEDS, OPEN, 'removeprefix(f"{self.name}: ")', "strip()", "the tool's name in front of the words"),
    (R_FORCE, OPEN, "Field(ge=1, le=200)", "Field(ge=1, le=2000)", "more commits"),
    (R_FORCE, OPEN, "Field(ge=1, le=200)", "Field(le=200)", "a count of nought"),
    (R_FORCE, OPEN, 'return not word.startswith("-") and', "return", "a ref may be an option"),
    (
        R_FORCE,
        OPEN,
        'if asked.ref and asked.ref.startswith(("+", ":"))',
        'if asked.ref and asked.ref.startswith(":")',
        "a forced push is taken",
    ),
    (
        R_FORCE,
        OPEN,
        'if asked.ref and asked.ref.startswith(("+", ":"))',
        'if asked.ref and asked.ref.startswith("+")',
        "a push may delete",
    ),
    (
        R_FORCE,
        OPEN,
        'not asked.remote or asked.remote.startswith(("+", ":"))',
        "not asked.remote",
        "a refspec passes for a remote",
    ),
    (
        R_RESET,
        OPEN,
        '"branch_delete", "checkout", "stash", "tag",\n    ] =',
        '"branch_delete", "checkout", "stash", "tag", "reset",\n    ] =',
        "reset is an operation",
    ),
    (
        R_RULES,
        OPEN,
        "if fnmatchcase(asked.command, pattern):",
        "if False:",
        "rules are not held against the command string",
    ),
    (
        R_RULES,
        POLICY,
        "            if fnmatchcase(line, pattern):\n",
        "            if False:\n",
        "rules are not held against the request",
    ),
    (
        R_SCHEMA,
        OPEN,
        "    remote: str = Field",
        "    force: bool = Field(False)\n    remote: str = Field",
        "there is a field for force",
    ),
    (
        R_SCHEMA,
        OPEN,
        'Literal["push", "pop", "list", "drop"]',
        'Literal["push", "pop", "list", "drop", "clear"]',
        "stash may be cleared",
    ),
    (R_SCHEMA, OPEN, 'remote: str = Field("origin"', 'remote: str = Field("upstream"', "another remote by default"),
    (R_LONG, OPEN, "MAX_CHARACTERS = 12_000", "MAX_CHARACTERS = 16_000", "more characters"),
    (R_LONG, OPEN, "text[:MAX_CHARACTERS] + MARKER", "text[:MAX_CHARACTERS]", "no marker"),
    (R_LONG, OPEN, "[truncated]...", "[cut]...", "another marker"),
    (R_NOREPO, OPEN, '"Not a git repository" if', '"No repository" if', "other words"),
    # ------------------------------------------------------------------------------------------------- document 2
    (
        N_READS,
        LINE,
        '    if first in ("list", "show"):\n',
        '    if first in ("show",):\n',
        "the list of stashes passes for a writing one",
    ),
    (
        N_READS,
        POLICY,
        '        if not isinstance(request, Mutation):\n            return "allow"',
        '        if not isinstance(request, Mutation) and False:\n            return "allow"',
        "reading is judged by level",
    ),
    (N_REST, NEXUS, "Only read-only git commands allowed in SANDBOXED mode", "Not allowed", "other words"),
    (
        N_REST,
        LINE,
        'if is_chosen), "create")',
        'if is_chosen), "list")',
        "a new branch passes for a list",
    ),
    (
        N_REST,
        LINE,
        "    if listing:\n        return None",
        "    if True:\n        return None",
        "a new tag passes for a list",
    ),
    (N_REST, POLICY, "        if self.level is Level.SANDBOXED:\n", "        if False:\n", "SANDBOXED is no level"),
    (N_BLOCKED, NEXUS, 'high="refuse"', 'high="approve"', "what destroys is asked about"),
    (
        N_BLOCKED,
        MUTATIONS,
        'return "High" if self.mode in ("hard", "merge")',
        'return "High" if self.mode in ("merge",)',
        "reset --hard is mild",
    ),
    (N_BLOCKED, REFS, 'any(ref.startswith("+") for ref in self.refs)', "False", "a plus forces nothing"),
    (
        N_BLOCKED,
        REFS,
        'return "High" if self.interactive or self.run',
        'return "High" if self.run',
        "an interactive rebase is mild",
        "an interactive rebase is refused for itself, whatever its risk",
    ),
    (
        N_BLOCKED,
        MUTATIONS,
        'return "checkout --orphan leaves the history behind" if self.orphan else None',
        "return None",
        "orphan branches are not refused for themselves",
        "it is of high risk as well, and refused for that",
    ),
    (N_BLOCKED, NEXUS, 'f"Command blocked for safety: {command}"', 'f"Blocked: {command}"', "other words"),
    (
        N_CONFIRM,
        REFS,
        '    git = "pull"\n    effects = (REFS, INDEX, WORKTREE, NETWORK)\n    always_asks = True',
        '    git = "pull"\n    effects = (REFS, INDEX, WORKTREE, NETWORK)\n    always_asks = False',
        "pull is not asked about",
    ),
    (N_CONFIRM, REFS, 'return self.action == "delete" or self.force', "return self.force", "a tag is deleted unasked"),
    (N_CONFIRM, POLICY, '        if word == "free" and asks:\n', "        if False:\n", "nothing is asked about"),
    (N_ALLOWED, NEXUS, 'medium="free"', 'medium="refuse"', "TRUSTED may do nothing"),
    (N_STATUS, NEXUS, '"ahead": status.branch.ahead or 0', '"ahead": 0', "ahead is always nought"),
    (
        N_STATUS,
        NEXUS,
        "if entry.index and not entry.conflict",
        "if entry.worktree and not entry.conflict",
        "staged and unstaged are mixed up",
    ),
    (N_STATUS, NEXUS, "if entry.worktree and not entry.conflict", "if entry.conflict", "unstaged files are missing"),
    (
        N_STATUS,
        NEXUS,
        '"untracked": status.untracked',
        '"untracked": status.untracked[:1]',
        "untracked files are missing",
    ),
    (N_DIFF, NEXUS, '"insertions": totals.added', '"insertions": totals.deleted', "insertions are deletions"),
    (N_DIFF, NEXUS, '"files_changed": totals.files', '"files_changed": totals.added', "files are lines"),
    (N_DIFF, NEXUS, 'text if name == "diff" else', 'text[:99] if name == "diff" else', "a part of the patch"),
    (N_LOG, NEXUS, '"sha": row.oid', '"sha": row.oid[:7]', "a short id"),
    (N_LOG, NEXUS, 'f"{who.name} <{who.mail}>"', "who.name", "no mail"),
    (N_LOG, NEXUS, "timedelta(minutes=who.zone)", "timedelta(minutes=0)", "dates in another zone"),
    (N_LOG, NEXUS, "for part in (row.subject, row.body)", "for part in (row.subject,)", "a message without its body"),
    (N_BRANCH, NEXUS, '"current": head == "*"', '"current": head != "*"', "the wrong branch is current"),
    (N_BRANCH, NEXUS, 'int(counts.get("ahead", 0))', 'int(counts.get("behind", 0))', "ahead is behind"),
    (N_BRANCH, NEXUS, '"tracking": upstream or None', '"tracking": name', "the branch tracks itself"),
    (
        N_SHOW,
        NEXUS,
        "return _commit(rows[0]) if rows else {}",
        'return _commit(rows[-1]) | {"message": ""} if rows else {}',
        "no message",
    ),
    (N_SHOW, NEXUS, 'return text[match.start() :] if match else ""', "return text", "the header in the diff"),
    (N_EDGES, NEXUS, '"HEAD (detached)" if status.branch.detached else None', "None", "a detached HEAD is not told"),
    (
        N_EDGES,
        NEXUS,
        '"conflicts": [entry.path for entry in status.entries if entry.conflict]',
        '"conflicts": []',
        "conflicts are not told",
    ),
    (N_EDGES, NEXUS, 'f"Git error: {words}"', 'f"Error: {words}"', "other words"),
    (N_SAFETY, NEXUS, "Git command timed out (30s limit)", "timeout", "other words for a timeout"),
    (
        N_SAFETY,
        "cli/globals.py",
        "    if argv and argv[0] != line.command:\n        raise InvalidArgs(",
        "    if False:\n        raise InvalidArgs(",
        "options in front are read",
    ),
    (
        N_SAFETY,
        NEXUS,
        'raise InvalidArgs("No git command provided")\n    try:',
        'raise InvalidArgs("none")\n    try:',
        "other words for no command",
    ),
    (
        N_AUDIT,
        "agent/tool.py",
        "                    caller_id=ctx.caller_id,",
        '                    caller_id="",',
        "no caller in the audit",
    ),
    (
        N_AUDIT,
        "agent/tool.py",
        'outcome=str(answer.error["code"]) if answer.error else "ok"',
        'outcome="ok"',
        "no outcome in the audit",
    ),
    *FORGE_ROWS,
    *FORGE_WRITING_ROWS,
    (N_RESULT, NEXUS, "    if outcome.stderr:\n", "    if False:\n", "warnings are swallowed"),
    (N_RESULT, NEXUS, "    if outcome.exit_code:\n", "    if False:\n", "the status is swallowed"),
    (N_RESULT, NEXUS, "outcome.stderr[: host.budget.max_stderr_bytes]", "outcome.stderr", "warnings have no bound"),
    (N_CWD, NEXUS, ", at_top=False)", ")", "paths are relative to the repository's top"),
    (N_CWD, NEXUS, """    if argv[:1] == ["git"]:\n""", "    if False:\n", "the word git is taken for a command"),
]

"""Questions that take long: of a repository with the history of curl (40,000 commits), and of the agent's tools."""

from typing import Any

_OLD, _MIDDLE, _NEW = "curl-7_10", "curl-7_50_0", "curl-8_5_0"

WORST_COMMANDS = [line.split() for line in f"""
log -p -C -C
log -p --all
log --stat
log --numstat -M --format=%H
log --name-status -C --find-copies-harder -n 300
log --dirstat --summary
log -c -p
log -m --first-parent --raw
log --graph --all
log --graph --oneline --decorate --topo-order
log --topo-order --format=%H
log --date-order --author-date-order --oneline
log --reverse --oneline
log --simplify-merges --oneline -- lib
log --full-history --oneline -- lib/url.c
log --ancestry-path {_OLD}..{_NEW} --oneline
log --follow --oneline -- lib/url.c
log --follow -p -- lib/http.c
log -L /Curl_open/,+40:lib/url.c
log -L :Curl_setup_conn:lib/url.c -n 50
log -S Curl_free --pickaxe-regex --oneline
log -S curl_easy_init --oneline
log -G (a+)+$ --oneline
log -G x*y --oneline -- lib
log --grep (a|b)*c -E --oneline
log --grep x*y$ -P --oneline
log --author daniel -i --format=%an%ae%s%b
log --format=%H%d%N%(trailers)%(describe) -n 2000
log --cherry-mark --oneline {_MIDDLE}...{_NEW}
log --cherry-pick --left-right --oneline {_OLD}...HEAD
log --boundary --oneline {_MIDDLE}..HEAD
log -g --oneline
log --word-diff -p -- lib/url.c
log --color-words --color=always -p -n 200
log --all --simplify-by-decoration --oneline
blame -C -C -C lib/url.c
blame -M -w --line-porcelain lib/http.c
blame --reverse {_OLD}..HEAD -- lib/url.c
annotate docs/libcurl/libcurl.m4
grep -E x*y
grep -P (a+)+$
grep -P (x|xx)*y HEAD
grep -n -i -w curl {_NEW}
grep -c -e curl --and -e easy HEAD
grep -W -E static.*\\( HEAD -- lib
grep --untracked -l .
grep -F -f /dev/null
diff {_OLD} {_NEW} --patience
diff {_OLD} {_NEW} --histogram
diff {_OLD} {_NEW} --minimal
diff {_OLD} {_NEW} -w --ignore-blank-lines
diff {_OLD} {_NEW} --word-diff
diff {_OLD} {_NEW} --color-words=. --color=always
diff {_OLD} {_NEW} --color=always --color-moved=dimmed-zebra --color-moved-ws=allow-indentation-change
diff {_OLD} {_NEW} -M10% -C -C -B -l0 --stat
diff {_OLD} {_NEW} -W --function-context
diff {_OLD} {_NEW} --anchored=int --inter-hunk-context=50
diff {_OLD} {_NEW} --check
diff {_OLD} {_NEW} -G (a+)+$ --stat
diff {_OLD} {_NEW} --dirstat=lines --shortstat
diff {_OLD} {_NEW} --binary --full-index
diff-tree -r -p -M -C --find-copies-harder {_OLD} {_NEW}
show --stat -m {_OLD} {_MIDDLE} {_NEW}
rev-list --objects --all
rev-list --count --all
rev-list --left-right --count {_OLD}...HEAD
rev-list --all --disk-usage --objects
rev-list --bisect-all {_MIDDLE}..{_NEW}
rev-list --parents --children --all
rev-list --all --filter=blob:none --objects
shortlog -sne
shortlog -sne --all --group=trailer:reported-by
shortlog HEAD
describe --tags --long
describe --contains {_OLD}~3
describe --all --candidates=1000 {_NEW}~200
name-rev --all
name-rev --tags {_OLD}~9
fsck
fsck --strict --unreachable --full
cat-file --batch-all-objects --batch-check
cat-file --batch-all-objects --batch
for-each-ref --format=%(refname)%(objecttype)%(contents)%(authordate:relative)%(taggerdate)%(upstream:track)%(ahead-behind:HEAD)
for-each-ref --contains {_OLD} --format=%(refname)%(subject)%(body)
for-each-ref --merged HEAD --sort=-committerdate
for-each-ref --sort=-version:refname --format=%(describe)%(refname)
branch -avv
branch --contains {_OLD} -a
tag --contains {_OLD} --sort=-version:refname
tag -n99 --merged HEAD
merge-base --all {_OLD} HEAD
merge-base --octopus {_OLD} {_MIDDLE} {_NEW} HEAD
merge-base --independent {_OLD} {_MIDDLE} {_NEW} HEAD
format-patch --stdout -1000
format-patch --stdout --attach -M {_MIDDLE}..curl-8_0_0
cherry -v {_MIDDLE} HEAD
status --ignored -uall
status -v -v --renames
diff HEAD
diff-files -p
ls-files -o
ls-files -o --ignored --exclude-standard
ls-files -s --debug --with-tree={_OLD}
ls-tree -r -l -t {_NEW}
check-ignore -v -n lib/x.o docs/y.1 a/b/c
check-attr -a lib/url.c
count-objects -v
reflog
compare {_OLD} {_NEW}
""".strip().splitlines()]  # fmt: skip

#: (tool, arguments): asked of every member of the zoo.
TOOL_QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("git_status", {}),
    ("git_status", {"ignored": True, "untracked": "all"}),
    ("git_log", {}),
    ("git_log", {"mode": "patch", "all": True}),
    ("git_log", {"mode": "stat", "paths": ["README.md"], "follow": True}),
    ("git_log", {"search": "(a+)+$", "mode": "stat"}),
    ("git_log", {"grep": "(a|b)*c", "author": "x*y"}),
    ("git_log", {"lines": "1,3", "paths": ["README.md"]}),
    ("git_diff", {}),
    ("git_diff", {"scope": "staged"}),
    ("git_diff", {"from_ref": "HEAD~1", "to_ref": "HEAD", "ignore_space": True}),
    ("git_show", {"rev": "HEAD"}),
    ("git_show", {"rev": "HEAD:README.md"}),
    ("git_blame", {"path": "README.md"}),
    ("git_refs", {}),
    ("git_refs", {"kind": "tags", "contains": "HEAD~1"}),
    ("git_files", {}),
    ("git_files", {"rev": "HEAD", "recursive": True}),
    ("git_grep", {"pattern": "(a+)+$"}),
    ("git_grep", {"pattern": "x*y", "untracked": True}),
    ("git_compare", {"from_ref": "HEAD~1", "to_ref": "HEAD"}),
    ("git_info", {}),
]

#: (tool, arguments): asked of a large history.
WORST_TOOL_QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("git_status", {"ignored": True}),
    ("git_log", {"search": "(a+)+$"}),
    ("git_log", {"search": "no such text anywhere"}),
    ("git_log", {"grep": "no such subject", "all": True}),
    ("git_log", {"author": "(d|da)*x$"}),
    ("git_log", {"mode": "patch", "from_ref": _OLD, "to_ref": _NEW}),
    ("git_log", {"mode": "stat", "paths": ["lib/url.c"], "follow": True}),
    ("git_log", {"paths": ["lib/*.c"], "max_count": 1000}),
    ("git_log", {"paths": ["no/such/path"]}),
    ("git_log", {"lines": "1,400", "paths": ["lib/url.c"]}),
    ("git_diff", {"from_ref": _OLD, "to_ref": _NEW}),
    ("git_diff", {"from_ref": _OLD, "to_ref": _NEW, "mode": "stat", "ignore_space": True}),
    ("git_show", {"rev": _OLD}),
    ("git_blame", {"path": "lib/url.c"}),
    ("git_blame", {"path": "lib/url.c", "rev": _NEW, "lines": "1,500", "ignore_space": True}),
    ("git_refs", {"contains": _OLD}),
    ("git_refs", {"kind": "tags", "merged": "HEAD", "max_count": 1000}),
    ("git_files", {"rev": _NEW, "recursive": True, "max_count": 10000}),
    ("git_grep", {"pattern": "x*y"}),
    ("git_grep", {"pattern": "(x|xx)*y", "rev": _NEW}),
    ("git_grep", {"pattern": "(a+)+$", "syntax": "perl"}),
    ("git_compare", {"from_ref": _OLD, "to_ref": _NEW}),
    ("git_compare", {"from_ref": _MIDDLE, "to_ref": "HEAD"}),
    ("git_info", {}),
]

#: Members whose questions of `ONCE_BROKEN` reach every loop within a second, and then go round to their deadline.
ROUND_AND_ROUND = {
    "bombs: commits, one of 100,000 parents",
    "bombs: refs, 100,000 packed",
    "giants: mailmap, 20 MiB",
    "many: patterns beside refs",
}

#: (member of the zoo, door, what the name of a question holds): each broke a bound before it was repaired.
ONCE_BROKEN = [
    ("giants: commits, a message of 50 MiB in one line", "tools", "git_info {}"),
    ("bombs: the index, 100,000 entries of one blob", "tools", "git_info {}"),
    ("bombs: the index, 100,000 entries of one blob", "tools", "git_status {}"),
    ("bombs: zlib, in a pack with an honest claim", "library", "blame -C -C -w --line-porcelain"),
    ("bombs: zlib, in a pack with an honest claim", "library", "format-patch --stdout -3"),
    ("bombs: commits, a message of a million lines", "tools", "git_show {'rev': 'HEAD'}"),
    ("bombs: commits, a message of 30 MiB", "library", "log --oneline --graph"),
    ("bombs: commits, a message of 30 MiB", "tools", "git_show {'rev': 'HEAD'}"),
    ("bombs: commits, one of 100,000 parents", "library", "fsck --"),
    ("bombs: refs, 100,000 packed", "library", "branch --contains"),
    ("bombs: refs, 100,000 packed", "library", "branch -avv"),
    ("bombs: refs, 100,000 packed", "library", "for-each-ref --sort=-committerdate --count=20"),
    ("bombs: trees, 20,000 deep", "tools", "git_status {}"),
    ("bombs: trees, 20,000 deep", "library", "rev-list --all --objects"),
    ("bombs: trees, ten levels of ten equal ones", "tools", "git_show {'rev': 'HEAD:README.md'}"),
    ("bombs: trees, 50,000 entries below a path of 60,000 bytes", "library", "ls-tree -r -l -t"),
    ("bombs: trees, 50,000 entries below a path of 60,000 bytes", "tools", "git_status {}"),
    ("bombs: trees, 50,000 entries below a path of 60,000 bytes", "tools", "git_files {'rev'"),
    ("bombs: deltas, 18 steps of 2", "cli", "status -v -v"),
    ("giants: mailmap, 20 MiB", "library", "diff --shortstat --dirstat"),
    ("giants: commits, a message of 50 MiB in short lines", "library", "branch -avv"),
    ("bombs: lines, two million empty ones", "tools", "git_show {'rev': 'HEAD:README.md'}"),
    ("files: .git/packed-refs is one line of 20 MiB", "tools", "git_diff {'from_ref': 'HEAD~1'"),
    ("many: patterns beside refs", "library", "for-each-ref refs/**/"),
    ("many: patterns beside refs", "library", "describe --tags --always --match="),
    ("many: patterns beside refs", "library", "branch --list *x*"),
    ("many: patterns beside refs", "library", "name-rev --refs="),
    ("many: patterns beside paths", "library", "ls-tree -r HEAD x0"),
    ("many: patterns beside paths", "library", "diff --name-only -O.order"),
    ("many: refs beside a plan", "plans", "branch -m b7"),
    ("many: refs beside a plan", "plans", "branch -D b0"),
    ("many: files beside a plan", "plans", "merge wide"),
    ("many: files beside a plan", "plans", "reset --hard wide"),
    ("many: files beside a plan", "plans", "stash push -u"),
    ("giants: commits, a message of 50 MiB in one line", "plans", "stash push -u"),
    ("giants: commits, a message of 50 MiB in one line", "plans", "reset --hard main"),
    ("giants: commits, a message of 50 MiB in short lines", "plans", "tag -a -m m noted"),
    ("bombs: the index, 100,000 entries of one blob", "plans", "add -A"),
    ("bombs: the index, 100,000 entries of one blob", "plans", "switch -f topic"),
    ("bombs: the index, 100,000 entries of one blob", "plans", "commit -m m -- README.md"),
    ("bombs: trees, one of 200,000 entries", "plans", "stash push -u"),
    ("bombs: trees, one of 200,000 entries", "plans", "reset"),
    ("bombs: trees, two of 3,000 similar files", "plans", "reset"),
    ("bombs: trees, ten levels of ten equal ones", "workspace", "all files"),
    ("bombs: trees, one of 200,000 entries", "workspace", "all files"),
    ("bombs: zlib, a delta's own bytes", "plans", "reset --hard"),
    ("bombs: commits, one of 100,000 parents", "plans", "commit -a -m m"),
    ("files: .git/MERGE_HEAD is one line of 20 MiB", "plans", "commit -a -m m"),
    ("names: an index, of two thousand parts", "plans", "restore --source=HEAD~1 ."),
    ("numbers: an index, a version 4 that grows", "plans", "add -A"),
]

# Worktree states of the comparison.  Each function runs under `bash -e` in an empty directory ("fresh") or in a copy
# of the repository's clean clone ("copy") and leaves the state there; where it makes a directory wt/, that is the
# state's worktree.  The comment gives kind and weight ("!": not for the made-up repository only, for every one).
# Given: SRC (source repository), BASE (its clean clone), ZOO (the made-up repository), F1..F9 (tracked text files).

ed() {      # ed FILE LINE: change, delete and add lines in a few places from LINE on
  awk -v k="$2" 'NR==k||NR==k+41{print "changed line " NR; next} NR==k+12{next} {print}
                 NR==k+24{print "\tinserted here  \n"} END{if (NR<k) print "appended"}' "$1" > "$1.ed~"
  cat "$1.ed~" > "$1"; rm "$1.ed~"
}
put() {     # put FILE TEXT: replace two lines
  awk -v t="$2" 'NR==6||NR==30{print t " " NR; next} {print}' "$1" > "$1.put~"
  cat "$1.put~" > "$1"; rm "$1.put~"
}
tick() {    # the next moment to commit at
  NOW=$((${NOW:-1700000000} + 4321))
  export GIT_AUTHOR_DATE="$NOW +0200" GIT_COMMITTER_DATE="$((NOW+60)) -0330"
}
nolinks() { # a fast-export stream without its submodules
  python3 -c 'import sys
for line in sys.stdin.buffer:
    if not line.startswith(b"M 160000 "):
        sys.stdout.buffer.write(line)
        if line.startswith(b"data "):
            sys.stdout.buffer.write(sys.stdin.buffer.read(int(line[5:])))'
}
ci() { tick; git commit -q "$@"; }
edci() { ed "$1" "$2"; ci -m "$3" -- "$1"; }

clean() {   # fresh! 30
  git clone -q --no-local "$SRC" .
  local main; main=$(git symbolic-ref --short HEAD)
  git branch -q --track work "origin/$main" && git update-ref refs/heads/work HEAD~3
  git branch -q topic/old HEAD~40 && git branch -q gone HEAD~1
  git config branch.gone.remote origin && git config branch.gone.merge refs/heads/gone
  tick; git branch -q feature/x "$(git commit-tree -p HEAD~2 -m 'Local work, diverged' 'HEAD^{tree}')"
  git branch -q -u "origin/$main" feature/x
  git remote add upstream https://github.com/example/project.git
  git config remote.upstream.pushurl git@github.com:example/project.git
}

dirty() {   # copy! 25: staged, unstaged, untracked, deleted, renamed, mode, type, ignored, nested; two stash entries
  ed "$F6" 12; tick; git stash push -q -m 'An earlier idea'; ed "$F7" 4; ed "$F2" 9; tick; git stash push -q
  ed "$F1" 3; git add -- "$F1"; ed "$F1" 9
  ed "$F2" 5; printf 'no newline at the end' >> "$F2"
  rm -- "$F3"; git rm -q -- "$F4"
  git mv -- "$F5" "$(dirname -- "$F5")/renamed-file.txt"; ed "$(dirname -- "$F5")/renamed-file.txt" 4
  git add -A -- "$(dirname -- "$F5")/renamed-file.txt"
  chmod +x -- "$F6" "$F7"; git add -- "$F7"
  rm -- "$F8"; ln -s some/target "$F8"
  cp -- "$F9" copy-of-file.txt; git add copy-of-file.txt; ed "$F9" 1
  mkdir -p scratch/a/b build; echo new > 'new file.txt'; git add 'new file.txt'; echo more >> 'new file.txt'
  echo u > ünïcode.txt; echo x > scratch/a/b/c.txt; echo x > scratch/top.txt; echo x > build/out.o
  echo x > debug.log; echo x > keep.log
  printf '*.log\n!keep.log\n/build/\n' >> .gitignore; echo '*.tmp' >> .git/info/exclude; echo x > scratch/x.tmp
  mkdir staged-dir; echo 1 > staged-dir/one; echo 2 > staged-dir/two; git add staged-dir; rm staged-dir/two
  git init -q -b main nested; (cd nested; echo n > n.txt; git add .; ci -m nested)
}
touched() { # copy! 3: files rewritten with the content they had
  touch -d '2020-02-02' -- "$F1" "$F2"; cp -- "$F3" t~; mv t~ "$F3"; ed "$F4" 3
}
diverge() { # two branches that conflict: HEAD (ours) and other
  git checkout -q -b other; put "$F1" theirs; git rm -q -- "$F2"; ed "$F3" 4; ed "$F5" 2; echo theirs > both.txt
  git add both.txt; ci -a -m 'Theirs'
  git checkout -q -; put "$F1" ours; ed "$F2" 2; git rm -q -- "$F3"; printf 'ours\nours\n' > both.txt; ed "$F6" 3
  git add both.txt; ci -a -m 'Ours'
}
conflict() { # copy! 6
  diverge; tick; git merge -q other || true
  ed "$F4" 6; echo x > untracked.txt
}
resolved() { # copy 2: merge in progress, every conflict resolved
  diverge; tick; git merge -q other || true; git add -A; ed "$F4" 2
}
rebase() {   # copy! 4: an interactive rebase stopped at a conflict
  git checkout -q -b series; ed "$F4" 2; ci -am 'One: goes well'; put "$F1" series; ci -am 'Two: conflicts'
  ed "$F5" 2; ci -am 'Three'
  git checkout -q -b onto HEAD~3; put "$F1" onto; ci -am 'In the way'; git checkout -q series
  tick; git rebase -q onto || true
}
cherrypick() { # copy! 2
  diverge; tick; git cherry-pick other || true; git add -A -- "$F3" || true
}
revert() {   # copy! 2
  put "$F1" first; ci -am 'First'; put "$F1" second; ed "$F2" 3; ci -am 'Second, on top'; tick
  git revert --no-edit HEAD~1 || true
}
bisect() {   # copy! 2
  git bisect start; git bisect bad HEAD; git bisect good HEAD~30
}
am() {       # copy 2
  put "$F1" mailed; ci -am 'Sent by mail'; git format-patch -q -1 --stdout > p.mbox; git reset -q --hard HEAD~1
  put "$F1" meanwhile; ci -am 'Meanwhile'
  tick; git am -q p.mbox || true
}
detached() { # copy! 4
  git checkout -q --detach HEAD~5; edci "$F1" 2 'On no branch'; git checkout -q feature/x; git checkout -q -
  edci "$F2" 2 'On no branch again'
}
attag() {    # copy! 3: a tag checked out
  git checkout -q "tags/$(git describe --tags --abbrev=0 HEAD~3)"; ed "$F1" 2 || true
}
empty() {    # fresh 2
  git init -q -b main .
}
unborn() {   # fresh 3
  git init -q -b trunk .; echo a > a.txt; mkdir d; echo b > d/b.txt; git add d; echo c > d/c.txt
  git remote add origin "$BASE"
}
shallow() {  # fresh! 4
  git clone -q --depth 30 "file://$BASE" .; ed "$F1" 3 || true
}
worktree() { # fresh! 4: a linked worktree
  git clone -q --shared "$BASE" main; git -C main worktree add -q -b topic "$PWD/wt" HEAD~2
  git -C main worktree add -q --detach "$PWD/third" HEAD~4; cd wt; ed "$F1" 3; ed "$F2" 3; git add -- "$F2"
  echo x > untracked.txt
}
bare() {     # fresh! 4
  git clone -q --bare "$BASE" .
}
graph() {    # copy! 6: split commit-graph with Bloom filters, multi-pack-index, packed refs, loose objects on top
  git rev-parse HEAD~60 | git commit-graph write --stdin-commits --changed-paths --split
  git commit-graph write --reachable --changed-paths --split=no-merge --no-progress
  edci "$F1" 3 'Packed apart'; git repack -q; git multi-pack-index write --no-progress; git pack-refs --all
  edci "$F2" 3 'Loose'; edci "$F1" 8 'Loose too'; git tag -a -m 'Loose tag' loose-tag; ed "$F3" 3
}
sha256() {   # fresh! 3: the last commits in the SHA-256 object format
  git init -q -b main --object-format=sha256 .
  git -C "$BASE" fast-export --signed-tags=strip --reencode=no HEAD~60..HEAD | nolinks | git fast-import --quiet --force
  git for-each-ref --count=1 --format='%(refname)' refs/heads | xargs git symbolic-ref HEAD; git reset -q --hard
  git tag -a -m 'A tag' v1 HEAD~3; git tag light HEAD~6; git branch side HEAD~9; edci "$F1" 3 'Edited' || true
  ed "$F2" 3 || true; echo x > untracked.txt
}
submodule() { # copy! 4: one with new commits and changes, one unchanged, one not initialised
  local add='git -c protocol.file.allow=always submodule --quiet add'
  $add "$ZOO" libs/changed; $add "$ZOO" libs/same; $add "$ZOO" libs/absent; ci -m 'Add submodules'
  git submodule --quiet deinit libs/absent
  cd libs/changed; echo x > untracked.txt; echo y >> app.py; git config user.name x
  git config user.email x@example.com; echo z > z; git add z; ci -m 'In the submodule'
}
attrs() {    # copy! 4: line endings, diff drivers, binary
  printf '%s\n' '* text=auto' '*.py diff=python' '*.c diff=cpp' '*.h diff=cpp' '*.rs diff=rust' '*.go diff=golang' \
    '*.md -diff' '*.txt eol=crlf' '*.sh text eol=lf' '*.toml diff=custom' '*.png binary' \
    '*.rst whitespace=trailing-space,tab-in-indent' 'docs/** linguist-documentation' > .gitattributes
  git config diff.custom.xfuncname '^\[.*\]$'; git config core.autocrlf input
  for f in "$F1" "$F2" "$F3"; do sed -i 's/$/\r/' "$f"; done
  ed "$F4" 3; ed "$F5" 12; ed "$F6" 20; git add -- "$F2"
  git ls-files '*.py' '*.c' '*.rs' '*.go' '*.md' | awk 'NR%7==1' | head -5 |
    while read -r f; do if [ -f "$f" ]; then ed "$f" 30; fi; done
}
stash() {    # copy! 5: three stash entries
  ed "$F1" 3; tick; git stash push -q; ed "$F1" 8; ed "$F2" 4; git add -- "$F2"; echo x > untracked.txt; tick
  git stash push -q -u -m 'With a message'
  rm -- "$F3"; echo n > new.txt; git add new.txt; tick; git stash push -q -m 'Delete and add'; ed "$F4" 5
}
ita() {      # copy! 4: intent-to-add, skip-worktree, assume-unchanged, index version 4
  git update-index --index-version 4; echo new > intended.txt; git add -N intended.txt; : > empty.txt
  git add -N empty.txt
  git update-index --skip-worktree -- "$F1"; git update-index --assume-unchanged -- "$F2"; ed "$F1" 3; ed "$F2" 3
  ed "$F3" 3; rm -- "$F4"; git add -- "$F3"
}
split() {    # copy! 4: split index, untracked cache
  mkdir -p new/dir; echo x > new/dir/f; echo x > loose.txt; git update-index --split-index
  git update-index --force-untracked-cache; git status -s
  ed "$F1" 3; git add -- "$F1"; ed "$F2" 3; git rm -q -- "$F3"; echo y > new/g; git add new/g
}
sparse() {   # copy! 3: cone sparse checkout, sparse index
  git sparse-checkout set --cone --sparse-index "$(dirname -- "$F1")" "$(dirname -- "$F2")"; ed "$F1" 3
  echo x > untracked.txt
}
config() {   # copy! 4: repository settings that change what is printed
  git config core.quotePath false; git config core.abbrev 12; git config diff.renames copies
  git config diff.mnemonicPrefix true; git config log.date iso
  git config status.showUntrackedFiles all; git config diff.algorithm histogram; git config format.pretty fuller
  git config branch.sort -committerdate
  git config tag.sort version:refname; git config url.git@github.com:.insteadOf https://github.com/
  git config core.fileMode false
  ed "$F1" 3; chmod +x -- "$F2"; mkdir -p scratch; echo x > scratch/é.txt; cp -- "$F3" copied.txt; ed "$F3" 2
  git add copied.txt -- "$F3"
}
notes() {    # copy! 2: notes, a replaced commit, an orphan branch, reflog entries
  tick; git notes add -m 'A note' HEAD; git notes add -m $'Longer note\n\nof two parts' HEAD~2
  git replace --graft HEAD~4 HEAD~7
  git checkout -q --orphan lonely; ci -m 'No parents'; git checkout -q work; git reset -q --hard HEAD~1; ed "$F1" 3
}
alternates() { # fresh! 2
  git clone -q --shared "$BASE" .; git remote set-head origin -d; ed "$F1" 3
}

crowd() {    # copy! 3: renames among more than a hundred files of the same content
  mkdir -p old/a old/b old/c more
  for i in $(seq 101 210); do printf '' > "old/a/n$i"; done
  printf '' > old/b/k1; printf '' > old/c/k2; for i in $(seq 1 100); do echo same > "more/e$i"; done; echo same > more/gone
  git add -A .; ci -m 'Many files of the same content'
  mkdir -p new/b new/c; git mv old/a new/a; git mv old/c/k2 new/b/k2; git mv old/b/k1 new/c/k1
  git rm -q more/gone; echo same > more/znew; git add -A .; ci -m 'Move them'
  cp more/e1 copied; echo 'tail' >> more/e7; git add -A .
}
tags() {     # copy 2: tags of blobs, of trees and of tags
  git tag one "$(git rev-parse HEAD:"$F1")"; git tag -m 'of a blob' two one; git tag -m 'of a tag' three two
  git tag -m 'of a tree' four 'HEAD^{tree}'; git tag -m 'of a commit' five HEAD~1; git tag -m 'again' six five; ed "$F1" 5
}

zoo() {      # the made-up repository, in place of the clean clone
  git init -q -b main .; git config core.autocrlf false
  code() {  # code FILE FUNCTIONS SALT
    awk -v n="$2" -v s="$3" 'BEGIN {for (i = 1; i <= n; i++) printf "def func_%d(arg):\n    value = arg * %d\n" \
      "    if value > %d:\n        return value\n\n    return None\n\n\n", i, i*s, i+s}' > "$1"
  }
  cc() {    # cc FILE FUNCTIONS
    awk -v n="$2" 'BEGIN {print "#include <stdio.h>\n"; for (i = 1; i <= n; i++)
      printf "static int fn_%d(int a)\n{\n\tint b = a + %d;\n\n\treturn b;\n}\n\n", i, i}' > "$1"
  }
  mkdir -p src/deep/er docs lib 'dir with space' naïve; code app.py 20 3; code src/core.py 30 5
  code src/deep/util.py 12 7; code src/deep/er/x.py 14 2; cc src/main.c 25; cc lib/a.c 18; cc lib/b.c 22
  code docs/guide.txt 15 1; seq 1000 1180 > docs/numbers.md; seq 1 60 | sed 's/$/ some words here/' > README.md
  code 'dir with space/file one.py' 14 2; code naïve/日本語.py 14 4
  echo a > $'tab\there'; echo b > $'quo"te\\back'; echo c > $'new\nline'; echo d > $'caf\xe9.latin1'
  echo e > ./-dash.txt; echo f > ':colon.txt'; echo g > '[br]ack*.txt'; : > empty
  printf 'no newline' > nonl.txt; printf 'one\r\ntwo\r\nthree\r\n' > crlf.txt; printf 'PK\0\1\2\3binary\0' > data.bin
  awk 'BEGIN{for(i=0;i<900;i++) printf "long %d ",i; print ""}' > long.txt
  ln -s app.py link; ln -s ../nowhere/dangling dangle; ln -s src dirlink; printf '#!/bin/sh\necho hi\n' > run.sh
  chmod +x run.sh; printf '*.o\n/out/\n' > .gitignore; echo '!special.o' > src/.gitignore
  printf 'Proper Name <proper@example.com> <old@example.com>\n' > .mailmap; git add -A; ci -m 'Initial import'
  git tag v0.1; export GIT_AUTHOR_NAME='Ünal Ççç' GIT_AUTHOR_EMAIL=old@example.com
  edci src/core.py 10 $'Edit the core\n\nA body that explains.\n\nSigned-off-by: A U Thor <a@example.com>
Co-authored-by: B <b@example.com>'
  ci --allow-empty -m 'Empty commit'; ci --allow-empty --allow-empty-message -m ''
  edci src/main.c 20 $'A subject that goes on\nover two lines\nand three'
  git mv lib/a.c lib/moved.c; ci -m 'Pure rename'; git mv lib/b.c src/from_lib.c; ed src/from_lib.c 9
  ci -am 'Rename with an edit'; git mv docs manual; ci -m 'Rename a directory'
  cp src/core.py src/copy.py; ed src/copy.py 30; ed src/core.py 70; git add -A; ci -m 'Copy'; git mv app.py t
  git mv src/core.py app.py; git mv t src/core.py; ci -m 'Swap two files'
  chmod -x run.sh; ci -am 'Mode change'; git rm -q link; mkdir link; echo in > link/inside; git add link
  ci -m 'Symlink to directory'; rm data.bin; printf 'PK\0\7\7longer binary\0\0\0' > data.bin; ci -am 'Binary change'
  git rm -q $'new\nline' empty; ci -m 'Delete'; printf 'no newline, changed' > nonl.txt
  sed -i 's/two/TWO/' crlf.txt; sed -i 's/^    /\t/' manual/guide.txt; ci -am 'White space'
  export GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=author@example.com
  for i in $(seq 1 45); do
    file=$(git ls-files 'src/*.py' '*.c' '*.md' | awk -v i="$i" 'NR%9==i%9' | head -1)
    edci "$file" $((i*3%70+1)) "Change $i: fix the func_$((i%9)) handling"
    if [ $((i%15)) = 0 ]; then git tag -a -m "v0.$i" "v0.$i"; fi
  done
  edci 'dir with space/file one.py' 6 'Edit a path with spaces'; edci naïve/日本語.py 9 'Edit a path in Unicode'
  echo more >> $'tab\there'; ci -am 'Edit an odd name'
  git tag -a -m $'Release 1.0\n\nWith notes.' v1.0
  git -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -m $'Caf\xe9 in Latin-1'
  git checkout -q -b left; edci app.py 5 'Left one'; edci src/main.c 40 'Left two'; git checkout -q -b right main
  edci README.md 5 'Right one'; edci app.py 90 'Right two'; git tag -a -m right v1.1-rc1
  git checkout -q -b third main; edci manual/numbers.md 50 'Third'; git checkout -q main; tick
  git merge -q --no-ff -m 'Merge branch left' left; edci README.md 40 'On main'; tick; git merge -q --no-edit right
  git checkout -q -b oct1 main; edci run.sh 1 'Oct one'; git checkout -q -b oct2 main; edci long.txt 1 'Oct two'
  git checkout -q main; tick; git merge -q -m 'Octopus' oct1 oct2 third
  git checkout -q -b clash HEAD~1; ed app.py 5; ed app.py 60; ci -am 'Clash'; git checkout -q main; ed app.py 6
  ci -am 'Ours'; tick; git merge -q clash || true
  grep -v '^[<=>]\{7\}' app.py > t; mv t app.py; echo '# evil line' >> app.py
  ci -am $'Merge branch clash\n\nConflicts resolved by hand.'
  git checkout -q -b x1 HEAD~1; edci src/main.c 60 'X one'; git checkout -q -b x2 HEAD~1
  edci src/core.py 33 'X two'; tick; git merge -q --no-edit x1; git checkout -q x1; tick
  git merge -q --no-edit x2~1; edci src/main.c 62 'X three'
  tick; git merge -q --no-edit x2; git checkout -q main; tick; git merge -q --no-edit x1
  git checkout -q --orphan root2; git rm -rfq .; echo other > other.txt; git add .; ci -m 'Second root'
  git checkout -q main; tick; git merge -q --allow-unrelated-histories --no-edit root2
  git checkout -q -b unwanted left; edci app.py 12 'Not wanted'; git checkout -q main; tick
  git merge -q -s ours -m 'Merge, ours' unwanted; git branch -q dup; git tag dup HEAD~3
  git update-index --add --cacheinfo "160000,$(git rev-parse HEAD~5),sub"
  printf '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n' > .gitmodules; git add .gitmodules; ci -m 'Submodule'
  mkdir -p sub
  git tag -m 'tag of a tag' meta v1.0; git tag blobtag "$(git rev-parse HEAD:README.md)"
  git tag -m tree treetag "HEAD^{tree}"; git branch -q ümlaut/branch HEAD~9; git branch -q -d oct1 oct2
  git update-ref refs/remotes/origin/main HEAD~2; git update-ref refs/remotes/origin/dev HEAD~20
  git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
  git remote add origin https://example.com/zoo.git
  git branch -q -u origin/main main; git branch -q --track dev origin/dev; git branch -q work HEAD~3
  git branch -q feature/x x1; git remote add upstream https://github.com/example/project.git
  git notes add -m 'A note' HEAD~1
}

"""Document 4's texts, and git's patches."""

from gitglass.workspace.views import diff_of, diff_text, size_words, status_text
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import TEXT

STATUS = """\
Sandbox Status:
  Modified:
    /workspace/README.md (1.2 KB)
  New:
    /workspace/charts/revenue.svg (2.1 KB)
  Deleted:
    /workspace/run.sh

Staged Commits:
  [000000] "Add quarterly report" (3 files)
    + /workspace/report.md
    M /workspace/src/a.py
    - /workspace/templates/one.txt
"""

DIFF = b"""\
Staged commit: 000000 "Add quarterly report"

--- /dev/null
+++ /workspace/report.md
@@ -0,0 +1,2 @@
+# Q4 2024 Report
+
--- a/workspace/src/a.py
+++ b/workspace/src/a.py
@@ -1,5 +1,5 @@
 line 0
-line 1
+line one
 line 2
 line 3
 line 4
--- a/workspace/templates/one.txt
+++ /dev/null
@@ -1 +0,0 @@
-one
"""


def staged(workspace: Workspace) -> str:
    workspace.write("report.md", b"# Q4 2024 Report\n\n")
    workspace.write("src/a.py", TEXT.replace(b"line 1\n", b"line one\n"))
    workspace.delete("templates/one.txt")
    return workspace.stage(["report.md", "src/a.py", "templates/one.txt"], "Add quarterly report").id


def test_status_is_document_4s_text(workspace: Workspace) -> None:
    staged(workspace)
    workspace.write("README.md", b"x" * 1229)
    workspace.write("charts/revenue.svg", b"x" * 2150)
    workspace.delete("run.sh")
    assert status_text(workspace) == STATUS


def test_diff_is_document_4s_text(workspace: Workspace) -> None:
    word = staged(workspace)
    assert diff_text(workspace, word).replace(b"\n\n--- a", b"\n--- a") == DIFF
    assert diff_text(workspace) == diff_text(workspace, word)


def test_nothing_is_said_of_nothing(workspace: Workspace) -> None:
    assert status_text(workspace) == "Sandbox Status:\n  Nothing is changed.\n\nStaged Commits:\n  None.\n"
    assert diff_text(workspace) == diff_of(workspace) == b""


def test_what_is_no_text_has_no_lines(workspace: Workspace) -> None:
    workspace.write("data.bin", b"\0other")
    workspace.write("run.sh", b"#!/bin/sh\n", mode="100644")
    workspace.stage(["data.bin", "run.sh"], "B")
    text = diff_text(workspace)
    assert (
        b"--- a/workspace/data.bin\n+++ b/workspace/data.bin\nBinary files a/data.bin and b/data.bin differ\n" in text
    )
    assert b"+++ b/workspace/run.sh\nmode 100755 -> 100644\n" in text


def test_the_patch_is_gits(workspace: Workspace) -> None:
    workspace.move("src/a.py", "src/c.py")
    workspace.write("src/c.py", TEXT.replace(b"line 20\n", b""))
    patch = diff_of(workspace)
    assert b"rename from src/a.py\nrename to src/c.py\n" in patch and b"@@ -18,7 +18,6 @@ line 16\n" in patch
    assert diff_of(workspace, names=("README.md",)) == b""
    assert diff_of(workspace, options=("--stat",)).startswith(b" src/{a.py => c.py} | 1 -\n")
    word = workspace.stage(["src/a.py", "src/c.py"], "Move").id
    assert diff_of(workspace) == b"" and diff_of(workspace, word) == patch


def test_sizes() -> None:
    assert [size_words(size) for size in (0, 819, 1229, 3 << 20)] == ["0.0 KB", "0.8 KB", "1.2 KB", "3.0 MB"]

"""Breakages of what a random comparison with git found wrong, and of what holds it since.

A row is (test below tests/, file below src/gitglass, what stands there once, what it becomes, what that breaks).
"""

RECORDED = "recorded/test_recorded.py::test_recorded"

FOUND = [
    ("worktree/test_scan.py::test_the_case_of_names_does_not_count_where_it_is_ignored", "worktree/scan.py",
     "path.lower() in self._in_lower_case()[0]", "path in self._in_lower_case()[0]",
     "a tracked file in another case is untracked"),
    ("worktree/test_scan.py::test_the_case_of_names_does_not_count_where_it_is_ignored", "worktree/scan.py",
     "path.lower() in self._in_lower_case()[1]", "path in self._in_lower_case()[1]",
     "a tracked directory in another case is untracked"),
    ("repo/test_absolute.py::test_a_link_to_the_work_tree_leads_into_it", "repo/absolute.py",
     "        if top is not None and real == top:\n", "        if False:\n", "a path through a link is outside"),
    ("repo/test_absolute.py::test_below_a_root_a_link_in_it_is", "repo/absolute.py",
     "        if not jail.allows(here):\n            continue\n", "", "a link in the root is not followed"),
    (f"{RECORDED}[plain/rev-list_-g_--parents_--all]", "history/reflogs.py",
     "            state.parents[oid] = ()\n", "            pass\n", "rev-list -g remembers the parents"),
    (f"{RECORDED}[plain/rev-list_-g_--count_HEAD]", "commands/rev_list.py",
     "not (request.walk_reflogs or bisects(request))", "not bisects(request)", "rev-list -g --count counts commits"),
    ("regex/test_utf8.py::test_plain_text_in_any_case_has_to_be_utf8", "regex/matcher.py",
     "        if not (bytewise or pattern.isascii()):\n", "        if False:\n",
     "a pattern that is no UTF-8 finds nothing in silence"),
    (f"{RECORDED}[plain/log_--graph_--format=_h_n_x00_s_-9]", "render/message.py",
     "    if end >= 0 and end == nul - 1:\n", "    if False:\n", "a line that begins with a NUL stands beside a row"),
    ("commands/test_shortlog.py::test_a_person_without_a_name_has_an_empty_one", "commands/shortlog.py",
     "            name = who if person is None else person\n", "            name = person or who\n",
     "a person without a name is counted by the ident"),
    ("commands/test_grep.py::test_a_cr_at_the_end_of_a_functions_line_counts", "grep/search.py",
     'finder(line + b"\\r" if line.endswith(b"\\r") else line)', "finder(line)", "grep -p leaves out a CR"),
]  # fmt: skip

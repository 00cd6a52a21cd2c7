"""The breakages of document 4's requirements: (requirement, tests below tests/, file below workspace/, old, new, what it
breaks[, why none notices]). Of each row of tests/workspace/REQUIREMENTS.md at least one test stands here."""

PUSH, DESK, RANGES, CONFIG, SERVED = (
    f"{name}.py" for name in ("push", "desk", "ranges", "setup/config", "setup/desks")
)
LOCAL, REMOTE, NAMED = (f"targets/{name}.py" for name in ("local", "remote", "named"))
REST, GRAPHQL, CALLS, HUB = (f"targets/github/{name}.py" for name in ("rest", "graphql", "calls", "hub"))

T_LOST = "workspace/test_push.py::test_a_lost_answer_is_found_out"
T_PLAN = "workspace/test_push.py::test_a_plan_is_of_these_very_commits"
T_ASKS = "workspace/tools/test_ws.py::test_what_needs_nobody"
T_WAITS = "workspace/targets/test_remote.py::test_a_server_that_asks_to_be_left_alone"
T_RACE = "workspace/targets/test_remote.py::test_a_server_whose_yes_is_none"
T_GRANTS = "workspace/targets/test_remote.py::test_grants_and_credentials"
T_WAYS = "workspace/targets/github/test_ways.py"
T_REST, T_GRAPHQL = (f"workspace/targets/github/test_{name}.py" for name in ("rest", "graphql"))
T_CONFIG, T_SERVED = "workspace/setup/test_config.py", "workspace/setup/test_desks.py"
T_WS, T_DOCUMENT, T_LISTED = (f"workspace/tools/test_{name}.py" for name in ("ws", "document4", "registry"))
T_LOCAL, T_NAMED, T_KEPT = (f"workspace/targets/test_{name}.py" for name in ("local", "named", "kept"))
T_PAGE, T_TERMINAL, T_PARTIAL, T_OVERVIEW, T_STYLE = (
    f"workspace/review/test_{name}.py" for name in ("page", "terminal", "partial", "overview", "style")
)
T_DECIDED, T_APP = "workspace/review/test_whatever_is_decided.py", "workspace/review/app/test_review_app.py"
T_FILES, T_STAGING, T_VIEWS, T_INCOMING = (
    f"workspace/test_{name}.py" for name in ("files", "staging", "views", "incoming")
)
T_NOTHING, T_BUNDLE, T_TOKENS = (
    "workspace/test_no_files.py",
    "workspace/test_bundle.py",
    "mutate/remote/test_credentials.py",
)

WORKSPACE: list[tuple[str, ...]] = [
    ("W4.1", "workspace/test_ranges.py", DESK, "plan.is_new and not plan.protected and any(", "plan.is_new and any(", "protected ones too"),
    ("W4.1", "workspace/test_ranges.py", DESK, "return plan.is_new and not", "return not", "branches that are there, too"),
    ("W4.4", T_GRANTS, REMOTE, "        need_ref(self.grant, outgoing.ref)\n", "", "any ref is pushed"),
    ("W4.4", T_RACE, "../mutate/remote/http.py", "is None and now != update.new:", "is None and False:", "a server's yes is believed"),
    ("W4.4", f"{T_WAYS}::test_what_a_host_may_name", HUB, "if not _REPO.fullmatch(repo):", "if False:", "any name"),
    (
        "W4.4",
        f"{T_WAYS}::test_one_that_moves_at_the_last_moment",
        REST,
        '{"sha": last, "force": False}',
        '{"sha": last, "force": True}',
        "refs are moved by force",
    ),
    (
        "W4.4",
        f"{T_REST}::test_a_set_back_branch_is_seen",
        REST,
        "        if self.head(outgoing.ref) != outgoing.expected:\n            raise RefMoved(f\"'{outgoing.ref}' has moved\", ref=outgoing.ref)\n        if outgoing.expected is None:",
        "        if outgoing.expected is None:",
        "the ref is not read before it is moved",
    ),
    ("W4.4", f"{T_REST}::test_the_very_objects", REST, "-1 if ident.tz < 0 else 1", "0", "zones are lost"),
    ("W4.4", f"{T_REST}::test_the_very_objects", REST, 'if raw is None or len(raw) > _INLINE or b"\\0" in raw:', "if True:", "nothing is inline"),
    ("W4.4", f"{T_GRAPHQL}::test_more_than_one_commit", GRAPHQL, "if len(going) != 1 or len(staged) != 1:", "if not staged:", "only one of many"),
    ("W4.4", f"{T_GRAPHQL}::test_modes_are_refused_before_anything_is_sent", GRAPHQL, 'file.operation == "mode" or file.new_mode != "100644"', "False", "modes are lost"),
    ("W4.4", f"{T_GRAPHQL}::test_a_branch_that_was_only_begun", GRAPHQL, "self._begun.get(ref) == head", "False", "a branch that was begun is in the way"),
    ("W4.4", f"{T_GRAPHQL}::test_a_tree_that_was_not_approved", GRAPHQL, "if tree != one.tree:", "if False:", "another tree is a success"),
    ("W4.6", T_CONFIG, CONFIG, 'model_config = ConfigDict(frozen=True, extra="forbid")', "model_config = ConfigDict(frozen=True)", "keys that are not known"),
    ("W4.6", T_CONFIG, CONFIG, "if word not in config.targets:", "if False:", "targets that are not known"),
    ("W4.6", f"{T_SERVED}::test_a_desk_of_local_targets", SERVED, "if keep is None or not keep.exists:", "if True:", "pulled again each time"),
    ("W4.6", f"{T_SERVED}::test_what_cannot_be_opened_is_an_error_of_its_key", SERVED, "if local.kind != spec.type:", "if False:", "another type"),
    ("W4.6", f"{T_SERVED}::test_only_the_token_of_the_environment", SERVED, 'around.environment.get("GITHUB_TOKEN")', 'around.environment.get("TOKEN")', "another variable"),
    ("W4.12", "workspace/targets/test_local.py::test_branches_that_come_and_go", PUSH, '        return PushConflict("exists"', '        return None and PushConflict("exists"', "a branch that is there is moved"),
    ("W4.12", "workspace/targets/test_local.py::test_branches_that_come_and_go", PUSH, "if head is None and expected is not None:", "if False:", "one that is gone is made again"),
    ("W4.16", "workspace/tools/test_registry.py", "tools/registry.py", "if name in self._factories:\n            raise", "if False:\n            raise", "two of one name"),
    ("W4.16", "workspace/tools/test_registry.py", "tools/registry.py", "if tool.name in made:", "if False:", "two tools of one name"),
    ("WX.2", T_PLAN, PUSH, "[one.commit for one in plan.commits], plan.target,", "plan.target,", "the digest is of no commits"),
    ("WX.2", T_PLAN, PUSH, "if workspace.find(last.id).commit != plan.commit:", "if False:", "other commits than were approved"),
    ("WX.2", "workspace/test_ranges.py", PUSH, "*((row[0], row[1].hex()) if (row := before[path]) is not None else (0, \"\"))]", "0]", "what a path was is not in it"),
    ("WX.2", "workspace/test_ranges.py", PUSH, "[one.change_id, one.message, one.author, one.merged]", "[one.change_id]", "the words are not in it"),
    ("WX.2", "workspace/test_ranges.py", DESK, 'return plan.content if self.scope == "paths" else plan.digest', "return plan.content", "paths in any case"),
    ("WX.2", "workspace/test_ranges.py", RANGES, "    return one.message, one.author, tuple(files)", "    return one.message", "all is equal"),
    ("WX.4", T_LOST, PUSH, "        except LostAnswer as error:\n            doubt,", "        except Unreachable as error:\n            doubt,", "a lost answer is an error"),
    ("WX.4", "workspace/targets/test_remote.py::test_what_nobody_knows", PUSH, '"unknown" if doubt else "rejected"', '"rejected"', "nobody is told"),
    ("WX.4", T_WAITS, PUSH, "if wait > self.seconds:", "if False:", "pauses without an end"),
    ("WX.4", T_WAITS, PUSH, "float(asked) if isinstance(asked, int | float) else ", "", "Retry-After is not heeded"),
    ("WX.4", f"{T_WAYS}::test_limits_are_waited_for", CALLS, 'return answer.status == 403 and (limited or "rate limit" in answer.words.lower())', "return False", "a secondary limit is a refusal"),
    ("WX.5", f"{T_WAYS}::test_an_answer_that_nobody_gives_again", PUSH, "            renamed = target.arrived(plan.commits, head)\n", "            renamed: dict[str, str] = {}\n", "commits of other names are pushed twice"),
    ("WX.5", "workspace/targets/test_remote.py::test_a_push_may_be_repeated", PUSH, "if head == plan.commit or _reaches(workspace, target, plan.branch, head, plan.commit):", "if head == plan.commit:", "what others built on is pushed twice"),
    ("WX.5", f"{T_WAYS}::test_an_answer_that_nobody_gives_again", REST, "parent = names[one.commit] = str(row[\"sha\"])", "parent = str(row[\"sha\"])", "nothing has arrived"),
    ("WX.5", f"{T_REST}::test_commits_under_other_names", PUSH, "            workspace.rebase(target.incoming(plan.branch))", "            pass", "what is above does not follow"),
    ("WX.5", "workspace/test_incoming.py::test_staged_commits_that_have_arrived_leave_the_stack", "incoming.py", "there = self._arrived(source, old, stack, ctx)", "there = 0", "what has arrived is picked once more"),
    ("WX.5", "workspace/test_incoming.py::test_what_was_pushed_elsewhere_alone_is_on_the_stack_again", "incoming.py", "while at in ours and", "while False and", "files vanish"),
    ("WX.6", "workspace/targets/test_local.py::test_a_target_that_moved_is_a_conflict", PUSH, "if head is None or (head == expected and", "if head is None or (True and", "what moved is moved on", "the target compares as well"),
    ("3.7", "workspace/targets/test_local.py::test_many_objects_are_a_pack", LOCAL, "if len(lacked) < _ONE_BY_ONE:", "if True:", "no packs"),
    ("3.7", "workspace/targets/test_local.py::test_objects_that_are_refused", LOCAL, "        self._bring(view)\n", "        view.new.held.update(self._objects)\n", "nothing is judged"),
    # what leaves, and what is in memory
    ("W4.1", f"{T_WS}::test_approvals", DESK, "if not self.policy.approves(plan) and self.policy.token(plan) not in approved:", "if False:", "nobody is asked"),
    ("W4.1", f"{T_WS}::test_only_a_push_leaves", "tools/ws.py", "given.PushParams, _push, hints=_LEAVES)", "given.PushParams, _push, hints=_WRITES)", "a push is like any change"),
    ("W4.1", f"{T_DOCUMENT}::test_only_a_push_asks", DESK, "        if self.approver is None:\n", "        if self.approver is None:\n            review.approve()\n            return review\n        if self.approver is None:\n", "no approver is a yes"),
    ("W4.2", f"{T_NOTHING}::test_no_call_opens_anything", "files.py", '"""The content of a blob."""\n', '"""The content of a blob."""\n        open("/dev/null").close()\n', "a file is opened"),
    ("W4.2", f"{T_NOTHING}::test_no_call_opens_anything", "tools/ws.py", "    branches = target.branches()\n", "    branches = target.branches()\n    __import__('socket').socket().close()\n", "a socket is opened"),
    ("W4.2", f"{T_NOTHING}::test_over_a_repository_on_disk_only_its_files_are_read", "files.py", '"""The content of a blob."""\n', '"""The content of a blob."""\n        open("/dev/null", "wb").close()\n', "a file is opened to be written"),
    ("W4.3", f"{T_DOCUMENT}::test_names_and_parameters", "tools/document4.py", '"""Arguments of git_discard."""\n\n    commitId: str\n', '"""Arguments of git_discard."""\n\n    commitId: str | None = None\n', "a parameter that is needed is not"),
    ("W4.3", f"{T_DOCUMENT}::test_pull_merge_branches", "tools/document4.py", 'dest = "" if dest == workspace.mount.sandbox.strip("/") else dest', "dest = dest", "the default zone is a directory"),
    ("W4.3", f"{T_DOCUMENT}::test_stage_status_diff_discard", "tools/document4.py", "    workspace.discard(asked.commitId)\n", "    workspace.find(asked.commitId)\n", "nothing is discarded"),
    ("W4.4", f"{T_LOCAL}::test_a_push_to_a_bare_repository", LOCAL, '"local-bare" if self._store.work_tree is None else "local"', '"local"', "a bare repository is called another type"),
    ("W4.4", f"{T_NAMED}::test_only_what_the_host_listed_can_be_named", NAMED, "if target.kind == kind and where in", "if where in", "another type is as good"),
    ("W4.4", "workspace/targets/github/test_published.py::test_a_query_of_another_form", "../mutate/remote/api/client.py", '"X-GitHub-Api-Version": _VERSION,', "", "GitHub is not told the version"),
    ("W4.5", f"{T_LOCAL}::test_a_new_branch_with_the_first_of_two", PUSH, 'new = ", new branch" if self.is_new else ""', 'new = ""', "the summary does not say it"),
    ("W4.5", "workspace/review/test_script.py::test_another_branch", "review/box.py", 'new = ", new branch" if plan.is_new else ""', 'new = ""', "the box does not say it"),
    ("W4.5", f"{T_PAGE}::test_a_new_branch_is_said", "review/page.py", "        yield '<li class=\"chip\">new branch</li>'\n", "        pass\n", "the page does not say it"),
    ("W4.6", f"{T_NAMED}::test_templates_are_expanded", NAMED, "branch_ref(_PLACEHOLDER.sub(value, template)).removeprefix(\"refs/heads/\")", "_PLACEHOLDER.sub(value, template)", "what comes of a template may be no name"),
    ("W4.6", f"{T_NAMED}::test_two_of_one_name_are_an_error", NAMED, "if target.name in self._by_name:", "if False:", "two targets of one name"),
    ("W4.6", f"{T_WS}::test_auto_pull", DESK, 'set(row) - {"path", "source", "dest"}', "set()", "keys that are not known"),
    ("W4.6", f"{T_CONFIG}::test_document_4s_keys", CONFIG, "TABLE = (\"tools\", \"git\", \"workspace\")", "TABLE = (\"tools\", \"git\")", "another table"),
    # document 4's shapes and texts
    ("W4.7", f"{T_DOCUMENT}::test_stage_status_diff_discard", "tools/document4.py", '"contentHash": file.blob', '"contentHash": file.sha256', "another hash"),
    ("W4.7", f"{T_DOCUMENT}::test_stage_status_diff_discard", "tools/document4.py", '.replace("+00:00", "Z")', "", "another form of dates"),
    ("W4.7", f"{T_DOCUMENT}::test_stage_status_diff_discard", "tools/document4.py", '"unstaged": unstaged', '"unstaged": []', "what is not staged is not said"),
    ("W4.7", f"{T_DOCUMENT}::test_push_and_conflict", "tools/document4.py", 'conflict["targetHead"] = result.conflict.target_head', "pass", "the target's head is not said"),
    ("W4.7", f"{T_DOCUMENT}::test_pull_merge_branches", "tools/document4.py", '{"status": merged.status,', '{"status": "clean",', "a conflict is called clean"),
    ("W4.8", f"{T_VIEWS}::test_status_is_document_4s_text", "views.py", '_SIGNS = {"create": "+", "delete": "-"}', '_SIGNS = {"create": "A", "delete": "-"}', "another sign"),
    ("W4.8", f"{T_VIEWS}::test_diff_is_document_4s_text", "views.py", 'before = "/dev/null" if file.operation == "create" else', 'before = "" if file.operation == "create" else', "another head of a new file"),
    ("W4.8", f"{T_TERMINAL}::test_the_box_comes_first", "review/box.py", '        lines.append("The branch is protected.")\n', "        pass\n", "the box says nothing of it"),
    ("W4.8", f"{T_TERMINAL}::test_the_box_holds_wide_and_long_names", "review/box.py", '1 + (unicodedata.east_asian_width(one) in "WF")', "1", "wide letters break the box"),
    ("W4.9", f"{T_LOCAL}::test_a_push_to_a_bare_repository", PUSH, "bytes.fromhex(plan.commit), target.holds(),", "bytes.fromhex(plan.commit), lambda _: True,", "a target is sent nothing"),
    ("W4.9", T_LOST, PUSH, "        except RefMoved:\n            continue\n        except LostAnswer as error:\n", "        except RefMoved:\n            continue\n        except ValueError as error:\n", "what a target raises is not heeded"),
    ("W4.10", T_ASKS, DESK, "return plan.is_new and not plan.protected and any(", "return any(", "patterns are for every branch"),
    ("W4.10", T_ASKS, DESK, "if self.policy.sensitive and paths:", "if False:", "what is sensitive is pulled"),
    ("W4.10", f"{T_DOCUMENT}::test_only_a_push_asks", DESK, "        result = workspace.pull(source, paths, dest=dest, strategy=strategy)\n", "        raise ApprovalRequired('pull')\n", "a pull asks too"),
    # conflicts, and a target that moved
    ("W4.11", f"{T_INCOMING}::test_document_4s_conflict", "marks.py", 'OURS, THEIRS = "ours (sandbox)", "theirs (incoming)"', 'OURS, THEIRS = "ours", "theirs"', "other labels"),
    ("W4.11", f"{T_STAGING}::test_marks_are_not_staged", "staging.py", "        if not has_marks(self.blob(file.oid)):\n", "        if True:\n", "marks are staged"),
    ("W4.11", f"{T_INCOMING}::test_merging_texts_is_pure_and_fair", "incoming.py", 'merge_texts(base or b"", ours, theirs,', 'merge_texts(base or b"", ours, ours,', "one side is not looked at"),
    ("W4.12", f"{T_DOCUMENT}::test_push_and_conflict", PUSH, 'MOVED = "Target has new commits since your base"', 'MOVED = "Target has moved"', "other words"),
    ("W4.12", f"{T_LOCAL}::test_a_target_that_moved_is_a_conflict", PUSH, 'ours = {file.path for one in plan.commits for file in one.files}\n    return behind', 'ours: set[str] = set()\n    return behind', "what both changed is not said"),
    ("W4.12", "workspace/test_ranges.py::test_one_that_moves_while_the_commits_are_brought_up", DESK, "for _ in range(_MOVES):", "for _ in range(1):", "one move is all that is followed"),
    # who asks
    ("W4.13", f"{T_LOCAL}::test_a_push_to_a_bare_repository", LOCAL, "        writer = ReceivingWriter(self._repo", "        self.grant.credentials('local')\n        writer = ReceivingWriter(self._repo", "credentials for a repository here"),
    ("W4.13", f"{T_TOKENS}::test_a_token_that_is_given", "../mutate/remote/credentials.py", "if parts.hostname not in hosts or (", "if (", "the token is for every host"),
    ("W4.13", f"{T_TOKENS}::test_the_command_of_github", "../mutate/remote/credentials.py", "if not word and gh is not None:", "if gh is not None:", "the program goes before the token"),
    ("W4.13", f"{T_TOKENS}::test_the_words_where_there_is_none", "../mutate/remote/credentials.py", "Set GITHUB_TOKEN environment variable, or", "Set GITHUB_TOKEN, or", "other words"),
    ("W4.13", f"{T_WAYS}::test_who_asks", CALLS, "        if not self._client.has_token:\n            raise GitAuthError()\n", "", "it is asked without a token"),
    ("W4.14", f"{T_FILES}::test_what_lfs_keeps_is_not_replaced_by_its_content", "files.py", 'if self.limits.lfs == "plain":', "if True:", "pointers are written over"),
    ("W4.14", f"{T_FILES}::test_what_lfs_keeps_is_not_replaced_by_its_content", "files.py", 'attributes_of(self.store).get(path, b"filter") == b"lfs"', "False", "what a pattern keeps is written plain"),
    ("W4.14", f"{T_FILES}::test_limits", "files.py", "if len(content) > self.limits.warn_bytes:", "if False:", "nobody is warned"),
    ("W4.15", f"{T_TERMINAL}::test_the_end_of_the_input_approves_nothing", "review/terminal.py", 'self.review.reject("the input ended before anybody had decided")', "self.review.approve()", "the end of the input is a yes"),
    ("W4.15", f"{T_NOTHING}::test_no_call_opens_anything", "staging.py", '"""The last staged commit, or the base\'s."""\n', '"""The last staged commit, or the base\'s."""\n        import subprocess\n        subprocess.run(["true"])\n', "a program is started"),
    ("W4.16", f"{T_LISTED}::test_by_name", "tools/registry.py", 'hint=f"Toolsets: {there}.", ', "", "which there are is not said"),
    ("W4.16", f"{T_WS}::test_the_lists_are_small", "tools/ws.py", "return [*(FILE_TOOLS if files else ()), *STAGE_TOOLS]", "return [*FILE_TOOLS, *STAGE_TOOLS]", "file tools that a host has are there twice"),
    ("W4.16", f"{T_NAMED}::test_two_of_one_name_are_an_error", NAMED, "if default is not None and default not in self._by_name:", "if False:", "a default that is not there"),
    ("W4.17", f"{T_LOCAL}::test_a_branch_that_is_checked_out", LOCAL, "        if not self.update_worktree:\n", "        if False:\n", "files of a person follow unasked"),
    ("W4.18", f"{T_LOCAL}::test_into_an_empty_repository_goes_everything", "outgoing.py", "        if has(oid):\n            continue\n", "        if has(oid) or out:\n            continue\n", "history is not sent"),
    # what holds for all writers
    ("WX.1", f"{T_WS}::test_approvals", "tools/ws.py", "    if asked.dry_run:\n", "    if False:\n", "a dry run pushes"),
    ("WX.2", f"{T_WS}::test_approvals", DESK, "self.policy.token(plan) not in approved:", "not approved:", "any yes is as good"),
    ("WX.3", f"{T_REST}::test_objects_that_were_not_staged", REST, '            words = f"GitHub made the tree {made} of {oid.hex()}"\n            raise Rejected(words, server=(words,))\n', "            pass\n", "another tree is a success"),
    ("WX.3", f"{T_REST}::test_objects_that_were_not_staged", REST, '            words = f"GitHub made the blob {made} of {oid.hex()}"\n            raise Rejected(words, server=(words,))\n', "            pass\n", "another blob is a success"),
    ("WX.4", "workspace/test_push.py::test_a_refusal_has_its_words", PUSH, "server=refusal if isinstance(refusal, tuple) else ())", "server=())", "a refusal without words"),
    ("WX.4", "workspace/test_push.py::test_what_nobody_knows_is_said_and_tried_again_later", PUSH, '"unknown" if doubt else "rejected"', '"rejected"', "nobody is told"),
    ("WX.5", f"{T_FILES}::test_undo_takes_each_operation_back", "files.py", "            for path, file in step.paths.items():\n                self.overlay.put(path, file)\n", "", "nothing is taken back"),
    ("WX.5", f"{T_STAGING}::test_no_staging_changes_a_file", "staging.py", "        changes = tree_changes(self.store, tree, working, ctx)\n        self.settle(summary, tree=tree, changes=changes,", "        changes: Changed = {}\n        self.settle(summary, tree=tree, changes=changes,", "files vanish when a commit is discarded"),
    ("WX.6", f"{T_LOCAL}::test_one_that_moves_at_the_last_moment", LOCAL, 'old=outgoing.expected or ""', 'old=self.head(outgoing.ref) or ""', "what moved is overwritten"),
    ("WX.7", f"{T_FILES}::test_paths_that_lead_elsewhere", "rules.py", "    check_path(path)\n", "", "names of git's own"),
    ("WX.7", f"{T_FILES}::test_links_and_submodules", "rules.py", "        if depth < 0:\n", "        if False:\n", "links lead out of the tree"),
    ("WX.8", f"{T_STAGING}::test_the_same_steps_give_the_same_names", "files.py", "self.id = id or self.clock.new_id()", "self.id = id or hex(__import__('random').getrandbits(99))", "other names each time"),
    ("WX.8", f"{T_STAGING}::test_a_staged_commit_has_its_final_name", "model.py", "seconds = int(self.seconds())", "seconds = int(time.time())", "another clock"),
    ("WX.9", f"{T_WS}::test_the_story", PUSH, '    note_change(Change(plan.digest, (f"push {result.status}",)))\n', "", "nothing is recorded"),
    # the review
    ("3.5", f"{T_PARTIAL}::test_texts", "review/hunks.py", "        if hunk.id in accepted:\n", "        if True:\n", "what was rejected is in it"),
    ("3.5", f"{T_PARTIAL}::test_a_subset_and_then_the_rest", "review/partial.py", "        if accepted is None:\n", "        if True:\n", "what was rejected is pushed"),
    ("3.5", f"{T_DECIDED}::test_one_commit", "review/partial.py", "        if not accepted or old is None:\n", "        if old is None:\n", "modes stay as they were staged"),
    ("3.5", f"{T_DECIDED}::test_several_commits", "review/partial.py", "    parents = [bytes.fromhex(name) for name in (above, one.merged)", "    parents = [bytes.fromhex(name) for name in (one.parent, one.merged)", "what was rejected is in the history"),
    ("3.5", f"{T_PAGE}::test_it_is_whole_and_holds_nothing_that_runs", "review/page.py", "_POLICY = \"default-src 'none'", "_POLICY = \"default-src *", "the page may load"),
    ("3.5", f"{T_PAGE}::test_what_an_agent_writes_is_no_markup", "review/page.py", "    return escape(shown(words))\n", "    return shown(words)\n", "an agent writes markup"),
    ("3.5", f"{T_PAGE}::test_what_an_agent_writes_is_no_markup", "review/page.py", "        words = escape(row.words)\n", "        words = row.words\n", "lines are markup"),
    ("3.5", f"{T_PAGE}::test_five_thousand_lines", "review/page.py", "_MOST_ROWS = 40_000", "_MOST_ROWS = 4_000", "lines are left out"),
    ("3.5", f"{T_PAGE}::test_what_tools_write_is_folded", "review/overview.py", "folded = is_generated(file.path) or len(rows) > _FOLDED", "folded = len(rows) > _FOLDED", "lock files are not folded"),
    ("3.5", f"{T_PAGE}::test_what_is_long_is_folded", "review/overview.py", "folded = is_generated(file.path) or len(rows) > _FOLDED", "folded = is_generated(file.path)", "long files are not folded"),
    ("3.5", f"{T_PAGE}::test_what_was_decided_and_said_comes_first", "review/page.py", "    yield from _verdict(review)\n", "", "what was decided is not said"),
    ("3.5", f"{T_STYLE}::test_contrast", "review/style.py", '"soft": ("#57606a"', '"soft": ("#8b949e"', "grey on white"),
    ("3.5", f"{T_STYLE}::test_nothing_is_loaded_and_print_is_light", "review/style.py", "@media screen and (prefers-color-scheme:dark)", "@media (prefers-color-scheme:dark)", "paper is black"),
    ("3.5", f"{T_OVERVIEW}::test_the_tree", "review/overview.py", "while isinstance(item, dict) and len(item) == 1:", "while False:", "directories that hold one are not joined"),
    ("3.5", f"{T_OVERVIEW}::test_lines_about_a_hunk_are_shown_once", "review/lines.py", "begin = _end(file.hunks[at - 1]) + _CONTEXT if at else 0", "begin = 0", "lines are shown twice"),
    ("3.5", f"{T_TERMINAL}::test_what_is_decided_as_a_whole_is_shown", "review/terminal.py", "if file.hunks else self._whole(file)", "if file.hunks else []", "a yes to what nobody has seen"),
    ("3.5", f"{T_TERMINAL}::test_a_hunk_counts_as_git_does", "review/lines.py", "start + (count > 0)", "start + 1", "numbers are not git's"),
    ("3.5", f"{T_TERMINAL}::test_nothing_a_terminal_would_obey", "review/box.py", 'letter.isprintable() and unicodedata.category(letter) != "Cf"', "True", "a terminal obeys an agent"),
    ("3.5", "workspace/review/test_deciding.py::test_every_step_can_be_taken_back", "review/deciding.py", "(dict(self.review.decisions), dict(self.review.comments))", "(dict(self.review.decisions), self.review.comments)", "words are not taken back"),
    ("3.5", "workspace/review/test_guide.py::test_the_keys_of_the_terminal", "review/terminal.py", "u  take the last decision back   ?  this text", "z  take the last decision back   ?  this text", "the guide names other keys"),
    ("3.5", f"{T_APP}::test_names_and_words_are_no_markup", "review/app/review_app.py", 'words.append(shown(file.path), "bold")', 'words.append(file.path, "bold")', "a terminal obeys an agent"),
    ("3.5", f"{T_APP}::test_leaving_approves_nothing", "review/app/review_app.py", '"""Leave; nothing is approved."""\n        self.review.reject(_LEFT)\n', '"""Leave; nothing is approved."""\n        self.review.approve()\n', "leaving is a yes"),
    ("3.5", "test_examples.py::test_the_story_of_a_workspace", DESK, "return Pushed(plan, result, review, rebased)", "return Pushed(plan, result, None, rebased)", "the reviewer's words are lost"),
    ("3.5", f"{T_OVERVIEW}::test_what_differs_in_a_long_line_is_seen", "review/lines.py", "if front > _MOST_CHANGED // 2 else 0), end", "if not front else 0), end", "what changes far to the right is not seen"),
    ("3.5", f"{T_OVERVIEW}::test_what_differs_beyond_what_is_shown_is_said", "review/lines.py", "if differs > begin + most else", "if False else", "what is not shown is not said"),
    ("3.5", f"{T_PAGE}::test_a_file_that_is_sent_back_is_listed_once", "review/page.py", 'if state_of(review, file) == "reject" and not any(', "if not ids and not any(", "the same words for every hunk"),
    ("3.5", f"{T_TERMINAL}::test_how_far_it_is", "review/terminal.py", '        self._write(f"\\n{self._deciding.summary}\\n")\n', "        pass\n", "nobody is told how far it is"),
    ("3.5", "workspace/review/test_script.py::test_what_a_person_is_told", "review/script.py", 'lines.append("the agent has to bring its commits up to what is there now; you are asked again then")', "pass", "a person is not told what comes next"),
    ("3.6", f"{T_INCOMING}::test_merging_texts_is_pure_and_fair", "incoming.py", "merged.text, merged.conflicts)", "merged.text, 0)", "a conflict is called clean"),
    ("W4.2", f"{T_WS}::test_a_text_that_is_not_shown_as_it_is", "tools/ws.py", "if not call.host.raw and not _is_plain(file.data):", "if False:", "an agent writes other bytes than it read, and is not told"),
    # what is kept
    ("3.10", f"{T_BUNDLE}::test_a_merge_and_another_repositorys_files_are_kept", "saved.py", 'workspace.seen = _unchanges(state["seen"])', "workspace.seen = {}", "what was pulled is forgotten"),
    ("3.10", f"{T_BUNDLE}::test_identity", "saved.py", "        workspace.overlay.replace(tree, _unchanges(state[\"changes\"]))\n", "", "what is not staged is forgotten"),
    ("3.10", f"{T_DECIDED}::test_one_commit", "saved.py", 'workspace.reviews = list(state["reviews"])', "workspace.reviews = []", "the reviewer's words are forgotten"),
    ("3.10", f"{T_KEPT}::test_autosave_and_restart", "targets/kept.py", "data, 0o600, sync=True", "data, 0o644, sync=True", "others may read it"),
    ("3.10", f"{T_KEPT}::test_a_kill_at_every_call", "targets/kept.py", "            door.new_file(draft, data, 0o600, sync=True)\n            door.rename(draft, self._name)\n", "            door.remove(self._name)\n            door.new_file(self._name, data, 0o600, sync=True)\n", "half of a file"),
]  # fmt: skip

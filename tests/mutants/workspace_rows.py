"""The breakages of document 4's requirements: (requirement, tests below tests/, file below workspace/, old, new, what it
breaks[, why none notices])."""

PUSH, DESK, RANGES, CONFIG, SERVED = (
    f"{name}.py" for name in ("push", "desk", "ranges", "setup/config", "setup/desks")
)
LOCAL, REMOTE, NAMED = (f"targets/{name}.py" for name in ("local", "remote", "named"))
REST, GRAPHQL, CALLS, HUB = (f"targets/github/{name}.py" for name in ("rest", "graphql", "calls", "hub"))

T_LOST = "workspace/test_push.py::test_a_lost_answer_is_found_out"
T_PLAN = "workspace/test_push.py::test_a_plan_is_of_these_very_commits"
T_ASKS = "workspace/tools/test_ws.py::test_what_needs_nobody"
T_WAITS = "workspace/targets/test_remote.py::test_a_server_that_asks_to_be_left_alone"
T_RACE = "workspace/targets/test_remote.py::test_one_that_moves_between_the_look_and_the_push"
T_GRANTS = "workspace/targets/test_remote.py::test_grants_and_credentials"
T_WAYS = "workspace/targets/github/test_ways.py"
T_REST, T_GRAPHQL = (f"workspace/targets/github/test_{name}.py" for name in ("rest", "graphql"))
T_CONFIG, T_SERVED = "workspace/setup/test_config.py", "workspace/setup/test_desks.py"

WORKSPACE: list[tuple[str, ...]] = [
    ("W4.1", "workspace/test_ranges.py", DESK, "plan.is_new and not plan.protected and any(", "plan.is_new and any(", "protected ones too"),
    ("W4.1", "workspace/test_ranges.py", DESK, "return plan.is_new and not", "return not", "branches that are there, too"),
    ("W4.4", T_GRANTS, REMOTE, "        need_ref(self.grant, outgoing.ref)\n", "", "any ref is pushed"),
    ("W4.4", T_RACE, REMOTE, "self._now(outgoing) in (outgoing.commit, None)", "True", "a server's yes is believed"),
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
]  # fmt: skip

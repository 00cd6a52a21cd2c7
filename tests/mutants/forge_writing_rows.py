"""The breakages of what document 3's tools change, in the form of `rows`."""

FORGE, WRITE = "agent/profiles/forge.py", "agent/profiles/forgewriting.py"
STASH, PATCHES = "mutate/operations/stash.py", "mutate/operations/patches"

_RESTORED = "staged=asked.staged, worktree=asked.worktree)"
_INDEXED = "staged=False, worktree=True)"


def _t(name: str) -> str:
    return f"T-GIT-{name}"


FORGE_WRITING_ROWS: list[tuple[str, ...]] = [
    (_t("DIFF-02"), FORGE, "        return PatchFilesRequest(\n", "        PatchFilesRequest(\n", "the patch is shown, not written"),
    (_t("DIFF-02"), f"{PATCHES}/split.py", 'path.replace(b"/", b"__")', 'path.replace(b"/", b"_")', "names are made otherwise"),
    (_t("DIFF-02"), f"{PATCHES}/plan.py", "    view.grant.need_folder(text(folder))\n", "", "any directory is written to"),
    (_t("DIFF-02"), "mutate/tree_files.py", "else 0o750,", "else 0o777,", "anybody may look into the directory"),
    (_t("RESTORE-01"), WRITE, _RESTORED, "staged=True, worktree=False)", "the file is left as it is"),
    (_t("RESTORE-02"), WRITE, _RESTORED, _INDEXED, "the index is left as it is"),
    (_t("INT-04"), WRITE, _RESTORED, _INDEXED, "what was staged stays so"),
    (
        _t("EDGE-13"),
        WRITE,
        "RestoreRequest(paths=checked_paths(asked.paths),",
        'RestoreRequest(paths=[":(literal)" + path for path in checked_paths(asked.paths)],',
        "a pattern is taken for a name",
    ),
    (_t("ADD-01"), WRITE, "len(written.index)", "len(written.files)", "files are counted that were not staged"),
    (_t("ADD-02"), WRITE, "paths=[] if asked.all else paths, all=asked.all,", "paths=paths,", "all is ignored"),
    (_t("COMMIT-03"), WRITE, 'if error.data.get("kind") == "nothing_to_commit":', "if False:", "git's status instead"),
    (
        _t("EDGE-21"),
        WRITE,
        'return _NO_IDENTITY if error.data.get("kind") == "no_identity" else ""',
        'return ""',
        "git's words instead of the document's",
    ),
    (_t("INT-01"), WRITE, "scope=asked.scope, message=[", "message=[", "the scope is left out"),
    (_t("BRANCH-02"), FORGE, '["branch", checked_ref(asked.create)]', '["branch", "-f", checked_ref(asked.create)]',
     "a branch that is there is moved"),
    (
        _t("BRANCH-03"),
        FORGE,
        '(("-D", asked.force_delete), ("-d", asked.delete))',
        '(("-d", asked.delete), ("-D", asked.force_delete))',
        "delete wins over force_delete",
    ),
    (_t("INT-02"), FORGE, "    if asked.create is not None:\n", "    if False:\n", "no branch is made"),
    (_t("CHECKOUT-01"), WRITE, "CheckoutRequest(branch=checked", "CheckoutRequest(create_branch=checked", "a branch is made"),
    (_t("CHECKOUT-02"), WRITE, "CheckoutRequest(create_branch=", "CheckoutRequest(branch=", "no branch is made"),
    (_t("CHECKOUT-03"), FORGE, "    if outcome.stderr:\n", "    if False:\n", "the warning is left out"),
    (_t("ERR-05"), FORGE, 'if outcome.error.data.get("kind") == "conflict":', "if False:", "no conflict is reported"),
    (_t("STASH-01"), FORGE, '["-u"] if asked.include_untracked else []', "[]", "untracked files stay"),
    (_t("STASH-02"), FORGE, '["stash", asked.action, f"stash@', '["stash", "apply", f"stash@', "the entry stays"),
    (
        _t("STASH-04"),
        FORGE,
        '        return ["stash", asked.action]\n',
        '        return ["stash", "list"]\n',
        "the entries stay",
    ),
    (_t("INT-03"), FORGE, '[] if asked.message is None else ["-m", asked.message]', "[]", "the message is left out"),
    (_t("EDGE-10"), STASH, "No local changes to save", "Nothing to save", "other words"),
]  # fmt: skip

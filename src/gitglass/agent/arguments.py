"""Turns arguments as models write them into a tool's parameters.

Before a tool's pydantic model checks them, arguments are converted to its form if they have only one possible meaning:
another name of a parameter (`OTHER_NAMES`: `limit` for `max_count`), a switch for a choice (`SWITCHES`: `staged` for
`scope=staged`), an array written as the text of one (`"[\\"a.c\\"]"`), a number where a text is expected, and a choice
in other letters (`name-only`). Schemas list none of this, because each byte of a schema is paid for on every turn. Two
names of one parameter with different values are an error; so is every name with an uncertain meaning. The error names
the closest parameters.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from ..errors import InvalidArgs
from .schema import input_schema
from .sizes import check_items

__all__ = ["Declared", "check_arguments", "unpacked_array"]

#: parameter → other names that models use for it; a tool's own parameters always take precedence
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "repo": ("repo_path", "repository", "repository_path", "repo_name", "working_dir", "working_directory", "workdir",
             "cwd", "project_path", "git_dir"),
    "paths": ("path", "file", "files", "file_path", "file_paths", "filepath", "filename", "filenames", "pathspec",
              "pathspecs", "dir", "directory", "folder", "glob", "globs", "include"),
    "path": ("paths", "file", "files", "file_path", "file_paths", "filepath", "filename", "filenames", "pathspec"),
    "rev": ("branch", "commit", "ref", "sha", "revision", "revisions", "revs", "refs", "hash", "oid", "object", "tag",
            "commit_id", "commit_sha", "commit_hash", "branch_name", "ref_name", "treeish", "tree", "start_point",
            "range", "rev_range", "revision_range", "target", "at"),
    "from_ref": ("from", "base", "base_ref", "base_branch", "base_rev", "from_rev", "from_commit", "from_branch", "old",
                 "old_ref", "old_rev", "old_commit", "source_ref", "ref1", "rev1", "commit1", "commit_a",
                 "branch1", "branch_a"),
    "to_ref": ("to", "head", "head_ref", "head_branch", "head_rev", "to_rev", "to_commit", "to_branch", "new",
               "new_ref", "new_rev", "new_commit", "target_ref", "ref2", "rev2", "commit2", "commit_b",
               "branch2", "branch_b"),
    "max_count": ("n", "limit", "count", "max", "num", "number", "max_results", "max_commits", "max_entries",
                  "num_commits", "head_limit", "page_size", "per_page", "top"),
    "max_bytes": ("max_size", "max_output_bytes", "byte_limit"),
    "cursor": ("next_cursor", "page_token", "continuation"),
    "context_lines": ("context", "unified", "context_size", "num_context_lines", "c"),
    "since": ("after", "since_date", "start_date", "start_timestamp", "from_date", "date_from"),
    "until": ("before", "until_date", "end_date", "end_timestamp", "to_date", "date_to"),
    "author": ("authors", "author_name", "author_email"),
    "grep": ("message", "message_pattern", "message_grep", "commit_message", "grep_message"),
    "search": ("pickaxe", "search_string", "string", "search_text", "added_or_removed", "s"),
    "pattern": ("query", "regex", "regexp", "search", "text", "term", "search_term", "expression", "needle", "grep"),
    "ignore_case": ("case_insensitive", "ignorecase", "i", "icase"),
    "ignore_space": ("ignore_whitespace", "ignore_all_space", "w"),
    "word": ("whole_word", "words", "word_regexp", "match_word"),
    "lines": ("line_range", "line_ranges", "line", "line_numbers"),
    "all": ("all_refs", "all_branches"),
    "first_parent": ("first_parents", "first_parent_only"),
    "follow": ("follow_renames",),
    "untracked": ("untracked_files", "show_untracked", "include_untracked"),
    "ignored": ("show_ignored", "include_ignored"),
    "recursive": ("recurse",),
    "kind": ("type", "ref_type", "branch_type", "status"),
    "mode": ("output_mode", "output", "diff_mode"),
    "format": ("pretty", "output_format"),
    "sort": ("sort_by", "order_by"),
    "contains": ("contains_commit",),
    "merged": ("merged_into",),
    "scope": ("diff_type",),
    "cherry": ("cherry_mark", "backports", "equal_patches"),
}  # fmt: skip

#: a switch of git's command line → the parameter and value that it stands for
SWITCHES: dict[str, tuple[str, str]] = {
    "staged": ("scope", "staged"), "cached": ("scope", "staged"), "stat": ("mode", "stat"),
    "name_only": ("mode", "name_only"), "names": ("mode", "name_only"), "names_only": ("mode", "name_only"),
    "name_status": ("mode", "name_status"), "patch": ("mode", "patch"), "oneline": ("format", "oneline"),
    "no_merges": ("merges", "exclude"), "merges_only": ("merges", "only"), "only_merges": ("merges", "only"),
    "files_only": ("mode", "files"), "files_with_matches": ("mode", "files"), "count_only": ("mode", "count"),
    "fixed": ("syntax", "fixed"), "fixed_strings": ("syntax", "fixed"), "perl": ("syntax", "perl"),
    "perl_regexp": ("syntax", "perl"), "tags": ("kind", "tags"), "remotes": ("kind", "remotes"),
    "reflog": ("kind", "reflog"), "stash": ("kind", "stash"), "stashes": ("kind", "stash"),
    "shortlog": ("mode", "authors"), "contributors": ("mode", "authors"), "numstat": ("mode", "largest"),
    "dirstat": ("mode", "dirstat"), "removed": ("search_kind", "removed"),
    "conflicts": ("mode", "conflicts"), "merge_conflicts": ("mode", "conflicts"),
    "branches": ("kind", "branches"), "show_patch": ("mode", "patch"),
}  # fmt: skip

#: other words for a choice; used if the parameter has the choice they stand for, and not the word itself
OTHER_CHOICES = {
    "names": "name_only", "name": "name_only", "diff": "patch", "full_patch": "patch", "diffstat": "stat",
    "cached": "staged", "index": "staged", "worktree": "unstaged", "working_tree": "unstaged", "short": "oneline",
    "branch": "branches", "local": "branches", "heads": "branches", "remote": "remotes", "tag": "tags", "pcre": "perl",
    "regex": "extended", "ere": "extended", "literal": "fixed", "string": "fixed", "date": "newest",
    "files_with_matches": "files", "content": "lines", "matches": "lines", "true": "normal", "false": "no",
    "yes": "normal", "conflicted": "conflicts", "unmerged": "conflicts", "no_merges": "exclude",
    "merge": "conflicts", "merge_conflicts": "conflicts", "merge_tree": "conflicts",
    "contributors": "authors", "shortlog": "authors", "numstat": "largest", "stashes": "stash", "none": "no",
    "creatordate": "oldest", "committerdate": "oldest", "taggerdate": "oldest", "-creatordate": "newest",
    "-committerdate": "newest", "-taggerdate": "newest", "-date": "newest", "-version:refname": "version",
    "-v:refname": "version", "refname": "name",
}  # fmt: skip

#: names of things that no parameter has; for these none is suggested that only looks alike
NO_PARAMETER = {
    "committer": "commits are found by their author",
    "committer_name": "commits are found by their author",
    "exclude": "paths take ':!PATTERN' for what is left out",
    "reverse": "commits come newest first",
    "no_merged": "branches that a list with merged leaves out are not merged",
    "skip": "an answer that is cut goes on where cursor is its next_cursor",
    "offset": "an answer that is cut goes on where cursor is its next_cursor",
}
#: switches for the number of each line, which answers that have lines show anyway
_NUMBERED = ("n", "line_number", "line_numbers", "show_line_numbers", "with_line_numbers")
#: names of the first and the last line → `lines`
_SPANS = (
    ("start_line", "end_line"), ("line_start", "line_end"), ("first_line", "last_line"), ("from_line", "to_line"),
)  # fmt: skip

_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off", "")


class Declared(Protocol):
    """The attributes of a tool that are used here."""

    name: str
    parameters: type[BaseModel]
    other_names: Mapping[str, tuple[str, ...]] | None


def check_arguments(tool: Declared, arguments: dict[str, Any]) -> Any:
    """The tool's parameters. Raises InvalidArgs with a one-line message that a model can act on.

    `tool.other_names` adds to `OTHER_NAMES`; None: the tool only takes the names of its schema.
    """
    if not isinstance(arguments, dict):
        raise InvalidArgs("arguments: an object is expected")
    kinds = _kinds(tool.parameters)
    given = _named(tool, kinds, {name: value for name, value in arguments.items() if value is not None})
    for name, value in given.items():
        try:
            given[name] = _formed(kinds[name], value)
        except ValueError as error:
            raise InvalidArgs(f"{name}: {error}", hint=_description(tool, name)) from None
    try:
        return tool.parameters.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:1]) or tool.name
        why = str(first["msg"]).removeprefix("Value error, ")
        raise InvalidArgs(f"{where}: {why}", hint=_description(tool, where)) from None


def _description(tool: Declared, name: str) -> str | None:
    field = tool.parameters.model_fields.get(name)
    return field.description if field is not None else None


@lru_cache(maxsize=256)
def _kinds(parameters: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Each parameter's part of the schema."""
    properties: dict[str, dict[str, Any]] = input_schema(parameters)["properties"]
    return {name: properties.get(name, {}) for name in parameters.model_fields}


# ------------------------------------------------------------------------------------------------------------- names
def _named(tool: Declared, kinds: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments under the parameters' own names."""
    values: dict[str, Any] = {}
    spelt: dict[str, str] = {}
    if "lines" in kinds and tool.other_names is not None:
        arguments = _spanned(arguments)
    for name, value in arguments.items():
        for own, meant in _meant(tool, kinds, str(name), value):
            if own in values and str(values[own]) != str(meant):
                raise InvalidArgs(f"{own}: '{spelt[own]}' and '{name}' both name it, with different values")
            values[own], spelt[own] = meant, str(name)
    return values


def _spanned(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with a first and a last line as one span."""
    named = {_snake(str(name)): name for name in arguments}
    for first, last in _SPANS:
        if first in named and "lines" not in named:
            begin, end = arguments[named[first]], arguments.get(named.get(last, ""), "")
            rest = {name: value for name, value in arguments.items() if _snake(str(name)) not in (first, last)}
            return {**rest, "lines": f"{begin},{end}"}
    return arguments


def _meant(tool: Declared, kinds: dict[str, Any], name: str, value: Any) -> list[tuple[str, Any]]:
    """The parameters and values that one argument stands for. Raises InvalidArgs if that is uncertain."""
    if name in kinds:
        return [(name, value)]
    if tool.other_names is None:
        raise _unknown(tool, kinds, name)
    word = _snake(name)
    if word in kinds:
        return [(word, value)]
    if word == "count" and isinstance(value, bool):  # a switch here, and elsewhere a number
        word = "count_only"
    if word in _NUMBERED and isinstance(value, bool) and "syntax" in kinds:
        return []
    if word == "g" and "search_kind" in kinds:
        return [("search", value), ("search_kind", "regex")]
    own = [par for par, others in tool.other_names.items() if word in others and par in kinds]
    own = own or [par for par, others in OTHER_NAMES.items() if word in others and par in kinds]
    if len(own) == 1:
        return [(own[0], value)]
    choice = SWITCHES.get(word)
    if not own and choice is not None and choice[1] in kinds.get(choice[0], {}).get("enum", ()):
        switched = _boolean(value)
        if switched is None:
            raise InvalidArgs(f"{name}: write {choice[0]}='{choice[1]}'")
        return [choice] if switched else []
    raise _unknown(tool, kinds, name, own)


def _unknown(tool: Declared, kinds: dict[str, Any], name: str, fits: list[str] | None = None) -> InvalidArgs:
    """The error for an unknown argument, with the parameters that may be meant."""
    names = list(kinds)
    if not fits and _snake(name) in NO_PARAMETER:
        return InvalidArgs(f"unknown argument '{name}'; {NO_PARAMETER[_snake(name)]}")
    if not fits:
        words = {own: own for own in names}
        for own, others in (*OTHER_NAMES.items(), *(tool.other_names or {}).items()):
            words |= {other: own for other in others if own in kinds and other not in words and len(other) > 2}
        near = difflib.get_close_matches(_snake(name), list(words), 3, 0.7)
        fits = list(dict.fromkeys(words[word] for word in near))[:2]
    if not fits:  # in the message, since some profiles show no hint
        return InvalidArgs(f"unknown argument '{name}'; known: {', '.join(names)}")
    wanted = f"did you mean {' or '.join(map(repr, fits))}?"
    return InvalidArgs(f"unknown argument '{name}'; {wanted}", hint=f"{tool.name} takes {', '.join(names)}.")


def _snake(name: str) -> str:
    """`maxCount`, `max-count` and `--max-count` as `max_count`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).replace("-", "_").strip("_").lower()


# ------------------------------------------------------------------------------------------------------------ values
def _formed(part: dict[str, Any], value: Any) -> Any:
    """A value converted to the form of its parameter, if the meaning stays the same."""
    kind = part.get("type")
    kinds = [kind] if isinstance(kind, str) else list(kind or ())
    if "enum" in part:
        return _choice(part["enum"], value)
    if isinstance(value, str):
        if "array" in kinds:
            return None if value.strip().lower() in ("null", "none") else unpacked_array(value) or value
        if kinds and kinds[0] in ("integer", "boolean", "number"):
            word = value.strip()
            return None if word.lower() in ("null", "none", "") else word
        return value
    if isinstance(value, bool) and kinds and kinds[0] == "integer":
        raise ValueError("a number is expected, not true or false")
    if isinstance(value, int) and not isinstance(value, bool) and kinds and kinds[0] == "string":
        return str(value)  # the digits of a float as they were written are lost: 7.10 would become 7.1
    return value


def unpacked_array(text: str) -> list[str] | None:
    """The texts of an array of texts in JSON; None for anything else.

    Raises InvalidArgs if there are more than an array may have.
    """
    word = text.strip()
    if not (word.startswith("[") and word.endswith("]")):
        return None
    try:
        items = json.loads(word)
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    check_items("array", len(items))
    return items


def _choice(choices: list[Any], value: Any) -> Any:
    """The choice for a value in other letters or for another word."""
    if isinstance(value, bool):
        value = str(value).lower()
    if not isinstance(value, str) or value in choices:
        return value
    word = _snake(value)
    if word in choices:
        return word
    other = OTHER_CHOICES.get(value.strip().lower()) or OTHER_CHOICES.get(word)
    return other if other in choices else value


def _boolean(value: Any) -> bool | None:
    """Whether a switch is on; None if its value is no truth value."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None

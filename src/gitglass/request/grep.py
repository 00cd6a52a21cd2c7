"""The typed request and result of git grep."""

from collections.abc import Callable, Mapping

from ..annotations import Annotated, Literal
from ..errors import InvalidArgs
from ..records import field, typed_row
from .declared import Declared, Field
from .flag import Flag, number, parse_when
from .request import Pathspecs, Request
from .rows.page import Page


class Term(Declared):
    """One word of a pattern expression: a pattern, or an operator."""

    model_config = {"frozen": True, "extra": "forbid"}

    op: Literal["pattern", "and", "not", "open", "close"] = "pattern"
    text: str = ""
    origin: str | None = Field(None, description="Where a pattern stands, for the complaint about a bad one.")


@typed_row
class GrepLine:
    """A line: `kind` says whether it matched, is context, or names the function that contains a match."""

    line: int
    text: str
    column: int | None = None
    kind: str = "match"


@typed_row
class GrepFile:
    """A file with matches: its lines, or their number (`count`), or only its name."""

    path: str
    revision: str | None = None
    binary: bool = False
    count: int | None = None
    lines: list[GrepLine] = field(default_factory=list)


class GrepResult(Page):
    """Files with matching lines."""

    files: list[GrepFile] = Field(description="The files, in git's order.")


def _pattern(value: str) -> dict[str, str]:
    return {"op": "pattern", "text": value}


def _file(value: str) -> dict[str, str]:
    return {"op": "file", "text": value}


def _around(value: int) -> Mapping[str, object]:
    return {"before_context": value, "after_context": value}


def _lines(name: str) -> Callable[[str], int]:
    read = number(name)

    def parse(value: str) -> int:
        count = int(str(read(value or "0" if name == "context" else value)))  # strtol(3) there
        if count < 0:
            raise InvalidArgs(f"option `{name}' expects a number that is not negative")
        return count

    return parse


class GrepRequest(Request[GrepResult], Pathspecs):
    """`git grep`: lines that match, in the work tree, the index, or trees."""

    patterns: list[str] = Field(default_factory=list, description="Patterns: a line is found that matches any of them.")
    expression: Annotated[
        list[Term],
        Flag("-e", value="pattern", append=True, parse=_pattern),
        Flag("-f", value="file", append=True, parse=_file),
        Flag("--and", append=True, const={"op": "and"}),
        Flag("--not", append=True, const={"op": "not"}),
        Flag("(", append=True, const={"op": "open"}),
        Flag(")", append=True, const={"op": "close"}),
    ] = Field(default_factory=list, description="In place of patterns: patterns joined by and, not and parentheses.")
    given: bool = Field(False, description="The first pattern was given without -e (for git's words of error).")
    revs: list[str] = Field(default_factory=list, description="Commits or trees to search in place of the work tree.")

    cached: Annotated[bool, Flag("--cached", no=True)] = Field(False, description="Search the index.")
    untracked: Annotated[bool, Flag("--untracked", no=True)] = Field(False, description="Search untracked files too.")
    no_index: Annotated[bool, Flag("--no-index"), Flag("--index", const=False)] = Field(
        False, description="Search every file of the work tree, tracked, ignored or in a repository within it."
    )
    exclude_standard: Annotated[bool | None, Flag("--exclude-standard", no=True)] = Field(
        None, description="Leave ignored files out: what untracked does by itself, and no_index does not."
    )
    invert: Annotated[bool, Flag("-v", "--invert-match", no=True)] = Field(False, description="Lines without a match.")
    ignore_case: Annotated[bool, Flag("-i", "--ignore-case", no=True)] = Field(
        False, description="Upper and lower case are the same."
    )
    word: Annotated[bool, Flag("-w", "--word-regexp", no=True)] = Field(False, description="Match whole words only.")
    binary: Annotated[
        Literal["", "text", "skip"],
        Flag("-a", "--text", const="text", no=True, no_const=""),
        Flag("-I", const="skip"),
    ] = Field("", description="Binary files: text (search as text), skip; else only tell that they match.")
    textconv: Annotated[bool, Flag("--textconv", no=True)] = Field(
        False, description="Search converted text; a file that a program would have to convert ends the search."
    )
    recurse_submodules: Annotated[bool | None, Flag("--recurse-submodules", no=True)] = Field(
        None, description="Search active submodules too, each as it is there; submodule.recurse unless given."
    )
    max_depth: Annotated[
        int,
        Flag("--max-depth", value="depth", parse=number("max-depth")),
        Flag("-r", "--recursive", const=-1, no=True, no_const=0),
    ] = Field(-1, description="How many directories below the paths given; -1: all.")
    kind: Annotated[
        Literal["basic", "extended", "fixed", "perl"] | None,
        Flag("-E", "--extended-regexp", const="extended", no=True, no_const=None),
        Flag("-G", "--basic-regexp", const="basic", no=True, no_const=None),
        Flag("-F", "--fixed-strings", const="fixed", no=True, no_const=None),
        Flag("-P", "--perl-regexp", const="perl", no=True, no_const=None),
    ] = Field(None, description="How patterns are read; basic regular expressions unless configured otherwise.")
    line_number: Annotated[bool | None, Flag("-n", "--line-number", no=True)] = Field(
        None, description="Number the lines."
    )
    column: Annotated[bool | None, Flag("--column", no=True)] = Field(None, description="Column of the first match.")
    names: Annotated[bool, Flag("-h", const=False), Flag("-H", const=True)] = Field(
        True, description="Show the names of files."
    )
    full_name: Annotated[bool | None, Flag("--full-name", no=True)] = Field(
        None, description="Paths from the top, not from here."
    )
    only_names: Annotated[bool, Flag("-l", "--files-with-matches", "--name-only", no=True)] = Field(
        False, description="Names of files only."
    )
    without_match: Annotated[bool, Flag("-L", "--files-without-match", no=True)] = Field(
        False, description="Names of files without a match."
    )
    null: Annotated[bool, Flag("-z", "--null", no=True)] = Field(False, description="NUL after names, unquoted.")
    only_matching: Annotated[bool, Flag("-o", "--only-matching", no=True)] = Field(
        False, description="Only what matched of each line."
    )
    count: Annotated[bool, Flag("-c", "--count", no=True)] = Field(False, description="How many lines match.")
    color: Annotated[
        Literal["always", "never", "auto"] | None,
        Flag("--color", value="when", optional=True, const="always", no=True, no_const="never", parse=parse_when),
    ] = Field(None, description="Colour: always, never, auto.")
    file_break: Annotated[bool, Flag("--break", no=True)] = Field(False, description="An empty line between files.")
    heading: Annotated[bool, Flag("--heading", no=True)] = Field(False, description="A file's name once, above.")
    context: Annotated[
        int | None,
        Flag("-C", "--context", value="n", parse=_lines("context"), sets=_around, no=True, no_const=0),
        Flag("-NUM", value="n", parse=_lines("context"), sets=_around),
    ] = Field(None, ge=0, description="Lines of context around each match.")
    before_context: Annotated[
        int | None,
        Flag("-B", "--before-context", value="n", parse=_lines("before-context"), no=True, no_const=0),
    ] = Field(None, ge=0, description="Lines of context before each match.")
    after_context: Annotated[
        int | None,
        Flag("-A", "--after-context", value="n", parse=_lines("after-context"), no=True, no_const=0),
    ] = Field(None, ge=0, description="Lines of context after each match.")
    threads: Annotated[int | None, Flag("--threads", value="n", parse=number("threads"), no=True, no_const=0)] = Field(
        None, description="How many threads git would use; the answer depends on it only in git's flaws."
    )
    show_function: Annotated[bool, Flag("-p", "--show-function", no=True)] = Field(
        False, description="Name the function above each match."
    )
    function_context: Annotated[bool, Flag("-W", "--function-context", no=True)] = Field(
        False, description="Show the whole function around each match."
    )
    or_word: Annotated[bool, Flag("--or", no=True)] = Field(False, description="Nothing: alternatives are the rule.")
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(False, description="Only the exit status.")
    all_match: Annotated[bool, Flag("--all-match", no=True)] = Field(
        False, description="Only files that match every pattern."
    )
    ext_grep: Annotated[bool, Flag("--ext-grep", no=True)] = Field(False, description="Nothing, as in git.")
    max_count: Annotated[int, Flag("-m", "--max-count", value="n", parse=number("max-count"), no=True, no_const=0)] = (
        Field(-1, description="At most so many lines of a file; -1: all.")
    )

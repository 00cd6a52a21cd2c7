"""Diff drivers: what a path's `diff` attribute and `diff.<name>.*` define for hunk headers, words, and binary files.

Mirrors gitattributes(5), "Generating diff text". The built-in drivers are git 2.39's; which lines a language's rules
accept was found by running git. External commands and text conversion are never honoured: they would run programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...annotations import TYPE_CHECKING, Protocol
from ...deferred import deferred
from ...errors import BadConfig, GitError, text
from .hunks import Finder
from .whitespace import bare

if TYPE_CHECKING:
    from ...limits import Context
    from ...regex.matcher import BadPattern, Matcher, compile_pattern
else:
    BadPattern, compile_pattern = deferred(__name__, "...regex.matcher", "BadPattern", "compile_pattern")

__all__ = ["BUILTIN", "DEFAULT", "Driver", "driver_for", "is_binary"]

_FIRST_FEW = 8000
_NAME_BYTES = 80
_SPACE = b" \t\n\r"


def is_binary(data: bytes) -> bool:
    """git's guess if no attribute decides: a NUL among the first 8000 bytes."""
    return data.find(b"\0", 0, _FIRST_FEW) >= 0


class Driver:
    """One diff driver. `binary` is None if the content decides; `finder` is None for git's default rule."""

    __slots__ = ("_finder", "_rules", "binary", "name", "word_regex")

    def __init__(
        self,
        name: bytes,
        *,
        rules: Callable[[], Finder] | None = None,
        word_regex: bytes | None = None,
        binary: bool | None = None,
    ) -> None:
        self.name = name
        self.word_regex = word_regex
        self.binary = binary
        self._rules = rules
        self._finder: Finder | None = None

    @property
    def names_functions(self) -> bool:
        """Whether the driver has rules of its own for hunk headers."""
        return self._rules is not None

    @property
    def finder(self) -> Finder | None:
        """The function-name rule, compiled on first use. Raises GitError if a pattern is invalid."""
        if self._finder is None and self._rules is not None:
            self._finder = self._rules()
        return self._finder


def make_finder(
    patterns: bytes, kind: str = "extended", ignore_case: bool = False, ctx: Context | None = None
) -> Finder:
    """A finder from the text of `xfuncname`: one pattern a line, `!` before one that rejects; the first match decides.

    The finder returns the first group, or the whole match if there is no group.
    """
    rules: list[tuple[bool, Matcher]] = []
    lines = patterns.split(b"\n")
    for at, line in enumerate(lines):
        rejects = line.startswith(b"!")
        if rejects and at == len(lines) - 1:
            raise BadConfig(f"Last expression must not be negated: {text(line)}")
        source = line[1:] if rejects else line
        try:
            rules.append((rejects, compile_pattern(source, kind, ignore_case=ignore_case, library=True, ctx=ctx)))
        except GitError as error:
            if not isinstance(error, BadPattern):
                raise
            raise BadConfig(f"Invalid regexp to look for hunk header: {text(source)}") from None

    def find(line: bytes) -> bytes | None:
        if ctx is not None:
            ctx.tick()
        line = bare(line) if b"\n" in line else line.removesuffix(b"\r")
        for rejects, matcher in rules:
            spans = matcher.spans(line)
            if spans is None:
                continue
            if rejects:
                return None
            start, end = spans[1] if len(spans) > 1 and spans[1][0] >= 0 else spans[0]
            return line[start : min(end, start + _NAME_BYTES)].rstrip(_SPACE)
        return None

    return find


class _Config(Protocol):
    """The part of `store.config.Config` that is used here."""

    def get(self, key: str | bytes) -> bytes | None: ...

    def get_bool(self, key: str | bytes, default: bool | None = None) -> bool | None: ...

    def subsections(self, section: str | bytes) -> list[bytes]: ...


def driver_for(attribute: bytes | bool | None, config: _Config | None = None, *, ctx: Context | None = None) -> Driver:
    """The driver that a `diff` attribute's value names: True (set), False (unset), None (unspecified) or a name.

    Patterns from the configuration are matched within `ctx`'s time.
    """
    if attribute is True:
        return _TEXT
    if attribute is False:
        return _BINARY
    name = attribute or b"default"
    driver = configured(name, config, ctx)
    if driver is None:
        driver = (configured(b"default", config, ctx) if name != b"default" else None) or DEFAULT
    return driver


def configured(name: bytes, config: _Config | None, ctx: Context | None = None) -> Driver | None:
    """A driver by name, with the configuration's changes; None if neither git nor the configuration defines it."""
    driver = BUILTIN.get(name)
    if config is None:
        return driver
    prefix = b"diff." + name
    extended = config.get(prefix + b".xfuncname")
    basic = config.get(prefix + b".funcname")
    words = config.get(prefix + b".wordregex")
    binary = config.get(prefix + b".binary")
    if extended is None and basic is None and words is None and binary is None:
        return driver
    made = Driver(name)
    if driver is not None:
        made._rules, made.word_regex, made.binary = driver._rules, driver.word_regex, driver.binary
    if extended is not None:
        made._rules = _maker(extended, "extended", False, ctx)
    elif basic is not None:
        made._rules = _maker(basic, "basic", False, ctx)
    if words is not None:
        made.word_regex = words
    if binary is not None:
        made.binary = None if binary == b"auto" else config.get_bool(prefix + b".binary")
    return made


def converts(attribute: bytes | bool | None, config: _Config) -> bool:
    """Whether git would run a program (`diff.<name>.textconv`) on content with this `diff` attribute."""
    if isinstance(attribute, bool):
        return False
    name = attribute or b"default"
    if name != b"default" and name not in BUILTIN and name not in config.subsections(b"diff"):
        name = b"default"  # a driver that neither git nor the configuration defines
    return config.get(b"diff." + name + b".textconv") is not None


def _maker(patterns: bytes, kind: str, ignore_case: bool, ctx: Context | None = None) -> Callable[[], Finder]:
    return lambda: make_finder(patterns, kind, ignore_case, ctx)


# -- the built-in drivers ------------------------------------------------------------------------------------------

_NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
_GAP = r"[ \t]+"
_LEAD = r"^[ \t]*"
_C_NUMBER = r"[-+0-9.e]+[fFlL]?|0[xXbB]?[0-9a-fA-F]+[lL]?"
_C_SIGNS = r"[-+*/<>%&^|=!]=|--|\+\+|<<=?|>>=?|&&|\|\|"


def _driver(name: str, rules: Sequence[str], words: Sequence[str], *, ignore_case: bool = False) -> Driver:
    # The POSIX compiler has no \t: the tables spell it for the reader, git's patterns have the character.
    def encode(source: str) -> bytes:
        return source.replace("\\t", "\t").encode("latin-1")

    patterns = b"\n".join(map(encode, rules))
    word_regex = b"|".join([*map(encode, words), _WORD_REST])
    return Driver(name.encode(), rules=_maker(patterns, "extended", ignore_case), word_regex=word_regex)


#: Words are also: any other visible character alone, and any UTF-8 sequence.
_WORD_REST = b"[^[:space:]]|[\xc0-\xff][\x80-\xbf]+"


def _modifiers(words: str) -> str:
    return "((" + words + ")" + _GAP + ")*"


_CSHARP = "static|public|internal|private|protected|new|"
_CSHARP_MEMBER = _CSHARP + "virtual|sealed|override|unsafe"

_LANGUAGES = [
    _driver(
        "ada",
        [
            r"!^(.*[ \t])?(is[ \t]+new|renames|is[ \t]+separate)([ \t].*)?$",
            r"!^[ \t]*with[ \t].*$",
            _LEAD + r"((procedure|function)[ \t]+.*)$",
            _LEAD + r"((package|protected|task)[ \t]+.*)$",
        ],
        [
            r"[a-zA-Z][a-zA-Z0-9_]*",
            r"[-+]?[0-9][0-9#_.aAbBcCdDeEfF]*([eE][+-]?[0-9_]+)?",
            r"=>|\.\.|\*\*|:=|/=|>=|<=|<<|>>|<>",
        ],
        ignore_case=True,
    ),
    _driver(
        "bash",
        [
            _LEAD
            + "(("
            + _NAME
            + r"[ \t]*\([ \t]*\))|(function[ \t]+"
            + _NAME
            + r"(([ \t]*\([ \t]*\))|([ \t]+)))[ \t]*(\{|\(\(?|\[\[))"
        ],
        [r"[^ \t]+"],
    ),
    _driver(
        "bibtex",
        [r"""(@[a-zA-Z]{1,}[ \t]*\{{0,1}[ \t]*[^ \t"@',\#}{~%]*).*$"""],
        [r'[={}"]', r'[^={}" \t]+'],
    ),
    _driver(
        "cpp",
        [
            r"!^[ \t]*[A-Za-z_][A-Za-z_0-9]*:[[:space:]]*($|/[/*])",  # labels and access declarations
            r"^((::[[:space:]]*)?[A-Za-z_].*)$",
        ],
        [
            _NAME,
            r"[0-9][0-9.]*([Ee][-+]?[0-9]+)?[fFlLuU]*",
            r"0[xXbB][0-9a-fA-F]+[lLuU]*",
            r"\.[0-9][0-9]*([Ee][-+]?[0-9]+)?[fFlL]?",
            _C_SIGNS,
            r"::|->\*?|\.\*|<=>",
        ],
    ),
    _driver(
        "csharp",
        [
            "!" + _LEAD + r"(do|while|for|if|else|instanceof|new|return|switch|case|throw|catch|using)",
            _LEAD
            + "("
            + _modifiers(_CSHARP_MEMBER + "|async")
            + r"[][<>@.~_[:alnum:]]+[ \t]+[<>@._[:alnum:]]+[ \t]*\(.*\))[ \t]*$",
            _LEAD + "(" + _modifiers(_CSHARP_MEMBER) + r"[][<>@.~_[:alnum:]]+[ \t]+[@._[:alnum:]]+)[ \t]*$",
            _LEAD
            + "("
            + _modifiers(_CSHARP + "unsafe|sealed|abstract|partial")
            + r"(class|enum|interface|struct|record)[ \t]+.*)$",
            _LEAD + r"(namespace[ \t]+.*)$",
        ],
        [_NAME, _C_NUMBER, _C_SIGNS, "::|->"],
    ),
    _driver(
        "css",
        [r"![:;][[:space:]]*$", r"^[:[@.#]?[_a-z0-9].*$"],
        [r"-?[_a-zA-Z][-_a-zA-Z0-9]*", r"-?[0-9]+", r"\#[0-9a-fA-F]+"],
        ignore_case=True,
    ),
    _driver(
        "dts",
        ["!;", "!=", _LEAD + r"((/[ \t]*\{|&?[a-zA-Z_]).*)"],
        [r"[a-zA-Z0-9,._+?#-]+", r"[-+*/%&^|!~]|>>|<<|&&|\|\|"],
    ),
    _driver(
        "elixir",
        [_LEAD + r"((def(macro|module|impl|protocol|p)?|test)[ \t].*)$"],
        [
            r"[@:]?[a-zA-Z0-9@_?!]+",
            r"[-+]?0[xob][0-9a-fA-F]+",
            r"[-+]?[0-9][0-9_.]*([eE][-+]?[0-9_]+)?",
            r":?(\+\+|--|\.\.|~~~|<>|\^\^\^|<?\|>|<<<?|>?>>|<<?~|~>?>|<~>|<=|>=|===?|!==?|=~|&&&?|\|\|\|?|=>|<-|\\\\|->)",
            r":?%[A-Za-z0-9_.]\{\}?",
        ],
    ),
    _driver(
        "fortran",
        [
            r"!^([C*]|[ \t]*!)",
            r"!^[ \t]*MODULE[ \t]+PROCEDURE[ \t]",
            _LEAD
            + r"((END[ \t]+)?(PROGRAM|MODULE|BLOCK[ \t]+DATA"
            + r"""|([^!'" \t]+[ \t]+)*(SUBROUTINE|FUNCTION))[ \t]+[A-Z].*)$""",
        ],
        [
            r"[a-zA-Z][a-zA-Z0-9_]*",
            r"\.([Ee][Qq]|[Nn][Ee]|[Gg][TtEe]|[Ll][TtEe]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"
            r"|[Aa][Nn][Dd]|[Oo][Rr]|[Nn]?[Ee][Qq][Vv]|[Nn][Oo][Tt])\.",
            r"[-+]?[0-9.]+([AaIiDdEeFfLlTtXx][Ss]?[-+]?[0-9.]*)?(_[a-zA-Z0-9][a-zA-Z0-9_]*)?",
            r"//|\*\*|::|[/<>=]=",
        ],
        ignore_case=True,
    ),
    _driver("fountain", [r"^((\.[^.]|(int|ext|est|int\.?/ext|i/e)[. ]).*)$"], [r"[^ \t-]+"], ignore_case=True),
    _driver(
        "golang",
        [_LEAD + r"(func[ \t]*.*(\{[ \t]*)?)", _LEAD + r"(type[ \t].*(struct|interface)[ \t]*(\{[ \t]*)?)"],
        [
            _NAME,
            r"[-+0-9.eE]+i?|0[xX]?[0-9a-fA-F]+i?",
            r"[-+*/<>%&^|=!:]=|--|\+\+|<<=?|>>=?|&\^=?|&&|\|\||<-|\.{3}",
        ],
    ),
    _driver("html", [_LEAD + r"(<[Hh][1-6]([ \t].*)?>.*)$"], [r"[^<>= \t]+"]),
    _driver(
        "java",
        [
            "!" + _LEAD + r"(catch|do|for|if|instanceof|new|return|switch|throw|while)",
            _LEAD + r"(([a-z]+[ \t]+)*(class|enum|interface)[ \t]+[A-Za-z][A-Za-z0-9_$]*[ \t]+.*)$",
            _LEAD + r"(([A-Za-z_<>&][][?&<>.,A-Za-z_0-9]*[ \t]+)+[A-Za-z_][A-Za-z_0-9]*[ \t]*\([^;]*)$",
        ],
        [_NAME, _C_NUMBER, r"[-+*/<>%&^|=!]=", r"--|\+\+|<<=?|>>>?=?|&&|\|\|"],
    ),
    _driver(
        "kotlin",
        [_LEAD + r"(([a-z]+[ \t]+)*(fun|class|interface)[ \t]+.*)$"],
        [
            _NAME,
            r"0[xXbB][0-9a-fA-F_]+[lLuU]*",
            r"[0-9][0-9_]*([.][0-9_]*)?([Ee][-+]?[0-9]+)?[fFlLuU]*",
            r"[.][0-9][0-9_]*([Ee][-+]?[0-9]+)?[fFlLuU]?",
            r"[-+*/<>%&^|=!]==?|--|\+\+|<<=|>>=|&&|\|\||->|\.\*|!!|[?:.][.:]",
        ],
    ),
    _driver("markdown", [r"^ {0,3}#{1,6}[ \t].*"], [r"[^<>= \t]+"]),
    _driver(
        "matlab",
        [r"^[[:space:]]*((classdef|function)[[:space:]].*)$|^(%%%?|##)[[:space:]].*$"],
        [_NAME, r"[-+0-9.e]+|[=~<>]=|\.[*/\^']|\|\||&&"],
    ),
    _driver(
        "objc",
        [
            "!" + _LEAD + r"(do|for|if|else|return|switch|while)",
            _LEAD + r"([-+][ \t]*\([ \t]*[A-Za-z_][A-Za-z_0-9* \t]*\)[ \t]*[A-Za-z_].*)$",
            _LEAD + r"(([A-Za-z_][A-Za-z_0-9]*[ \t]+)+[A-Za-z_][A-Za-z_0-9]*[ \t]*\([^;]*)$",
            r"^(@(implementation|interface|protocol)[ \t].*)$",
        ],
        [_NAME, _C_NUMBER, _C_SIGNS, "::|->"],
    ),
    _driver(
        "pascal",
        [
            r"^(((class[ \t]+)?(procedure|function)|constructor|destructor|interface|implementation|initialization"
            r"|finalization)[ \t]*.*)$",
            r"^(.*=[ \t]*(class|record).*)$",
        ],
        [_NAME, r"[-+0-9.e]+|0[xXbB]?[0-9a-fA-F]+", r"<>|<=|>=|:=|\.\."],
    ),
    _driver(
        "perl",
        [
            r"^package .*",
            r"^sub [[:alnum:]_':]+[ \t]*(\([^)]*\)[ \t]*)?(:[^;#]*)?(\{[ \t]*)?(#.*)?$",
            r"^(BEGIN|END|INIT|CHECK|UNITCHECK|AUTOLOAD|DESTROY)[ \t]*(\{[ \t]*)?(#.*)?$",
            r"^=head[0-9] .*",
        ],
        [
            r"[[:alpha:]_'][[:alnum:]_']*",
            r"0[xb]?[0-9a-fA-F_]*",
            r"[0-9a-fA-F_]+(\.[0-9a-fA-F_]+)?([eE][-+]?[0-9_]+)?",
            r"=>|-[rwxoRWXOezsfdlpSugkbctTBMAC>]|~~|::",
            r"&&=|\|\|=|//=|\*\*=",
            r"&&|\|\||//|\+\+|--|\*\*|\.\.\.?",
            r"[-+*/%.^&<>=!|]=",
            r"=~|!~",
            r"<<|<>|<=>|>>",
        ],
    ),
    _driver(
        "php",
        [
            _LEAD + r"(((public|protected|private|static|abstract|final)[ \t]+)*function.*)$",
            _LEAD + r"((((final|abstract)[ \t]+)?class|enum|interface|trait).*)$",
        ],
        [_NAME, r"[-+0-9.e]+|0[xXbB]?[0-9a-fA-F]+", r"[-+*/<>%&^|=!.]=|--|\+\+|<<=?|>>=?|===|&&|\|\||::|->"],
    ),
    _driver(
        "python",
        [_LEAD + r"((class|(async[ \t]+)?def)[ \t].*)$"],
        [_NAME, r"[-+0-9.e]+[jJlL]?|0[xX]?[0-9a-fA-F]+[lL]?", r"[-+*/<>%&^|=!]=|//=?|<<=?|>>=?|\*\*=?"],
    ),
    _driver(
        "ruby",
        [_LEAD + r"((class|module|def)[ \t].*)$"],
        [
            r"(@|@@|\$)?" + _NAME,
            r"[-+0-9.e]+|0[xXbB]?[0-9a-fA-F]+|\?(\\C-)?(\\M-)?.",
            r"//=?|[-+*/<>%&^|=!]=|<<=?|>>=?|===|\.{1,3}|::|[!=]~",
        ],
    ),
    _driver(
        "rust",
        [
            r'^[ \t]*((pub(\([^\)]+\))?[ \t]+)?((async|const|unsafe|extern([ \t]+"[^"]+"))[ \t]+)?'
            r"(struct|enum|union|mod|trait|fn|impl|macro_rules!)[< \t]+[^;]*)$"
        ],
        [
            _NAME,
            r"[0-9][0-9_a-fA-Fiosuxz]*(\.([0-9]*[eE][+-]?)?[0-9_fF]*)?",
            r"[-+*\/<>%&^|=!:]=|<<=?|>>=?|&&|\|\||->|=>|\.{2}=|\.{3}|::",
        ],
    ),
    _driver(
        "scheme",
        [
            _LEAD
            + r"(\(((define|def(struct|syntax|class|method|rules|record|proto|alias)?)[-*/ \t]"
            + r"|(library|module|struct|class)[*+ \t]).*)$"
        ],
        [r"\|([^\\]*)\|", r"([^][)(}{[ \t])+"],
    ),
    _driver(
        "tex",
        [r"^(\\((sub)*section|chapter|part)\*{0,1}\{.*)$"],
        [r"\\[a-zA-Z@]+", r"\\.", "[a-zA-Z0-9\x80-\xff]+"],
    ),
]

DEFAULT = Driver(b"default")
_TEXT = Driver(b"diff=true", binary=False)
_BINARY = Driver(b"!diff", binary=True)
BUILTIN: dict[bytes, Driver] = {driver.name: driver for driver in [DEFAULT, *_LANGUAGES]}

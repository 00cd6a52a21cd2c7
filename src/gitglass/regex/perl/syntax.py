"""Perl patterns (`-P`) in Python's syntax, as PCRE2 10.42 reads them in the way git calls it.

git compiles with PCRE2_UTF, PCRE2_MULTILINE and PCRE2_MATCH_INVALID_UTF, without PCRE2_UCP: `\\d`, `\\w`, `\\s`, `\\b`
and the POSIX classes match ASCII only, but case folding goes beyond ASCII. A pattern is read once from left to right;
every piece is rewritten in syntax that has the same meaning in `re` and in `regex`. What PCRE2 refuses is refused with
PCRE2's message; what PCRE2 supports and the engines here do not is refused by name. No pattern is passed on unread.
Mirrors pcre2pattern(3), pcre2syntax(3).
"""

import re

from ...limits import step
from .escapes import Escapes
from .pieces import NO_GROUP, NOTHING_TO_REPEAT, QUANTIFIER, Group

__all__ = ["Perl"]

_MOST_GROUPS_WITHIN = 250
_LONGEST = 1 << 16  # characters of the translation; an engine takes a quarter of a second to compile them
_START_OPTIONS = frozenset(
    {"UTF", "LF", "NO_JIT", "NO_AUTO_POSSESS", "NO_START_OPT", "NO_DOTSTAR_ANCHOR", "BSR_UNICODE"}
)
_START_REFUSED = frozenset(
    {"UCP", "CR", "CRLF", "ANY", "ANYCRLF", "NUL", "NOTEMPTY", "NOTEMPTY_ATSTART", "BSR_ANYCRLF"}
)
_START_LIMITS = re.compile(r"LIMIT_(?:MATCH|DEPTH|HEAP|RECURSION)=[0-9]+")
_ASSERTIONS = {
    "pla": "(?=", "positive_lookahead": "(?=", "nla": "(?!", "negative_lookahead": "(?!",
    "plb": "(?<=", "positive_lookbehind": "(?<=", "nlb": "(?<!", "negative_lookbehind": "(?<!", "atomic": "(?>",
}  # fmt: skip
_ASSERTIONS_REFUSED = frozenset(
    {"napla", "non_atomic_positive_lookahead", "naplb", "non_atomic_positive_lookbehind"}
    | {"sr", "script_run", "asr", "atomic_script_run"}
)
_VERB = re.compile(r"\(\*([A-Z_]*)(?::([^)]*))?\)")


class Perl(Escapes):
    """Translates one pattern. `continued`: the text is the rest of a line, so that `^` does not match at its start."""

    def translate(self) -> str:
        """The pattern in Python's syntax."""
        self._start_options()
        text, size = self.text, len(self.text)
        while self.at < size:
            step()
            char = text[self.at]
            if "x" in self.flags and char in " \t\n\x0b\x0c\r\x85\u200e\u200f\u2028\u2029":
                self.at += 1
            elif "x" in self.flags and char == "#":
                end = text.find("\n", self.at)
                self.at = size if end < 0 else end + 1
            elif char == "\\":
                self._escape()
            elif char == "[":
                self._class()
            elif char == "(":
                self._open()
            elif char == ")":
                self._close()
            elif char == "|":
                self._alternative()
            elif char in "*+?" or (char == "{" and QUANTIFIER.match(text, self.at)):
                self._quantify()
            elif char == "^":
                self.at += 1
                self._anchor(self._caret())
            elif char == "$":
                self.at += 1
                self._anchor("(?m:$)" if "M" not in self.flags else self._odd("(?=\\n?\\Z)"))
            elif char == ".":
                self.at += 1
                self._put(self._any("s" in self.flags))
            else:
                self.at += 1
                self._literal(char)
        if len(self.stack) > 1:
            raise self.bad("missing closing parenthesis")
        self._resolve()
        text = "".join(self.stack[0].pieces)
        if len(text) > _LONGEST:
            raise self.bad("regular expression is too large")
        if self.calls:  # no literal is ever written as `(?&`
            text = re.sub(r"\(\?&(\w+)\)", lambda match: f"(?{self.names[match[1]][0]})", text)
        return text

    def _start_options(self) -> None:
        while match := re.compile(r"\(\*([A-Z_=0-9]+)\)").match(self.text, self.at):
            word = match[1]
            if word in _START_REFUSED or _START_LIMITS.fullmatch(word):
                raise self.lacking(match[0])
            if word not in _START_OPTIONS:
                return
            if self.octets and word == "UTF":
                raise self.lacking(match[0])
            self.compiled = self.compiled and word != "NO_JIT"
            self.at = match.end()

    def _resolve(self) -> None:
        """Check that every referenced group exists, and that no group calls itself without matching a character."""
        top = self.stack[0]
        top.alternative()
        self.lengths[0] = top.length
        for target in self.references:
            if (target not in self.names) if isinstance(target, str) else target > self.groups:
                raise self.bad(NO_GROUP)
        edges: dict[int, set[int]] = {}
        for callers, target in self.calls:
            number = self.names[target][0] if isinstance(target, str) else target
            for caller, eaten in callers:
                if not eaten:
                    edges.setdefault(caller, set()).add(number)
        done: set[int] = set()
        for start in list(edges):
            path = [start]
            self._follow(path, edges, done)

    def _follow(self, path: list[int], edges: dict[int, set[int]], done: set[int]) -> None:
        """Refuse a cycle of calls: it would use up all memory (git: "JIT stack limit reached")."""
        entered = set(path)
        ways = [iter(edges.get(path[0], ()))]
        while ways:
            number = next(ways[-1], None)
            if number is None:
                ways.pop()
                entered.discard(path[-1])
                done.add(path.pop())
            elif number in entered:
                raise self.bad("recursion that matches no character before it calls itself")
            elif number not in done:
                path.append(number)
                entered.add(number)
                ways.append(iter(edges.get(number, ())))

    def _caret(self) -> str:
        if "M" in self.flags:
            return self._odd("(?!)" if self.continued else "\\A")
        return self._odd("(?!\\A)(?m:^)") if self.continued else "(?m:^)"

    def _open(self) -> None:
        text, at = self.text, self.at
        self.nature.needs_longest = False
        if text.startswith("(*", at):
            self._verb()
            return
        if not text.startswith("(?", at):
            self.at += 1
            if "n" in self.flags:
                self._enter("(?:")
            else:
                self._capture(None)
            return
        rest = text[at + 2 : at + 4]
        if not rest:
            self.at += 2
            raise self.bad("missing closing parenthesis")
        one = rest[0]
        self.at += 2
        if one == "#":
            end = text.find(")", self.at)
            if end < 0:
                raise self.bad("missing ) after (?# comment")
            self.at = end + 1
        elif one == ":":
            self.at += 1
            self._enter("(?:")
        elif one == "|":
            self.at += 1
            self._odd("")
            self._enter("(?|", restart=self.groups)
        elif one == ">":
            self.at += 1
            self._enter(self._odd("(?>"))
        elif one in "=!":
            self.at += 1
            self._enter(self._odd("(?" + one))
        elif rest in ("<=", "<!"):
            self.at += 2
            self._enter(self._odd("(?" + rest))
        elif one == "*" or rest == "<*":
            raise self.lacking("(?*...) and (?<*...), look-around that is not atomic,")
        elif one in "<'":
            self.at += 1
            self._capture(self._name(">" if one == "<" else "'"))
        elif one == "P":
            self._python()
        elif one == "R" or one.isdigit() or (one in "+-" and rest[1:].isdigit()):
            self._call_number()
        elif one == "&":
            self.at += 1
            self._call(self._name(")"))
        elif one == "(":
            self._condition()
        elif one == "C":
            self._callout()
        else:
            self._options()

    def _enter(self, kind: str, *, capture: int | None = None, restart: int | None = None) -> None:
        self._settle()
        if len(self.stack) > _MOST_GROUPS_WITHIN:
            raise self.bad("parentheses are too deeply nested")
        self.stack.append(Group(kind, self.flags, capture, restart))

    def _capture(self, name: str | None) -> None:
        self.groups += 1
        number = self.groups
        if name is not None:
            numbers = self.names.setdefault(name, [])
            if self.named.get(number, name) != name:
                raise self.bad("different names for subpatterns of the same number are not allowed")
            if numbers and number not in numbers:
                if "J" not in self.flags:
                    raise self.bad("two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
                raise self.lacking("(?J), two groups of the same name,")
            if number not in numbers:
                numbers.append(number)
            self.named[number] = name
        self._enter("(", capture=number)

    def _alternative(self) -> None:
        self.at += 1
        self._settle()
        group = self.stack[-1]
        group.pieces.append("|")
        group.alternative()
        if group.restart is not None:
            group.most = max(group.most, self.groups)
            self.groups = group.restart
        if group.kind == "(?(DEFINE)":
            raise self.bad("DEFINE subpattern contains more than one branch")
        if (group.kind == "(?" or group.kind.startswith("(?(")) and len(group.lengths) > 1:
            raise self.bad("conditional subpattern contains more than two branches")

    def _close(self) -> None:
        self.at += 1
        if len(self.stack) == 1:
            raise self.bad("unmatched closing parenthesis")
        self._settle()
        group = self.stack.pop()
        group.alternative()
        fixed, least = group.length
        kind = group.kind
        if group.restart is not None:
            self.groups = max(group.most, self.groups)
        if kind in ("(?<=", "(?<!"):
            if any(length is None for length, _ in group.lengths):
                raise self.bad("lookbehind assertion is not fixed length")
        elif (kind == "(?" or kind.startswith("(?(")) and len(group.lengths) == 1:
            fixed, least = (0 if fixed == 0 else None), 0
        look = kind in ("(?=", "(?!", "(?<=", "(?<!")
        piece = kind + "".join(group.pieces) + ")"
        self.flags = group.flags
        if kind == "(?(DEFINE)":
            self._anchor(piece)
            return
        if look or not (fixed or least):
            self._put(piece, 0 if look else fixed, 0)
        else:
            self._put(piece, fixed, least)
        self.assertion = look
        if group.capture is not None:
            self.lengths[group.capture] = fixed, least

    def _python(self) -> None:
        """Read `(?P<n>`, `(?P=n)`, `(?P>n)`."""
        sign = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if not sign:
            raise self.bad("missing closing parenthesis")
        if sign == "<":
            self._capture(self._name(">"))
        elif sign == "=":
            self._refer(self._name(")"))
        elif sign == ">":
            self._call(self._name(")"))
        else:
            raise self.bad("unrecognized character after (?P")

    def _options(self) -> None:
        """Read `(?i)`, `(?i-s:...)`, `(?^)`: options that hold to the end of the group."""
        text = self.text
        on, flags = True, self.flags
        if text.startswith("^", self.at):
            self.at += 1
            flags = "".join(flag for flag in flags if flag in "JU") + "M"
            unset = True
        else:
            unset = False
        while True:
            char = text[self.at : self.at + 1]
            self.at += 1
            if not char:
                raise self.bad("missing closing parenthesis")
            if char in "):":
                break
            if char == "-":
                if not on or unset:
                    raise self.bad("invalid hyphen in option setting")
                on = False
            elif char == "m":
                flags = flags.replace("M", "") + ("" if on else "M")
            elif char in "isxnJU":
                flags = flags.replace(char, "") + (char if on else "")
                if char == "x":
                    flags = flags.replace("X", "")
                    if on and text.startswith("x", self.at):
                        self.at += 1
                        flags += "X"
            else:
                raise self.bad("unrecognized character after (? or (?-")
        if char == ")":
            self._settle()
            self.flags = flags
            return
        before = self.flags
        self._enter("(?:")
        self.stack[-1].flags, self.flags = before, flags

    def _callout(self) -> None:
        """Refuse `(?C)`, a call of the host program: git defines none."""
        match = re.compile(r"C([0-9]*)(.?)").match(self.text, self.at)
        assert match is not None
        if match[1]:
            if int(match[1][:9]) > 255:
                raise self.bad("number after (?C is greater than 255")
        elif match[2] and match[2] in "`'\"^%#${":
            closing = "}" if match[2] == "{" else match[2]
            end = match.end()
            while True:
                end = self.text.find(closing, end)
                if end < 0:
                    raise self.bad("missing terminating delimiter for callout with string argument")
                if not self.text.startswith(closing, end + 1):
                    break
                end += 2
            self.at = end + 1
            if not self.text.startswith(")", self.at):
                raise self.bad("closing parenthesis for (?C expected")
            self.at += 1
            self._settle()
            return
        elif match[2] and match[2] != ")":
            raise self.bad("unrecognized string delimiter follows (?C")
        self.at = match.end()
        if not match[2]:
            raise self.bad("missing closing parenthesis")
        if match[2] != ")":
            raise self.bad("closing parenthesis for (?C expected")
        self._settle()

    def _verb(self) -> None:
        """Read verbs like `(*FAIL)` and groups like `(*pla:...)`."""
        text = self.text
        match = re.compile(r"\(\*([a-z_]+)(:)?").match(text, self.at)
        if match is not None:
            word = match[1]
            if word in _ASSERTIONS_REFUSED:
                raise self.lacking(f"(*{word}:...)")
            if word not in _ASSERTIONS or not match[2]:
                raise self.bad("(*alpha_assertion) not recognized")
            self.at = match.end()
            self._enter(self._odd(_ASSERTIONS[word]))
            return
        match = _VERB.match(text, self.at)
        if match is None or not match[1]:
            if match is None and text[self.at + 2 : self.at + 3].isalpha():
                raise self.bad("(*VERB) not recognized or malformed")
            if match is not None and match[2] is not None:
                raise self.lacking("(*MARK:...)")
            raise self.bad(NOTHING_TO_REPEAT)
        verb, name = match[1], match[2]
        self.at = match.end()
        if verb in ("F", "FAIL") and name is None:
            self._settle()
            self.last = None
            self.stack[-1].pieces.append(self._odd("(?!)"))
            return
        if verb in ("SKIP", "PRUNE") and name is None:
            self._anchor(self._odd(f"(*{verb})"))
            return
        if verb in ("ACCEPT", "COMMIT", "PRUNE", "SKIP", "THEN", "F", "FAIL") or (verb == "MARK" and name):
            raise self.lacking(f"(*{verb})")
        if verb == "MARK":
            raise self.bad("(*MARK) must have an argument")
        raise self.bad("(*VERB) not recognized or malformed")

    def _call_number(self) -> None:
        match = re.compile(r"(R|[+-]?[0-9]+)(\)?)").match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        if not match[2]:
            raise self.bad(
                "missing closing parenthesis"
                if self.at >= len(self.text)
                else "(?R (recursive pattern call) must be followed by a closing parenthesis"
            )
        self._call(self._relative(match[1]))

    def _condition(self) -> None:
        """Read the start of `(?(1)a|b)`, up to the closing parenthesis of the condition."""
        text = self.text
        match = re.compile(r"\((?:([+-]?[0-9]+)|<(\w+)>|'(\w+)'|(\w+))?(\)?)").match(text, self.at)
        assert match is not None
        word = match[1] or match[2] or match[3] or match[4]
        if text.startswith(("(?=", "(?!", "(?<=", "(?<!", "(*"), self.at):
            if text.startswith("(*", self.at):
                raise self.lacking("a condition that is a verb")
            self._enter(self._odd("(?"))
            return
        if text.startswith(("(?C", "(VERSION", "(R&"), self.at) or re.compile(r"\(R[0-9]*\)").match(text, self.at):
            level = re.compile(r"\(R([0-9]+)\)").match(text, self.at)
            name = re.compile(r"\(R&(\w+)\)").match(text, self.at)
            if (level and int(level[1][:9]) > self._count_groups()) or (name and f"<{name[1]}>" not in text):
                raise self.bad(NO_GROUP)
            raise self.lacking("a condition other than a group")
        if word is None:
            raise self.bad(
                "missing closing parenthesis" if match.end() >= len(text) else "assertion expected after (?( or (?(?C)"
            )
        if not match[5]:
            raise self.bad("missing closing parenthesis for condition")
        self.at = match.end()
        self._odd("")
        if match[4] == "DEFINE":
            self._enter("(?(DEFINE)")
            return
        target = self._relative(match[1]) if match[1] else word
        number = target if isinstance(target, int) else (self.names.get(target) or [0])[0]
        if not number or number > self.groups:
            if isinstance(target, int) and number <= self._count_groups() and number:
                raise self.lacking("a condition on a group that follows,")
            raise self.bad(NO_GROUP)
        self._enter(f"(?({number})")

"""Ref formats: structure, quoting, what a star means, faults and when they show."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gitglass
from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.render.refs.fields import Fields
from gitglass.render.refs.format import QUOTES, RefFormat, RefOrder
from gitglass.revs.ref_filter import RefItem, RefSpec, list_refs

Show = Callable[..., bytes]


@pytest.fixture(scope="module")
def store(unpack: Any) -> Any:
    return gitglass.open(unpack("plain")).store


@pytest.fixture(scope="module")
def items(store: Any) -> dict[bytes, RefItem]:
    return {item.name: item for item in list_refs(store, RefSpec(), ctx=Context())}


@pytest.fixture(scope="module")
def show(store: Any, items: dict[bytes, RefItem]) -> Show:
    def run(form: str, name: bytes = b"refs/heads/main", color: bool = False, quote: str | None = None) -> bytes:
        fields = Fields(store, ctx=Context(now=1_700_500_000), color=color)
        return RefFormat(form.encode(), fields, QUOTES[quote] if quote else None).show(items[name])

    return run


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("a%b%%%41%zz%4", b"a%b%A%zz%4"),
        ("%(refname:short)|%(refname:lstrip=-1)|%(refname:rstrip=1)", b"main|main|refs/heads"),
        ("%(refname:lstrip=9)|%(refname:strip=-9)", b"|refs/heads/main"),
        ("%(objecttype)%(*objecttype)", b"commit"),
        ("%(*refname)%(*symref)", b"refs/heads/main^{}^{}"),
        ("%(align:12,middle)%(refname:short)%(end)|", b"    main    |"),
        ("%(align:width=6,position=right)%(refname:short)%(end)|", b"  main|"),
        ("%(align:2)%(refname:short)%(end)|", b"main|"),
        ("%(if)%(HEAD)%(then)y%(else)n%(end)", b"y"),
        ("%(if)%(*tag)%(then)y%(end)", b""),
        ("%(if:equals=main)%(refname:short)%(then)y%(end)", b"y"),
        ("%(if:notequals=main)%(refname:short)%(then)y%(else)n%(end)", b"n"),
        ("%(if)%(if)%(tag)%(then)x%(end)%(then)y%(else)%(align:3)z%(end)%(end)|", b"z  |"),
    ],
)
def test_forms(show: Show, form: str, expected: bytes) -> None:
    assert show(form) == expected


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("%(foo)", "unknown field name: foo"),
        ("%()", "malformed field name: "),
        ("%(refname:foo)", r"unrecognized %\(refname:foo\) argument: foo"),
        ("%(*push:foo)", r"unrecognized %\(\*push:foo\) argument: foo"),
        ("%(refname:lstrip=x)", "Integer value expected refname:lstrip=x"),
        ("%(objectname:short=0)", r"positive value expected '0' in %\(objectname:short=0\)"),
        ("%(objecttype:x)", "does not take arguments"),
        ("%(end)", r"%\(end\) atom used without corresponding atom"),
        ("%(if)x", r"%\(end\) atom missing"),
        ("%(then)", r"%\(then\) atom used without a %\(if\) atom"),
        ("%(if)%(else)%(end)", r"%\(else\) atom used without a %\(then\) atom"),
        ("%(if)%(end)", r"%\(if\) atom used without a %\(then\) atom"),
        ("%(if)%(then)%(then)%(end)", "more than once"),
        ("%(align)x%(end)", "expected format: %"),
        ("%(color:x)", "invalid color value: x"),
        ("%(rest)", "this command reject atom"),
        ("%(trailers:only,foo,bar)", r"unknown %\(trailers\) argument: foo$"),
        ("%(trailers:foo=1,only)", r"unknown %\(trailers\) argument: foo=1$"),
        ("%(contents:trailers:valueonly=x)", r"unknown %\(trailers\) argument: $"),
        ("%(trailers:key=a,separator=;,keyonly=x,foo,b)", r"unknown %\(trailers\) argument: foo$"),
        ("%(trailers:unfold,key,foo)", r"expected %\(trailers:key=<value>\)$"),
        ("%(refname", "malformed format string %"),
        ("%(authordate:bad)", "unknown date format bad"),
        ("%(*push)", "missing object"),
    ],
)
def test_faults(show: Show, form: str, words: str) -> None:
    with pytest.raises(GitError, match=words):
        show(form)


def test_faults_of_structure_wait_for_a_ref(store: Any) -> None:
    fields = Fields(store, ctx=Context())
    RefFormat(b"%(if)x", fields)
    RefFormat(b"%(taggerdate:bad)", fields)


def test_colour_is_reset_at_the_end(show: Show) -> None:
    assert show("%(color:red)x", color=True) == b"\x1b[31mx\x1b[m" and show("%(color:red)x") == b"x"
    assert show("%(color:red)x%(color:reset)", color=True) == b"\x1b[31mx\x1b[m"
    assert show("%(color:red)x", color=True, quote="tcl") == b'"\x1b\\[31m"x"\x1b\\[m"'


def test_quoting_of_fields_not_of_text(show: Show) -> None:
    assert show("x=%(align:6)%(refname:short)%(end);", quote="shell") == b"x='main  ';"
    assert QUOTES["shell"](b"it's!") == b"'it'\\''s'\\!''" and QUOTES["perl"](b"a'b\\") == b"'a\\'b\\\\'"
    assert QUOTES["python"](b"a\n'b") == b"'a\\n\\'b'" and QUOTES["tcl"](b"a[$x]\n") == b'"a\\[\\$x\\]\\n"'


def test_order(store: Any, items: dict[bytes, RefItem]) -> None:
    rows = list(items.values())
    fields = Fields(store, ctx=Context())
    RefOrder(["refname", "-objecttype"], fields).sort(rows)
    kinds = [fields.seen(item.oid).kind for item in rows]
    assert kinds == sorted(kinds, reverse=True)
    RefOrder(["-refname"], fields).sort(rows)
    assert [item.name for item in rows] == sorted(items, reverse=True)
    with pytest.raises(GitError, match="unknown field name: bogus"):
        RefOrder(["bogus"], fields)


PIECES = st.lists(
    st.sampled_from(
        [
            "%(if)",
            "%(then)",
            "%(else)",
            "%(end)",
            "%(align:5)",
            "%(refname)",
            "x",
            "%",
            "%(",
            ")",
            "%(tag)",
            "%(if:equals=x)",
        ]
    ),
    max_size=9,
).map("".join)


@settings(max_examples=200)
@given(PIECES)
def test_no_format_crashes(show: Show, form: str) -> None:
    try:
        show(form)
    except GitError:
        pass


def test_deep_nesting_ends(show: Show) -> None:
    with pytest.raises(GitError, match="too deeply"):
        show("%(if)" * 5000)

"""Messages cut into subject, body and signature as git cuts them for ref formats."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.render.refs.text import Parts, header, person_mail, person_name, sanitize, when

SIGNATURE = b"-----BEGIN PGP SIGNATURE-----\nxx\n-----END PGP SIGNATURE-----\n"


def test_parts() -> None:
    parts = Parts(b"tree x\n\n\n\nlead\non\n\n\n\nbody\n\n" + SIGNATURE)
    assert parts.subject == b"lead on" and parts.text == b"body\n\n" and parts.signature == SIGNATURE
    assert parts.body == b"body\n\n" + SIGNATURE and parts.contents.startswith(b"lead\non\n\n\n\nbody")
    assert parts.lines(1) == b"lead" and parts.lines(3) == b"lead\n    on\n    "
    assert parts.lines(30) == b"lead\n    on\n    \n    \n    \n    body\n    " and parts.lines(0) == b""


def test_only_a_signature() -> None:
    parts = Parts(b"tree x\n\n" + SIGNATURE)
    assert (parts.subject, parts.text, parts.signature) == (b"", b"", SIGNATURE)


def test_carriage_returns_count_only_without_a_plain_gap() -> None:
    assert Parts(b"t\n\na\nb\r\n\r\nc .. x\n\n\n").subject == b"a b  c .. x"
    assert Parts(b"t\n\na\nb\r\n\r\nc\n").subject == b"a b"


def test_no_message() -> None:
    assert Parts(b"tree x\n\n").contents == b"" and Parts(b"tree x\n").subject == b""


@given(st.binary(max_size=60))
def test_parts_never_crash_and_lose_nothing(raw: bytes) -> None:
    parts = Parts(b"tree x\n\n" + raw)
    assert parts.body.endswith(parts.signature) and parts.contents == raw.lstrip(b"\n")
    parts.lines(2)


def test_headers() -> None:
    raw = b"tree 1\nauthor A <a> 1 +0000\n\nauthor B\n"
    assert header(raw, b"tree") == b"1" and header(raw, b"author") == b"A <a> 1 +0000" and header(raw, b"uthor") is None
    assert header(b"\nauthor B\n", b"author") is None


def test_idents() -> None:
    ident = b"A U Thor <a@b.c> 1700000000 -0330"
    assert person_name(ident) == b"A U Thor" and when(ident) == (1700000000, -330)
    assert [person_mail(ident, form) for form in ("", "trim", "localpart")] == [b"<a@b.c>", b"a@b.c", b"a"]
    assert (
        when(b"A <a> x") == (0, 0)
        and person_mail(b"nobody", "") == b""
        and when(b"A <a> 99999999999999999999 +0") is None
    )


def test_sanitize() -> None:
    assert sanitize(b"  . We..ird  --- n\xc3\xa4me.. (x)...") == b".-We.ird-n-me.-x"


@given(st.binary(max_size=30))
def test_sanitize_is_safe(subject: bytes) -> None:
    safe = sanitize(subject)
    assert b"/" not in safe and b".." not in safe and not safe.endswith((b".", b"-"))


def test_what_an_ident_lacks_is_looked_for_behind_it() -> None:
    rest = b"A <a> 1 +0\ncommitter B <b@c> 2 +0\n\nm\n"
    assert person_mail(rest, "localpart") == b"a> 1 +0\ncommitter B <b"
    assert person_mail(b"A <a@d> 1 +0\n", "localpart") == b"a"
    assert person_mail(b"A <a> 1 +0\n\nm\n", "localpart") == b"a"
    assert person_mail(b"A\n\na@b\n", "localpart") == b""
    assert person_mail(b"A <a@d 1 +0\ncommitter B <b@c> 2 +0\n", "trim") == b"a@d 1 +0\ncommitter B <b@c"
    assert person_mail(b"A 1 +0\ncommitter B <b@c> 2 +0\n", "") == b"<b@c>"
    assert when(b"A <a 1 +0100\ncommitter B <b@c> 2 +0200\n") == (2, 200)
    assert when(b"A <a> \n\n20 30\n") == (20, 30) and when(b"A <a>\n\n20 30\n") is None


def test_an_address_within_an_address() -> None:
    """git reads such a line in ways of its own."""
    ident = b"<A B> <a@x> 5 +0100"
    assert when(ident) == (0, 0) and when(b"A <a@x> 5 +0100") == (5, 100) and when(b"A <a@x> 5 x") == (5, 0)
    assert person_mail(ident, "") == b"<A B>" and person_mail(ident, "trim") == b"A B"
    assert person_mail(ident, "localpart") == b"A B> <a"

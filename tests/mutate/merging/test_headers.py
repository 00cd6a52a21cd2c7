"""What a commit has beside the usual headers: those of the one that is amended, and the signed tags that it merges."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.mutate.merging.headers import kept_headers, merged_tags
from gitglass.objects.parsed import Tag

USUAL = b"tree 1\nparent 2\nauthor A <a> 1 +0000\ncommitter C <c> 1 +0000\nencoding latin-1\n"
SIGNED = b"object 1\ntype commit\ntag t\n\nwords\n-----BEGIN PGP SIGNATURE-----\n\nabc\n"


def test_all_is_kept_but_the_usual_and_signatures() -> None:
    mergetag = b"mergetag object 1\n type commit\n \n words\n"
    head = USUAL + mergetag + b"gpgsig -----BEGIN\n more\n -----END\ngpgsig-sha256 x\n y\nHG:extra a b\n"
    assert kept_headers(head + b"\nmergetag of the message\n") == mergetag + b"HG:extra a b\n"
    assert kept_headers(USUAL) == b""


def test_a_signed_tag_becomes_a_header_and_another_none() -> None:
    plain = Tag(b"1", b"object 1\ntype commit\ntag t\n\nwords\n")
    header = merged_tags([plain, Tag(b"2", SIGNED)])
    assert header == b"mergetag object 1\n type commit\n tag t\n \n words\n -----BEGIN PGP SIGNATURE-----\n \n abc\n"
    assert merged_tags([Tag(b"2", SIGNED[:-1])]) == header


@given(st.lists(st.binary(max_size=20).filter(lambda text: b"\0" not in text), max_size=3))
def test_a_tag_is_kept_whole(lines: list[bytes]) -> None:
    header = merged_tags([Tag(b"1", SIGNED + b"".join(line + b"\n" for line in lines))])
    assert kept_headers(USUAL + header) == header

"""plans/mail.py: what options and `format.*` make of the mails of a series."""

import re
from typing import Any

import pytest

from gitglass.errors import GitError, NotFound
from gitglass.limits import Context
from gitglass.plans.mail import Mailing, check, committer, read_mailing, sign_off
from gitglass.render.log.mail_text import MailForm
from gitglass.request.format_patch import FormatPatchRequest
from gitglass.version import MIRRORED

PERSON = "[user]\n\tname = Cé\n\temail = c@x\n"


def mailing(repo: Any, config: str = "", count: int = 2, **asked: Any) -> Mailing:
    repo.config(PERSON)
    if config:
        repo.config("[format]\n" + "".join(f"\t{line}\n" for line in config.split(";")))
    return read_mailing(repo.store(), FormatPatchRequest(**asked), count, Context(now=1_700_000_000))


@pytest.mark.parametrize(
    ("config", "count", "asked", "tag"),
    [
        ("", 1, {}, b"[PATCH] "),
        ("", 2, {}, b"[PATCH 1/2] "),
        ("", 2, {"numbered": False}, b"[PATCH] "),
        ("", 1, {"numbered": True}, b"[PATCH 1/1] "),
        ("numbered = true", 1, {}, b"[PATCH 1/1] "),
        ("numbered = auto", 1, {}, b"[PATCH] "),
        ("numbered = false", 2, {}, b"[PATCH] "),
        ("", 1, {"cover_letter": True}, b"[PATCH 1/1] "),
        ("coverLetter = auto", 1, {}, b"[PATCH] "),
        ("coverLetter = true", 1, {}, b"[PATCH 1/1] "),
        ("", 2, {"start_number": 5}, b"[PATCH 1/6] "),
        ("", 2, {"keep_subject": True}, b""),
        ("subjectPrefix = P", 1, {"version": "2"}, b"[P v2] "),
        ("subjectPrefix = P", 1, {"subject_prefix": "Q"}, b"[Q] "),
    ],
)
def test_what_stands_in_front_of_the_subject(
    repo: Any, config: str, count: int, asked: dict[str, Any], tag: bytes
) -> None:
    assert mailing(repo, config, count, **asked).envelope.tag(1) == tag


def test_the_first_number(repo: Any) -> None:
    assert [mailing(repo, start_number=number).first for number in (3, 0, -4)] == [3, 0, 1]


def test_headers_of_the_configuration_come_first(repo: Any) -> None:
    made = mailing(repo, "to = a;cc = b;headers = X: y", headers=["To: c", "-cc", "Cc: d"])
    assert made.envelope.headers == b"X: y\nTo: a,\n    c\nCc: d\n"


def test_names_of_files(repo: Any) -> None:
    envelope = mailing(repo, "suffix = .txt;filenameMaxLength = 12").envelope
    assert (envelope.suffix, envelope.longest) == (b".txt", 12)
    assert mailing(repo, suffix="", name_length=2).envelope.longest == 5
    assert mailing(repo, suffix=".p").envelope.suffix == b".p"


@pytest.mark.parametrize(
    ("config", "asked", "boundary", "charset"),
    [
        ("", {}, None, 0),
        ("", {"attach": "@"}, MIRRORED.encode(), -1),
        ("", {"attach": "b"}, b"b", -1),
        ("attach = c", {}, b"c", -1),
        ("attach = c", {"attach": ""}, None, 0),
        ("attach", {}, MIRRORED.encode(), -1),
    ],
)
def test_attachments(repo: Any, config: str, asked: dict[str, Any], boundary: bytes | None, charset: int) -> None:
    made = mailing(repo, config, **asked)
    assert (made.envelope.boundary, made.form.charset) == (boundary, charset)


@pytest.mark.parametrize(
    ("config", "asked", "sender"),
    [
        ("", {}, None),
        ("", {"sender": "@"}, ("Cé".encode(), b"c@x")),
        ("", {"sender": "N <n@x>"}, (b"N", b"n@x")),
        ("from = true", {}, ("Cé".encode(), b"c@x")),
        ("from = true", {"sender": ""}, None),
        ("from = M <m@x>", {}, (b"M", b"m@x")),
        ("from = false", {}, None),
    ],
)
def test_who_sends(repo: Any, config: str, asked: dict[str, Any], sender: tuple[bytes, bytes] | None) -> None:
    assert mailing(repo, config, **asked).form.sender == sender


@pytest.mark.parametrize(
    ("config", "asked", "style"),
    [
        ("", {}, ""),
        ("thread = true", {}, "shallow"),
        ("thread = Deep", {}, "deep"),
        ("thread = deep", {"thread": ""}, ""),
    ],
)
def test_threads(repo: Any, config: str, asked: dict[str, Any], style: str) -> None:
    threads = mailing(repo, config, reply_to="<id@x>", **asked).threads
    assert (threads.style, threads.above) == (style, [b"id@x"])
    if style:
        assert threads.name(b"abc") == b"abc.1700000000.git.c@x"


def test_signatures_notes_and_signing_off(repo: Any) -> None:
    plain = mailing(repo)
    assert (plain.envelope.signature, plain.notes, plain.signs) == (MIRRORED.encode(), [], False)
    made = mailing(repo, "signature = S;notes = true;notes = x;notes = false;signOff = true", notes=["+y"])
    assert (made.envelope.signature, made.notes, made.signs) == (b"S", ["+", "+x", "-", "+y"], True)
    assert mailing(repo, signature="", signoff=False).envelope.signature == b""
    form = MailForm()
    sign_off(form, repo.store())
    assert (form.signoff, form.charset) == ("Signed-off-by: Cé <c@x>\n".encode(), 1)


def test_nobody_signs_where_nobody_is_known(repo: Any) -> None:
    with pytest.raises(NotFound, match="unable to auto-detect the committer identity"):
        committer(repo.store())


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"keep_subject": True, "numbered": True}, "options '-n' and '-k' cannot be used together"),
        ({"keep_subject": True, "subject_prefix": "x"}, "'--subject-prefix/--rfc' and '-k' cannot be used together"),
        ({"name_only": True}, "--name-only does not make sense"),
        ({"name_status": True}, "--name-status does not make sense"),
        ({"check": True}, "--check does not make sense"),
        ({"diff_merges": "remerge"}, "--remerge-diff does not make sense"),
        ({"sender": "nobody"}, "invalid ident line: nobody"),
    ],
)
def test_what_makes_no_sense(repo: Any, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(GitError, match=re.escape(words)):
        check(FormatPatchRequest(**asked), repo.store())


def test_a_file_for_the_signature_is_refused(repo: Any) -> None:
    check(FormatPatchRequest(), repo.store())
    repo.config("[format]\n\tsignatureFile = /etc/passwd\n")
    with pytest.raises(GitError, match=r"does not take format\.signatureFile") as caught:
        check(FormatPatchRequest(), repo.store())
    assert caught.value.status == 129

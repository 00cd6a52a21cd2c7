"""Signatures by a granted signer: of commits and annotated tags, made when an approved plan is carried out.

A plan holds the objects as they are without a signature, and names the signer. When it is carried out the signer is
asked for each, and the plan is made again with what it answered: the very same but for the signatures, and the names of
what has them. The key is the grant's; what a repository's `user.signingKey` says counts for nothing.

Mirrors git-config(1), `gpg.format`, and the layout of signed objects in gitformat-signature(5).
"""

from __future__ import annotations

import json
import os
from typing import Any

from ...errors import CommandFailed, NotGranted
from ...limits import Context
from ...objects.parsed import object_name
from ...repo.store import Store
from ..changes import Changes, to_json
from .argv import signer_words
from .granted import Programs, ProgramUse, Signer
from .prove import folders_of, proven
from .room import Room
from .run import Allowance, run
from .services import Outcomes

_PAYLOAD = b"payload"
_MOST = 64 << 10


class Signing:
    """The granted signer, as one plan has it at hand. `pending` are the contents that are not signed yet."""

    def __init__(self, signer: Signer, store: Store, outcomes: Outcomes) -> None:
        self.signer, self._store, self._outcomes = signer, store, outcomes
        self.pending: list[bytes] = []
        self.uses: list[ProgramUse] = []
        self.unsigned: dict[bytes, bytes] = {}  # object → its content before it was signed

    def signed(self, kind: bytes, content: bytes) -> bytes:
        """A commit's or tag's content with its signature; as it is, where it has none yet."""
        if not self.uses:
            proof = proven(self.signer.program, folders_of(self._store))
            reads = self.signer.program.reads or "its keys"
            self.uses.append(
                ProgramUse("sign", self.signer.format, self.signer.program.argv, proof.sha256, reads=reads)
            )
        signature = self._outcomes.signatures.get(content)
        if signature is None:
            self.pending.append(content)
            return content
        made = with_signature(kind, content, signature, self._store.hash_name)
        self.unsigned[object_name(kind, made, self._store.hash_name)] = content
        return made


def with_signature(kind: bytes, content: bytes, signature: bytes, hash_name: str) -> bytes:
    """A commit with the header of its signature behind all others; a tag with its signature behind the message."""
    if kind == b"tag":
        return content + signature
    name = b"gpgsig" if hash_name == "sha1" else b"gpgsig-" + hash_name.encode()
    head, _, message = content.partition(b"\n\n")
    lines = b"".join(b" %b\n" % line for line in signature.rstrip(b"\n").split(b"\n"))
    return head + b"\n" + name + lines + b"\n" + message


def sign(content: bytes, signer: Signer, programs: Programs, store: Store, ctx: Context) -> bytes:
    """The signature of some content. Raises CommandFailed where the signer makes none (git: "failed to sign the
    data")."""
    folders = folders_of(store)
    proof = proven(signer.program, folders)
    may = Allowance(programs.seconds, _MOST, programs.words)
    with Room(programs, folders) as room:
        is_ssh = signer.format == "ssh"
        if is_ssh:
            room.put(_PAYLOAD, content)
        words = signer_words(signer, proof.path, room.path + b"/" + _PAYLOAD)
        try:
            ended = run(
                words, folder=room.path, variables=room.variables(signer.program),
                given=None if is_ssh else content, may=may, ctx=ctx,
                sha256=proof.sha256,
            )  # fmt: skip
        except OSError as error:
            raise NotGranted(f"the program '{signer.program.argv[0]}' cannot be run: {error.strerror}") from error
        signature = room.read(_PAYLOAD + b".sig", _MOST) or b"" if is_ssh else ended.out
    made = is_ssh or b"[GNUPG:] SIG_CREATED " in ended.err
    signature = signature.replace(b"\r\n", b"\n")
    if ended.status or not made or not signature.startswith(b"-----BEGIN ") or b"\0" in signature or ended.cut:
        spoken = ended.err if not is_ssh else ended.out + ended.err
        raise CommandFailed(
            "gpg failed to sign the data" if not is_ssh else "failed to sign the data", prefix="error", status=128,
            stderr=spoken + b"error: gpg failed to sign the data\nfatal: failed to write commit object\n",
            kind="not_signed", program=os.path.basename(proof.path),
        )  # fmt: skip
    return signature if signature.endswith(b"\n") else signature + b"\n"


def unsigned(changes: Changes, signing: Signing, hash_name: str) -> Any:
    """Changes as JSON values, as they would be without any signature: what has one goes by the name that it would have,
    and so does what names it."""
    names: dict[str, str] = {}
    for oid, (kind, content) in changes.objects.items():
        plain = signing.unsigned.get(oid, content)
        if kind in (b"commit", b"tag"):
            for signed, name in names.items():
                plain = plain.replace(signed.encode(), name.encode())
            names[oid.hex()] = object_name(kind, plain, hash_name).hex()
    words = json.dumps(to_json(changes))
    for signed, name in names.items():
        words = words.replace(signed, name)
    value = json.loads(words)
    value["objects"].sort()
    return value

"""A repository on GitHub as a target, by git's own protocol: commits arrive under the names that were approved.

Objects are always read this way: GitHub's other interfaces do not return commits unchanged.
"""

from __future__ import annotations

import re

from ....errors import InvalidArgs, PermissionDenied
from ....mutate.grant import WriteGrant
from ....mutate.remote.credentials import GitAuthError, credential_for
from ....mutate.remote.listing import Listing
from ...sources import Handle
from ..protocol import Kind
from ..remote import RemoteTarget

_REPO = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


class GitHubTarget(RemoteTarget):
    """A repository on GitHub, by git's protocol. `where` is its name with its owner's: "user/reports".

    `url` is the address of a server other than github.com, and `api` that of its REST interface, for the classes that
    use it. Raises as RemoteTarget, and InvalidArgs for an invalid repository name.
    """

    kind: Kind = "github"

    def __init__(
        self,
        name: str,
        repo: str,
        grant: WriteGrant,
        *,
        branch: str | None = None,
        near: Handle | None = None,
        url: str = "https://github.com",
        api: str = "https://api.github.com",
    ) -> None:
        if not _REPO.fullmatch(repo):
            raise InvalidArgs(f"'{repo}' is not OWNER/NAME")
        self.repo = repo
        super().__init__(name, f"{url.rstrip('/')}/{repo}.git", grant, branch=branch, near=near)
        self._reach(api)

    def _reach(self, api: str) -> None:
        """The requests to the REST interface's address. Raises NotGranted."""

    @property
    def where(self) -> str:
        """See `Target`."""
        return self.repo

    def _listing(self) -> Listing:
        try:
            return super()._listing()
        except PermissionDenied as error:
            if credential_for(self.address, self.grant) is None:
                raise GitAuthError() from error
            raise

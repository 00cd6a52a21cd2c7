"""The three ways to a repository on GitHub.

github("reports", "user/reports", grant, branch="worker-{timestamp}")   # git's own protocol: the default
github("reports", "user/reports", grant, via="rest")                    # blobs, trees, commits, a ref
github("reports", "user/reports", grant, via="graphql")                 # createCommitOnBranch
"""

from __future__ import annotations

from typing import Literal

from ....errors import InvalidArgs
from ....mutate.grant import WriteGrant
from ...sources import Handle
from .graphql import GraphqlTarget
from .hub import GitHubTarget
from .rest import RestTarget

Via = Literal["git", "rest", "graphql"]


def github(
    name: str,
    repo: str,
    grant: WriteGrant,
    *,
    via: Via = "git",
    branch: str | None = None,
    near: Handle | None = None,
    url: str = "https://github.com",
    api: str = "https://api.github.com",
) -> GitHubTarget:
    """A repository on GitHub as a target.

    `api` is the address of the REST interface; on a private server it is `https://HOST/api/v3`. The grant has to cover
    the addresses of all requests: `https://github.com/user/reports.git`, and for `via` "rest" or "graphql" also
    `https://api.github.com/*`. Raises NotGranted, InvalidArgs.
    """
    made = {"git": GitHubTarget, "rest": RestTarget, "graphql": GraphqlTarget}.get(via)
    if made is None:
        raise InvalidArgs(f"'{via}' is not git, rest or graphql")
    return made(name, repo, grant, branch=branch, near=near, url=url, api=api)

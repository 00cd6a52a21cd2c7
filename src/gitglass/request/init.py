"""The request of `git init`: a new, empty repository."""

from __future__ import annotations

from ..annotations import Annotated, Any, Literal
from ..errors import InvalidArgs
from .declared import Field
from .flag import Flag
from .mutations import Kind, Mutation

#: the effect that a grant has to name before a repository may be made
NEW_REPOSITORY = "new_repository"


class InitRequest(Mutation):
    """`git init --template=`: no hooks and no description, because there is no template to copy them from."""

    git = "init"
    effects = (NEW_REPOSITORY,)

    directory: str = Field("", description="Where; made if it is missing. Default: the top that was granted.")
    bare: Annotated[bool, Flag("--bare", no=True)] = Field(False, description="Without a work tree.")
    initial_branch: Annotated[str | None, Flag("-b", "--initial-branch", value="branch")] = Field(
        None, description="The branch that HEAD names (default: init.defaultBranch, else master)."
    )
    object_format: Annotated[str, Flag("--object-format", value="format")] = Field("sha1", description="sha1, sha256.")
    shared: Annotated[str, Flag("--shared", value="permissions", optional=True, const="group")] = Field(
        "umask", description="Who may write: umask, group, all."
    )
    template: Annotated[Literal[""], Flag("--template", value="directory")] = Field(
        "", description="Only the empty one."
    )
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(False, description="Only errors.")

    def summary(self) -> str:
        kind = "bare repository" if self.bare else "repository"
        return f"Create an empty {kind} in '{self.directory or '.'}'"

    def words(self) -> list[str]:
        return [self.directory] if self.directory else []

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        words = before + after
        if len(words) > 1:
            raise InvalidArgs("git init takes one directory")
        return cls(**values, directory="".join(words))

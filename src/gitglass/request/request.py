"""Request: the typed base class of every command's request."""

from ..annotations import TYPE_CHECKING, Generic, TypeVar
from .declared import Declared, Field

R = TypeVar("R", bound=Declared)


class Result(Declared):
    """The base class of every command's result. `notes` are remarks on how the result was made."""

    model_config = {"frozen": True, "extra": "forbid"}

    notes: list[str] = Field(
        default_factory=list, description="What was not honoured or could not be read, if anything."
    )


class Request(Declared, Generic[R]):
    """The base class of every request: frozen, and closed to unknown fields.

    The type parameter is the result that `Repository.run` gives for it.
    """

    model_config = {"frozen": True, "extra": "forbid"}

    if TYPE_CHECKING:

        @property
        def reads_stdin(self) -> bool:
            """Whether the request, or part of it, is on standard input."""

    else:
        reads_stdin = False

        def __class_getitem__(cls, result: object) -> type["Request"]:
            """The result is for type checkers only: pydantic would make (and build) a class of its own for each."""
            return cls


class Pathspecs(Declared):
    """The paths of a request, and how the words are interpreted (gitglossary(7), "pathspec")."""

    paths: list[str] = Field(
        default_factory=list, description="Only these paths: files, directories, or git pathspecs."
    )

"""Request: what may be asked, typed; the root of every command's request."""

from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from .flag import Flag

R = TypeVar("R", bound=BaseModel)


class Result(BaseModel):
    """The root of every command's answer. `notes` says what a reader should know about how it came to be."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    notes: list[str] = Field(
        default_factory=list, description="What was not honoured or could not be read, if anything."
    )


class Request(BaseModel, Generic[R]):
    """The root of every request: frozen, and closed to unknown fields.

    The type parameter is the result that `Repository.run` gives for it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


Spelling = tuple[str, Flag]  # the field's name, and the flag

_TABLES: dict[type[BaseModel], dict[str, Spelling]] = {}


def spellings(request: type[Request[Any]]) -> dict[str, Spelling]:
    """Every option word of a request → (field, flag); made once a class."""

    model_config = ConfigDict(defer_build=True)
    table = _TABLES.get(request)
    if table is None:
        table = {}
        for name, field in request.model_fields.items():
            for flag in field.metadata:
                if isinstance(flag, Flag):
                    table.update(dict.fromkeys(flag.names, (name, flag)))
        _TABLES[request] = table
    return table


class Pathspecs(BaseModel):
    """Which paths are meant, and how the words are read (gitglossary(7), "pathspec")."""

    model_config = ConfigDict(defer_build=True)

    paths: list[str] = Field(
        default_factory=list, description="Only these paths: files, directories, or git pathspecs."
    )


class Verbatim(BaseModel):
    """`-z`: NUL after each record, and paths without quoting."""

    model_config = ConfigDict(defer_build=True)

    null: Annotated[bool, Flag("-z", no=False)] = Field(False, description="NUL-terminated records, unquoted paths.")

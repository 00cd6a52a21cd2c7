"""git rev-parse: the request and its result."""

from .declared import Field
from .request import Request, Result


class RevParseResult(Result):
    """The output, line by line."""

    lines: list[str] = Field(description="What git rev-parse prints: object names, ref names, paths, true or false.")


class RevParseRequest(Request[RevParseResult]):
    """`git rev-parse`: words are processed in order, and options change how later words are processed."""

    args: list[str] = Field(
        default_factory=list,
        description="Words and options in order, e.g. ['--abbrev-ref', 'HEAD'], ['--verify', 'v1.0^{commit}'], "
        "['--show-toplevel'].",
    )
    declaration: str | None = Field(
        None, description="With --parseopt: the usage and the options of a program; none for standard input."
    )

    @property
    def reads_stdin(self) -> bool:
        """Whether the options of a program are declared on standard input."""
        return self.declaration is None and self.args[:1] == ["--parseopt"] and "--" in self.args

"""Page: the result of a list, which may have been cut and then says so."""

from ..declared import Field
from ..request import Result


class Page(Result):
    """The base class of list results. `truncated` is true if a limit ended the list early; `reason` names the limit."""

    truncated: bool = Field(False, description="More would have followed.")
    reason: str | None = Field(None, description="Which limit ended the list.")
    total: int | None = Field(None, description="How many there are in all, where that is known.")

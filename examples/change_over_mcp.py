"""A change over MCP: the server asks by elicitation, the client shows its person the plan and sends the answer back.

python examples/change_over_mcp.py [REPOSITORY]
"""

from __future__ import annotations

from typing import Any

import anyio
import mcp
import mcp_types as types
from scripted import repository
from scripted_change import TASK, Person, grant, work

from gitglass.agent.mcp.server import make_server
from gitglass.agent.mcp.settings import Settings


async def converse(place: str, person: Person) -> str:
    """The scripted model on one side, gitglass-mcp's server on the other, in this process."""

    async def elicited(_: Any, asked: Any) -> types.ElicitResult:
        agrees = person.agrees(asked.message)
        return types.ElicitResult(action="accept" if agrees else "decline", content={"approve": agrees})

    host, model = grant(place), work()
    server = make_server(Settings(host.roots, write=host.write))  # `gitglass-mcp --write` as a library
    async with mcp.Client(server, elicitation_callback=elicited) as client:
        name, arguments = next(model)
        while True:
            result = await client.call_tool(name, arguments)
            try:
                name, arguments = model.send(result.content[0].text)
            except StopIteration as done:
                return str(done.value)


def main(place: str) -> tuple[str, list[str]]:
    """Do the task. Returns the model's answer, and what the person was shown."""
    person = Person()
    answer = anyio.run(converse, place, person)
    print(f"{TASK}\n  {answer}")
    return answer, person.shown


if __name__ == "__main__":
    main(repository())

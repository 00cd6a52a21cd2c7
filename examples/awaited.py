"""Tools awaited: three questions at once, a deadline for each call, progress on the loop.

python examples/awaited.py [REPOSITORY]
"""

from __future__ import annotations

import asyncio

from scripted import QUESTIONS, repository, talk

import gitglass
from gitglass.agent import Roots, ToolContext, aio, tools
from gitglass.commands.log import LogRequest


async def told(what: str, done: int, total: int | None) -> None:
    """A host would show this to its user."""
    print(f"  … {done} {what}")


async def ask(question: str, ctx: ToolContext) -> str:
    """One question; cancelling the task that awaits it stops the work at once."""
    by_name = {tool.name: tool for tool in tools()}
    model = talk(question)
    name, arguments = next(model)
    while True:
        answer = await aio.call(by_name[name], arguments, ctx, timeout=10, progress=told)
        try:
            name, arguments = model.send(answer.text)
        except StopIteration as done:
            return str(done.value)


async def questions(place: str) -> list[str]:
    """All three together, and the library's own question in the same way."""
    ctx = ToolContext(Roots(place))
    answers = await asyncio.gather(*(ask(question, ctx) for question in QUESTIONS))
    newest = await aio.run(gitglass.open(place), LogRequest(max_count=1))
    print("HEAD is", newest.commits[0].oid[:7])
    return answers


def main(place: str) -> list[str]:
    """Ask all three. Returns the answers."""
    answers = asyncio.run(questions(place))
    for question, answer in zip(QUESTIONS, answers, strict=True):
        print(f"{question}\n  {answer}")
    return answers


if __name__ == "__main__":
    main(repository())

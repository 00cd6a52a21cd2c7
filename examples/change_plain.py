"""A change without a framework: an answer asks for approval, a person is shown the plan, the call is made again.

python examples/change_plain.py [REPOSITORY]
"""

from __future__ import annotations

from dataclasses import replace

from scripted import repository
from scripted_change import TASK, Person, grant, work

from gitglass.agent import ToolAnswer, ToolContext, tools

TOOLS = {tool.name: tool for tool in tools(write=True)}


def call(name: str, arguments: dict[str, object], ctx: ToolContext, person: Person) -> ToolAnswer:
    """One call of the model's; once more with the plan's token where the person agrees."""
    answer = TOOLS[name].call(arguments, ctx)
    if answer.error is not None and answer.error["code"] == "approval_required":
        details = answer.error["details"]
        if person.agrees(details["preview"]):
            answer = TOOLS[name].call(arguments, replace(ctx, approved=frozenset({details["plan"]})))
    return answer


def main(place: str) -> tuple[str, list[str]]:
    """Do the task. Returns the model's answer, and what the person was shown."""
    ctx, person, model = grant(place), Person(), work()
    name, arguments = next(model)
    while True:
        try:
            name, arguments = model.send(call(name, arguments, ctx, person).text)
        except StopIteration as done:
            print(f"{TASK}\n  {done.value}")
            return str(done.value), person.shown


if __name__ == "__main__":
    main(repository())

"""An agent loop without a framework: send the schemas, run the calls that come back, send the answers.

python examples/plain_loop.py [REPOSITORY]
"""

from __future__ import annotations

from scripted import QUESTIONS, repository, talk

from gitglass.agent import AuditRecord, Roots, ToolContext, tools


def ask(question: str, ctx: ToolContext) -> str:
    """One question, as many turns as it takes."""
    by_name = {tool.name: tool for tool in tools()}
    model = talk(question)  # a real one is sent `tool_schemas("anthropic")` (or another dialect) with the question
    name, arguments = next(model)
    while True:
        answer = by_name[name].call(arguments, ctx)  # never raises: an error is an answer the model can act on
        try:
            name, arguments = model.send(answer.text)
        except StopIteration as done:
            return str(done.value)


def main(place: str) -> list[str]:
    """Ask all three. Returns the answers."""
    log: list[AuditRecord] = []
    ctx = ToolContext(Roots(place), level="sandboxed", audit=log.append, caller_id="example")
    answers = [ask(question, ctx) for question in QUESTIONS]
    for question, answer in zip(QUESTIONS, answers, strict=True):
        print(f"{question}\n  {answer}")
    print("calls:", *(f"{record.tool}={record.outcome}" for record in log))
    return answers


if __name__ == "__main__":
    main(repository())

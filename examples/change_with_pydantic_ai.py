"""A change in pydantic-ai: what needs a yes is deferred with its plan, which goes back with the yes.

python examples/change_with_pydantic_ai.py [REPOSITORY]
"""

from __future__ import annotations

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scripted import repository
from scripted_change import TASK, Person, grant, work

from gitglass.agent.adapters.pydantic_ai import toolset


def scripted_model() -> FunctionModel:
    """The script as pydantic-ai's model."""
    model = work()

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        try:
            call = model.send(str(last.content)) if isinstance(last, ToolReturnPart) else next(model)
        except StopIteration as done:
            return ModelResponse([TextPart(str(done.value))])
        return ModelResponse([ToolCallPart(*call)])

    return FunctionModel(answer)


def main(place: str) -> tuple[str, list[str]]:
    """Do the task. Returns the model's answer, and what the person was shown."""
    person = Person()
    git = toolset(grant(place), write=True)
    agent = Agent(scripted_model(), toolsets=[git], output_type=[str, DeferredToolRequests])
    run = agent.run_sync(TASK)
    while isinstance(run.output, DeferredToolRequests):
        plans = {call.tool_call_id: run.output.metadata[call.tool_call_id] for call in run.output.approvals}
        words = {name: person.agrees(plan["preview"]) for name, plan in plans.items()}
        results = DeferredToolResults(approvals=dict(words), metadata=plans)
        run = agent.run_sync(message_history=run.all_messages(), deferred_tool_results=results)
    print(f"{TASK}\n  {run.output}")
    return run.output, person.shown


if __name__ == "__main__":
    main(repository())

"""gitglass in pydantic-ai: a toolset for an Agent. The model is scripted; put 'anthropic:…' or another in its place.

python examples/with_pydantic_ai.py [REPOSITORY]
"""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scripted import QUESTIONS, repository, talk

from gitglass.agent import Roots, ToolContext
from gitglass.agent.adapters.pydantic_ai import toolset


def scripted_model(question: str) -> FunctionModel:
    """The script as pydantic-ai's model."""
    model = talk(question)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        try:
            call = model.send(str(last.content)) if isinstance(last, ToolReturnPart) else next(model)
        except StopIteration as done:
            return ModelResponse([TextPart(str(done.value))])
        return ModelResponse([ToolCallPart(*call)])

    return FunctionModel(answer)


def main(place: str) -> list[str]:
    """Ask all three. Returns the answers."""
    git = toolset(ToolContext(Roots(place)))
    answers = []
    for question in QUESTIONS:
        agent = Agent(scripted_model(question), toolsets=[git])
        answers.append(agent.run_sync(question).output)
        print(f"{question}\n  {answers[-1]}")
    return answers


if __name__ == "__main__":
    main(repository())

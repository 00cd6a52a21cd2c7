"""gitglass in LangChain: tools for create_agent. The model is scripted; put one of yours in its place.

python examples/with_langchain.py [REPOSITORY]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from scripted import QUESTIONS, repository, talk

from gitglass.agent import Roots, ToolContext
from gitglass.agent.adapters.langchain import langchain_tools


class ScriptedModel(BaseChatModel):
    """The script as LangChain's chat model."""

    script: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, Any]:
        """The script knows its tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        last = messages[-1]
        try:
            name, arguments = (
                self.script.send(str(last.content)) if isinstance(last, ToolMessage) else next(self.script)
            )
            said = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{len(messages)}"}])
        except StopIteration as done:
            said = AIMessage(str(done.value))
        return ChatResult(generations=[ChatGeneration(message=said)])


def main(place: str) -> list[str]:
    """Ask all three. Returns the answers."""
    git = langchain_tools(ToolContext(Roots(place)))
    answers = []
    for question in QUESTIONS:
        agent = create_agent(ScriptedModel(script=talk(question)), git)
        found = agent.invoke({"messages": [{"role": "user", "content": question}]})
        answers.append(str(found["messages"][-1].content))
        print(f"{question}\n  {answers[-1]}")
    return answers


if __name__ == "__main__":
    main(repository())

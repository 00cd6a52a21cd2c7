"""A change in LangChain: the graph is suspended with the plan, and resumed by the person's word on it.

python examples/change_with_langchain.py [REPOSITORY]
"""

from __future__ import annotations

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from scripted import repository
from scripted_change import TASK, Person, grant, work
from with_langchain import ScriptedModel

from gitglass.agent.adapters.langchain import langchain_tools


def main(place: str) -> tuple[str, list[str]]:
    """Do the task. Returns the model's answer, and what the person was shown."""
    person = Person()
    git = langchain_tools(grant(place), write=True, ask=interrupt)
    agent = create_agent(ScriptedModel(script=work()), git, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "example"}}
    state = agent.invoke({"messages": [{"role": "user", "content": TASK}]}, config)
    while "__interrupt__" in state:
        plan = state["__interrupt__"][0].value
        word = {"plan": plan["plan"]} if person.agrees(plan["preview"]) else "no"
        state = agent.invoke(Command(resume=word), config)
    answer = str(state["messages"][-1].content)
    print(f"{TASK}\n  {answer}")
    return answer, person.shown


if __name__ == "__main__":
    main(repository())

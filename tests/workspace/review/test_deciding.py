"""Steps of deciding: in their order, and back again."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.workspace.review.deciding import Deciding, questions_of
from gitglass.workspace.review.model import Review

from ...support.reviewed import staged

STEPS = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(["accept", "reject", "comment"]), st.sampled_from(["", "why", "so"])),
    max_size=12,
)


@given(STEPS)
def test_every_step_can_be_taken_back(steps: list[tuple[int, str, str]]) -> None:
    workspace, plan = staged()
    deciding = Deciding(Review.of(workspace, plan))
    ids = [question.id for question in questions_of(deciding.review)] + [file.id for file in deciding.review.files]
    seen = [deciding.review.data()]
    for at, step, comment in steps:
        id = ids[at % len(ids)]
        if step == "comment":
            deciding.comment(id, comment)
        else:
            deciding.decide(id, step, comment)  # type: ignore[arg-type]
        seen.append(deciding.review.data())
    for data in reversed(seen[:-1]):
        assert deciding.undo() and deciding.review.data() == data
    assert not deciding.undo()


def test_what_there_is_to_decide_about() -> None:
    workspace, plan = staged()
    deciding = Deciding(Review.of(workspace, plan))
    questions = questions_of(deciding.review)
    assert [(one.file.path, one.at) for one in questions if one.hunk is not None][:2] == [
        ("figures/total.py", 0),
        ("figures/total.py", 1),
    ]
    assert len(questions) == sum(len(file.hunks) or 1 for file in deciding.review.files)
    deciding.decide(questions[0].id, "accept")
    deciding.decide(questions[1].id, "reject")
    assert deciding.counts() == {"accept": 1, "reject": 1, "": len(questions) - 2}

import pytest

from gitglass.errors import InvalidArgs
from gitglass.mutate.process.granted import Program, Programs, ProgramUse


@pytest.mark.parametrize("argv", [(), ("cat",), ("./cat",), ("/bin/cat", "a\0b")])
def test_a_program_is_an_absolute_path(argv: tuple[str, ...]) -> None:
    with pytest.raises(InvalidArgs):
        Program(argv)


@pytest.mark.parametrize(
    "name", ["LD_PRELOAD", "PATH", "GIT_DIR", "HOME", "BASH_ENV", "DYLD_INSERT_LIBRARIES", "", "a=b"]
)
def test_variables_that_no_host_hands_on(name: str) -> None:
    with pytest.raises(InvalidArgs):
        Program(("/bin/cat",), variables=((name, "x"),))


def test_a_hash_is_a_hash() -> None:
    Program(("/bin/cat",), sha256="0" * 64)
    with pytest.raises(InvalidArgs):
        Program(("/bin/cat",), sha256="abc")


@pytest.mark.parametrize(
    "given", [{"path": ("bin",)}, {"path": ("/a:/b",)}, {"rooms": "tmp"}, {"seconds": 0}, {"output": 0}]
)
def test_limits_and_directories(given: dict[str, object]) -> None:
    with pytest.raises(InvalidArgs):
        Programs(**given)  # type: ignore[arg-type]


def test_the_line_of_a_preview() -> None:
    use = ProgramUse("clean", "x", ("/bin/x", "-c"), "ab" * 32, ("a", "b"), "its keys")
    assert use.line() == "runs clean x for 2 files: /bin/x -c (sha256 abababababab), which reads its keys"

import hashlib
from pathlib import Path

import pytest
from tests.support.programs import program

from gitglass.errors import NotGranted
from gitglass.mutate.process.granted import Program
from gitglass.mutate.process.prove import proven


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path


def refusal(given: Program, place: Path) -> str:
    with pytest.raises(NotGranted) as refused:
        proven(given, (str(place / "root").encode(),))
    return refused.value.message


def test_the_proof_is_path_and_hash(place: Path) -> None:
    made = program(place / "bin", "x", "pass")
    (place / "link").symlink_to(place / "bin/x")
    proof = proven(Program((str(place / "link"),)), (str(place / "root").encode(),))
    assert proof.path == made.argv[0]
    assert proof.sha256 == hashlib.sha256((place / "bin/x").read_bytes()).hexdigest()


def test_the_hash_that_the_host_named(place: Path) -> None:
    assert "SHA-256" in refusal(program(place / "bin", "x", "pass", sha256="0" * 64), place)


def test_no_program_of_a_root(place: Path) -> None:
    program(place / "root/bin", "x", "pass")
    (place / "link").symlink_to(place / "root/bin/x")
    (place / "root/out").symlink_to(place / "bin")
    program(place / "bin", "y", "pass")
    for name in ("root/bin/x", "link", "root/out/y", "bin/../root/bin/x"):
        assert "repository may write" in refusal(Program((str(place / name),)), place), name


def test_no_program_that_others_write(place: Path) -> None:
    made = program(place / "bin", "x", "pass")
    (place / "bin/x").chmod(0o775)
    assert "others may write to it" in refusal(made, place)
    (place / "bin/x").chmod(0o755)
    (place / "bin").chmod(0o777)
    assert "others may write to" in refusal(made, place)
    (place / "bin").chmod(0o1777)
    proven(made, ())


def test_what_is_no_program(place: Path) -> None:
    made = program(place / "bin", "x", "pass")
    (place / "bin/x").chmod(0o644)
    assert "no program" in refusal(made, place)
    assert "no program" in refusal(Program((str(place / "bin"),)), place)
    assert "No such file" in refusal(Program((str(place / "bin/none"),)), place)

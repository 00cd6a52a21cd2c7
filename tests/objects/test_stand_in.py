"""An object that answers for another: git's words where it cannot."""

import pytest

from gitglass.errors import Corrupt, MissingObject
from gitglass.objects.stand_in import stand_in

ONE, OTHER = b"\1" * 20, b"\2" * 20


def test_the_other_object_is_read() -> None:
    with stand_in({ONE: OTHER}, ONE) as oid:
        assert oid == OTHER


def test_a_replacement_that_is_nowhere_ends_the_command() -> None:
    with (
        pytest.raises(Corrupt, match=f"^replacement {OTHER.hex()} not found for {ONE.hex()}$"),
        stand_in({ONE: OTHER}, ONE),
    ):
        raise MissingObject("unable to read")


def test_a_chain_that_is_too_long() -> None:
    with pytest.raises(Corrupt, match=f"^replace depth too high for object {ONE.hex()}$"), stand_in({ONE: b""}, ONE):
        pass

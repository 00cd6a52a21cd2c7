"""Every operation that is killed and made to fail."""

from __future__ import annotations

from .granted_cases import GRANTED_CASES
from .kill_cases import CASES, Case
from .more_cases import MORE_CASES
from .peer_cases import PEER_CASES

ALL: dict[str, Case] = {**PEER_CASES, **GRANTED_CASES, **MORE_CASES, **CASES}
assert len(ALL) == len(CASES) + len(MORE_CASES) + len(PEER_CASES) + len(GRANTED_CASES)

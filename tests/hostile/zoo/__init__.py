"""The zoo: every hostile repository, by name. A family a class of security.md; `python -m tests.hostile.whole` runs all."""

from ..craft import Member
from . import bombs, files, giants, many, names, numbers, programs, structure, text, ways_out, writes

FAMILIES = (programs, ways_out, files, numbers, bombs, structure, text, writes, names, giants, many)
ZOO: dict[str, Member] = {member.name: member for module in FAMILIES for member in module.FAMILY.members}

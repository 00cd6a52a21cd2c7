#!/usr/bin/env python3
"""dulwich's own tests of refs and repositories, as far as they read, over `Repository.dulwich()`.

    pip download --no-deps --no-binary dulwich dulwich==1.2.21 && tar xzf dulwich-1.2.21.tar.gz
    python tests/live/dulwich_suites.py dulwich-1.2.21

The wheel has the suite of object stores (tests/bridge/test_objects.py runs it); these two, and the repositories that they
open, come with the source distribution only. dulwich itself is imported from there, without its compiled modules.
Left out is what writes through the object under test, be it on the way to a reading (`test_get_parents` begins with
`update_shallow`).
Prints the names of tests that fail, and how many ran.
"""

import os
import sys
import unittest
from typing import Any

REFS = [
    "test_keys",
    "test_iter",
    "test_as_dict",
    "test_check_refname",
    "test_check_refname_empty_component_warns",
    "test_check_refname_other_defects_still_raise",
    "test_contains",
    "test_get_packed_refs",
    "test_get_peeled_not_packed",
    "test_read_loose_ref_escape",
    "test_follow",
    "test_read_ref",
]
REPOSITORY = [
    "test_getitem_unicode",
    "test_get_refs",
    "test_head",
    "test_get_object",
    "test_get_object_non_existant",
    "test_contains_object",
    "test_contains_ref",
    "test_contains_missing",
    "test_get_no_description",
    "test_get_description",
    "test_get_peeled",
    "test_get_peeled_not_tag",
    "test_get_walker",
    "test_fetch",
    "test_merge_history",
    "test_out_of_order_merge",
    "test_get_tags_empty",
    "test_get_config",
    "test_get_config_stack",
    "test_common_revisions",
]


def suite() -> unittest.TestSuite:
    from tests.test_refs import DiskRefsContainerTests
    from tests.test_repository import RepositoryRootTests

    import gitglass

    class JailedRefsTests(DiskRefsContainerTests):  # type: ignore[misc]
        """The refs of the suite's repository, read by us."""

        def setUp(self) -> None:
            super().setUp()
            self._refs = gitglass.open(self._repo.path).dulwich().refs
            self._refs.path = os.fsencode(self._repo.path)  # where a test writes a file by itself

    class JailedRepoTests(RepositoryRootTests):  # type: ignore[misc]
        """The suite's repositories, read by us."""

        def open_repo(self, name: str) -> Any:
            found = super().open_repo(name)
            jailed: Any = gitglass.open(found.path).dulwich()
            jailed.path = found.path  # where a test writes a file by itself
            return jailed

    cases = [JailedRefsTests(name) for name in REFS] + [JailedRepoTests(name) for name in REPOSITORY]
    return unittest.TestSuite(cases)


def main() -> int:
    source = os.path.abspath(sys.argv[1])
    sys.path[:] = [source, *[path for path in sys.path if path not in ("", os.path.dirname(os.path.abspath(__file__)))]]
    os.chdir(source)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite())
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

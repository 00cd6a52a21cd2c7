from gitglass.mutate.process.argv import filter_words
from gitglass.mutate.process.granted import Program


def test_a_path_is_one_word() -> None:
    words = filter_words(Program(("/bin/x", "clean", "--", "%f")), "/real/x", b"a b;$(c)'\"\n")
    assert words == [b"/real/x", b"clean", b"--", b"a b;$(c)'\"\n"]


def test_what_stands_for_what() -> None:
    words = filter_words(Program(("/bin/x", "%%f", "[%f]", "%d", "100%", "%%%f", "%")), "/bin/x", b"p")
    assert words[1:] == [b"%f", b"[p]", b"%d", b"100%", b"%p", b"%"]


def test_no_path_is_an_option() -> None:
    assert filter_words(Program(("/bin/x", "%f")), "/bin/x", b"--delete")[1] == b"./--delete"


def test_a_path_is_not_looked_into() -> None:
    assert filter_words(Program(("/bin/x", "%f")), "/bin/x", b"%f%%")[1] == b"%f%%"

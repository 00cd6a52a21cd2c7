"""Remotes from the configuration: rewriting of addresses, what is tracked, what is pulled."""

from tests.hostile.paced import assert_paced

from gitglass.config.config import Config, Entry, Source
from gitglass.config.file import parse_config
from gitglass.revs.remotes import address, pulls_from, remote, remote_names, remotes

SOURCE = Source("local", b"file:.git/config")


def config(text: str) -> Config:
    return Config(Entry(key, value, line, SOURCE) for key, value, line in parse_config(text.encode()))


def test_the_longest_prefix_rewrites() -> None:
    made = config(
        '[url "a:"]\ninsteadOf = https://\n[url "b:"]\ninsteadOf = https://x/\n[remote "o"]\nurl = https://x/y\nurl = https://z\n'
    )
    assert remote(made, b"o").urls == [b"b:y", b"a:z"] and address(made, b"ssh://q") == b"ssh://q"


def test_where_to_push() -> None:
    rules = '[url "p:"]\npushInsteadOf = https://\n[url "f:"]\ninsteadOf = https://\n'
    one = remote(config(rules + '[remote "o"]\nurl = https://x\n'), b"o")
    assert (one.urls, one.push_urls) == ([b"f:x"], [b"p:x"])
    two = remote(config(rules + '[remote "o"]\nurl = https://x\npushurl = https://y\n'), b"o")
    assert two.push_urls == [b"f:y"]
    assert remote(config(""), b"nosuch").urls == [] and not remote(config(""), b"nosuch").own


def test_all_of_them_are_those_that_are_asked_for_by_name() -> None:
    rules = '[url "a:"]\ninsteadOf = x\n[url "p:"]\npushInsteadOf = x\n'
    made = config(rules + '[remote "a.b"]\nurl = x1\n[remote "a"]\nurl = y\nfetch = r\n[remote]\npushDefault = a\n')
    assert remotes(made) == [remote(made, b"a"), remote(made, b"a.b")]
    assert [(one.urls, one.push_urls, one.own) for one in remotes(made)] == [
        ([b"y"], [], True),
        ([b"a:1"], [b"p:1"], True),
    ]
    assert not remote(config('[remote "a.b"]\nurl = x\n'), b"a").own


def test_many_of_them_with_many_rules_look_at_the_clock() -> None:
    made = config("".join(f'[remote "r{n}"]\nurl = x{n}\n[url "y{n}"]\ninsteadOf = x{n}\n' for n in range(4000)))
    assert_paced(lambda: remotes(made))


def test_pulls() -> None:
    made = config(
        '[branch "b"]\nremote = o\nmerge = refs/heads/x\nmerge = refs/heads/y\n[branch "a"]\nremote = o\nmerge = z\nrebase = i\n'
        '[branch "c"]\nremote = other\nmerge = q\n'
    )
    assert [(p.branch, p.merges, p.rebase) for p in pulls_from(made, b"o")] == [
        (b"a", [b"z"], "interactive"),
        (b"b", [b"x", b"y"], ""),
    ]
    assert remote_names(config('[remote "b"]\nurl=x\n[remote "a"]\nurl=y\n')) == [b"a", b"b"]

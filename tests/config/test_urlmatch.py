"""Settings for a URL: the answers are git's own (config --get-urlmatch)."""

import pytest

from gitglass.config.urlmatch import parse_url, rank
from gitglass.errors import GitError

SETTINGS = {
    b"https://weak.example.com/path": "path",
    b"https://weak.example.com": "weak",
    b"https://*.example.com": "wild",
    b"https://user@weak.example.com": "user",
    b"https://weak.example.com:8443/": "port",
    b"HTTPS://WEAK.example.COM:443/Path/../Path/x%41": "normal",
    b"weak.example.com": "no scheme",
}


@pytest.mark.parametrize(
    ("url", "best"),
    [
        (b"https://weak.example.com/path/sub", "path"),
        (b"https://weak.example.com/pathx", "weak"),
        (b"https://user@weak.example.com/", "user"),
        (b"https://us%65r:pw@weak.example.com/path", "path"),
        (b"https://weak.example.com:8443/x", "port"),
        (b"https://other.example.com", "wild"),
        (b"https://a.b.example.com", None),
        (b"HTTPS://weak.example.COM:443/Path/xA", "normal"),
        (b"http://weak.example.com", None),
    ],
)
def test_the_best_fit_wins(url: bytes, best: str | None) -> None:
    fits = {name: fit for pattern, name in SETTINGS.items() if (fit := rank(pattern, parse_url(url))) is not None}
    assert (max(fits, key=lambda name: fits[name]) if fits else None) == best


@pytest.mark.parametrize("text", [b"weak.example.com", b"https://", b"", b"1x://a", b"https://h/../.."])
def test_what_is_no_url(text: bytes) -> None:
    with pytest.raises(GitError):
        parse_url(text)

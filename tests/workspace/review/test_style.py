"""The page's colours: everything that is read can be read (WCAG 2.2, 1.4.3 at level AA), and no colour is left out."""

import re

import pytest

from gitglass.workspace.review.style import COLOURS, READ, STYLE


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_formula() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21) and contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.01
    )


@pytest.mark.parametrize(("text", "ground"), READ)
@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
def test_contrast(text: str, ground: str, side: int) -> None:
    assert contrast(COLOURS[text][side], COLOURS[ground][side]) >= 4.5


def test_every_colour_is_declared_used_and_checked() -> None:
    used = set(re.findall(r"var\(--(\w+)[,)]", STYLE)) - {"deep", "rows"}
    assert used == set(COLOURS)
    assert {name for pair in READ for name in pair} >= used - {"line"}  # edges are no text
    assert set(re.findall(r"#[0-9a-f]{3,6}", STYLE)) == {colour for pair in COLOURS.values() for colour in pair}


def test_nothing_is_loaded_and_print_is_light() -> None:
    assert "url(" not in STYLE and "@import" not in STYLE and "<" not in STYLE
    assert "@media screen and (prefers-color-scheme:dark)" in STYLE and "@media print" in STYLE
    assert STYLE.count("{") == STYLE.count("}")

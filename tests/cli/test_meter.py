"""cli/meter.py: the progress line."""

import io

from gitglass.cli.meter import Meter


def test_the_meter_leaves_nothing_behind() -> None:
    stream = io.BytesIO()
    meter = Meter(stream)
    meter.clear()
    assert stream.getvalue() == b""
    meter.show("steps", 12000, None)
    meter.clear()
    assert stream.getvalue() == b"\r\x1b[Kgitglass: 12,000 steps\r\x1b[K"

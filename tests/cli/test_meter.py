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


def test_there_is_a_bar_where_the_end_is_known() -> None:
    stream = io.BytesIO()
    meter = Meter(stream)
    for done, bar in ((0, b" " * 20), (5, b"#" * 10 + b" " * 10), (10, b"#" * 20), (11, b"#" * 20)):
        stream.seek(0)
        stream.truncate()
        meter.show("objects sent", done, 10)
        assert stream.getvalue() == b"\r\x1b[Kgitglass: [" + bar + b"] %d of 10 objects sent" % done
    meter.show("objects sent", 0, 0)

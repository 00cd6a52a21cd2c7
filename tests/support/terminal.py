"""A program on a terminal of its own, and somebody who answers when they are asked."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Sequence
from typing import Any


def session(
    argv: Sequence[str],
    answers: Sequence[str],
    *,
    prompts: Sequence[str],
    is_screen: bool = False,
    seconds: float = 60,
    **options: Any,
) -> tuple[int, str]:
    """The exit status, and all that stood on the terminal: each answer is typed after one of the prompts, as a line;
    where a program has the whole screen, as keys, once one of the prompts is somewhere on it."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(argv, stdin=follower, stdout=follower, stderr=follower, close_fds=True, **options)
    os.close(follower)
    text, left, asked = b"", list(answers), 0
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            if not select.select([leader], [], [], 0.2)[0]:
                continue
            text += os.read(leader, 65536)
            fresh = text[asked:].decode("utf-8", "replace")
            is_asking = any(one in fresh if is_screen else fresh.endswith(one) for one in prompts)
            if is_asking and left:
                asked = len(text)
                os.write(leader, left.pop(0).encode() + (b"" if is_screen else b"\n"))
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(leader)
        if process.poll() is None and time.monotonic() >= end:
            process.kill()
    return process.wait(), text.decode("utf-8", "replace").replace("\r\n", "\n")

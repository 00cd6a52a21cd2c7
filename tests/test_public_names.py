"""The public face: what `import gitglass` offers, and that it costs nothing until used."""

import subprocess
import sys

import gitglass


def test_names() -> None:
    for name in gitglass.__all__:
        assert getattr(gitglass, name) is not None
    assert set(gitglass.__all__) <= set(dir(gitglass))


def test_import_is_lazy() -> None:
    code = "import sys, gitglass; print(sorted({m.split('.')[0] for m in sys.modules} & {'pydantic', 'dulwich', 'regex', 'mcp'}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"

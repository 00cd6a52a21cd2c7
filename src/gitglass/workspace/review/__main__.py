"""`python -m gitglass.workspace.review` is `gitglass-review`."""

import sys

from .script import main

sys.exit(main())

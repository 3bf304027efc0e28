"""python -m irops"""

# PYTHON_ARGCOMPLETE_OK
from __future__ import annotations

import sys

from irops.cli.main import main

sys.exit(main())

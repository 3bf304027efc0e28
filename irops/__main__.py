"""python -m irops"""

from __future__ import annotations

import sys

from irops.cli.main import main

sys.exit(main())

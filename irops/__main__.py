"""python -m irops"""

# PYTHON_ARGCOMPLETE_OK
import sys

from irops.cli.main import main

sys.exit(main())

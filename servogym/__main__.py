"""`python -m servogym` is the `servogym` command."""

import sys

from servogym.cli.main import main

sys.exit(main())

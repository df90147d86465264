"""Tests of the fleet's parts; its packages are in a separate folder."""

import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3] / ".diskbench" / "tools" / "fleet"
# last: what both environments have is the study's
sys.path.append(str(TOOLS))

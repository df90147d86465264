"""Tests on a simulated Mac; its programs are in ../stand_in.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

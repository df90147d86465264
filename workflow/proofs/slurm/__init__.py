"""A Slurm cluster of two nodes on this machine, measured from end to end.

Usage: bash workflow/prove.sh slurm [--save]
  --save   keeps the figures in data/proofs/slurm.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

It needs Linux, root and Debian's packages slurm-wlm and munge. A node goes down and a job is ended
by hand in between.
"""

from slurm.smoke import main

__all__ = ["main"]

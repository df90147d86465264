"""A cluster that runs Slurm: every node measured by a job of its own, everything else made here."""

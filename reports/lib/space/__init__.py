"""What images take on disk by state of use, what they leave inside, what compaction freed."""

"""Allocated sizes of images by state of use, bands, and effects of compaction."""

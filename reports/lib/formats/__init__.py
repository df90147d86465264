"""The formats of disk images that an article lists, and its table of another article."""

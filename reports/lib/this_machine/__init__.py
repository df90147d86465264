"""Runs that compare with nothing that is published: which there are, and what they show."""

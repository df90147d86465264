"""Whether a folder of records from somebody else's Mac can be accepted."""

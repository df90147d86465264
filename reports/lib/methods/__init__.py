"""The methods as they are run, from the study's own files and the database's own comments."""

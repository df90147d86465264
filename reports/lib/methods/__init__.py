"""The methods, from the study's own files and the comments of the database."""

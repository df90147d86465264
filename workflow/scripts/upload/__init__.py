"""Publishing the site: into a folder or on a git branch, replacing nothing but an older site."""

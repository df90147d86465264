"""What this project is made from: its dependencies as locked, their hashes and licences."""

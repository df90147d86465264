"""What is taken for granted of macOS, looked at on a Mac: `run.sh probe`, `run.sh take-probe`."""

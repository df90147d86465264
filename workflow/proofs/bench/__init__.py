"""What the harness costs, against a bare loop of the same system calls and against fio."""

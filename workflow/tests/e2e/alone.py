"""Runs a command without a network, on a host and for a user with conspicuous names.

    python alone.py COMMAND...

It is called in an empty network namespace of its own (`unshare --net --uts`): all that it has is the
address of the machine itself, which Jupyter's kernels are spoken to by.
"""

import fcntl
import os
import socket
import struct
import subprocess
import sys
from functools import cache

HOST = "vivians-secret-machine"
PERSON = "vivian-nobodyknows"

# linux/sockios.h, linux/if.h
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


@cache
def prefix() -> tuple[str, ...]:
    """What a command begins with to be run so; nothing where this system does not allow it."""
    for how in (("unshare",), ("unshare", "--user", "--map-root-user")):
        tried = (*how, "--net", "--uts", sys.executable, __file__)
        try:
            done = subprocess.run([*tried, "true"], capture_output=True, check=False)
        except OSError:
            return ()
        if done.returncode == 0:
            return tried
    return ()


def main() -> None:
    socket.sethostname(HOST)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        request = struct.pack("16sH14x", b"lo", 0)
        _, flags = struct.unpack("16sH14x", fcntl.ioctl(asked, SIOCGIFFLAGS, request))
        fcntl.ioctl(asked, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()

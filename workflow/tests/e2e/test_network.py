"""A study needs no network: the other tests here use one that ran without."""

import subprocess
import sys

import alone
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not alone.prefix(),
        reason="this system allows no network namespace (unshare --net): call as root",
    ),
]

ASK = """
import socket, sys
try:
    socket.create_connection(("192.0.2.1", 443), timeout=5)
except OSError as error:
    sys.exit(str(error))
"""


def test_there_is_no_network_where_the_studies_were_run():
    """Only the machine itself is reachable."""
    seen = subprocess.run(
        [*alone.prefix(), "cat", "/proc/net/dev"], capture_output=True, text=True, check=True
    )
    assert [line.split(":")[0].strip() for line in seen.stdout.splitlines()[2:]] == ["lo"]
    # 192.0.2.0/24 is for documentation (RFC 5737)
    asked = subprocess.run(
        [*alone.prefix(), sys.executable, "-c", ASK], capture_output=True, text=True, check=False
    )
    assert "Network is unreachable" in asked.stderr


def test_without_the_sql_engine_the_query_page_has_a_notice_and_the_rest_is_complete(portable):
    assert "No SQL engine: this page cannot run queries" in portable.page("query.html")
    assert len(portable.records()) == 9
    for page in ("index.html", "hosts.html", "this-machine.html", "data.html"):
        assert "</html>" in portable.page(page)

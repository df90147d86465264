"""Pages show what a release changed, whatever was measured in between and on other machines."""

import pytest
from rendered import Tables, charts, text
from test_builds import BETA, EARLIER, FINAL, MAC, MADE, under

from lib import basis
from lib.database import query
from lib.releases import answer, by_host, changes, newest, published
from proofs.support import macs

OTHERS = ["mac-studio-m1-max", "macbook-pro-m3-pro"]


def usual(hosts, release):
    """Three runs of each new image on these Macs."""
    return [
        one
        for one in macs.made(hosts, [release])
        if (one["cell"]["protocol"], one["cell"]["phase"]) == ("usage-phases", "fresh")
    ]


def told() -> str:
    """The first sentences on what changed."""
    return text(answer.shown(changes.pairs(), published.pairs()))


def moved(earlier: str, later: str) -> list[int]:
    """The speeds that became slower and faster between two releases."""
    counted = query(f"""
        select count(*) filter (change = 'slower') as slower, count(*) filter (change = 'faster') as faster
        from release_change where earlier_release = '{earlier}' and later_release = '{later}'
    """)  # fmt: skip
    return counted.iloc[0].tolist()


@pytest.fixture(scope="module")
def once_between(built):
    """A Mac under two releases, sparse bundles slower; one quick run under a beta in between."""
    made = usual([MAC], MADE)
    quick = [under(one, BETA, "10") for one in made if one["cell"]["repeat"] == 1]
    final = [under(one, FINAL, "11", times=3) for one in made]
    return built("once-between", usual([MAC], EARLIER) + quick + final)


def test_one_run_under_a_beta_hides_no_change_of_the_release(once_between, asked):
    asked(once_between)
    slower, faster = moved(EARLIER, FINAL)
    assert slower and faster
    changed = f" measured speeds became slower, {faster} became faster and "
    measured = told().partition("\n")[0]
    assert measured.startswith(f"**From macOS 26.4 to 27.0, {slower} of ")
    assert measured.count("From macOS") == 1
    assert changed in told()
    start = text(newest.shown(basis.newest()))
    assert changed in start
    assert "other machine" not in start
    assert "From macOS 26.4 to 27.0" in start
    assert "slower" in " ".join(Tables(start).tables["table-changed"][2])
    page = text(changes.shown(changes.pairs()))
    assert "### From macOS 26.4 to 27.0\n" in page
    assert "### From macOS 26.4 to 27.0 beta\n" in page
    assert "### From macOS 27.0 beta to 27.0\n" not in page


def test_the_title_of_a_chart_is_of_the_releases_and_runs_that_a_verdict_is_about(
    once_between, changed, asked
):
    # other runs than those of the figures that are drawn
    means = "earlier_gbps = 8, later_gbps = 4"
    asked(changed(once_between, f"update release_change set {means} where change = 'slower'"))
    drawn = charts(text(by_host.shown(by_host.every())))[f"chart-{MAC}-internal-udsb-write"]
    found = drawn["title"].replace("\u00a0", " ")
    assert found.endswith(", slower from 26.4 to 27.0, 8.00 to 4.00 GB/s")


@pytest.fixture(scope="module")
def of_two_updates(built):
    """A Mac that was updated from a beta, unchanged; two from the release before, now slower."""
    made = usual([MAC], MADE)
    same = [under(one, release, "11") for release in (BETA, FINAL) for one in made]
    slower = [under(one, FINAL, "11", times=3) for one in usual(OTHERS, MADE)]
    return built("two-updates", same + usual(OTHERS, EARLIER) + slower)


def test_the_first_sentences_have_each_update_to_the_newest_release(of_two_updates, asked):
    asked(of_two_updates)
    changed, unchanged = told().partition("\n")[0].split("From macOS ")[1:]
    assert unchanged.startswith("27.0 beta to 27.0, 14 of 14 measured speeds show no change")
    assert "(Mac mini M4 Pro" in unchanged
    slower, faster = moved(EARLIER, FINAL)
    assert slower and faster
    assert changed.startswith(f"26.4 to 27.0, {slower} of ")
    assert f" measured speeds became slower, {faster} became faster and " in changed
    assert "(2 machines" in changed


def test_the_start_page_counts_other_machines_that_the_release_changed(of_two_updates, asked):
    asked(of_two_updates)
    start = text(newest.shown(basis.newest()))
    assert start.startswith("From macOS 27.0 beta to 27.0, 14 of 14 measured speeds show no")
    slower, faster = moved(EARLIER, FINAL)
    assert (
        f"On 2 other machines under the same release, {slower} speeds became slower and "
        f"{faster} faster: [Releases](releases.html) has them."
    ) in start

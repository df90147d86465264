"""The page on macOS: every statement with its results."""

from rendered import tables
from stand_in import RELEASES

from probe.statements import all_of_them


def test_without_a_probed_mac_the_page_says_that_all_is_unknown(published_site):
    every = all_of_them().values()
    told = published_site.words("macos.html")
    assert f"all {len(every)} statements are unknown" in told
    assert f"tests {sum(one.probe is not None for one in every)} of them" in told
    expected = []
    for release in map(int, RELEASES):
        about = [one for one in every if one.is_about(release)]
        probed = sum(one.probe is not None for one in about)
        expected.append((f"{release}", f"{len(about)}", "0", "0", f"{len(about)}", f"{probed}"))
    shown = tables(published_site, "macos.html")
    assert list(shown["macos-releases"].itertuples(index=False, name=None)) == expected
    lines = shown["macos-statements"].set_index("Statement")
    for one in every:
        assert lines.loc[one.says, "Source"] == one.source
        if one.probe is None:
            assert lines.loc[one.says, "Probe"] == f"none: {one.without}"


def test_what_was_found_is_counted_by_release_and_told_of_each_statement(site):
    told = site.words("macos.html")
    assert "1 confirmed, 1 contradicted ; the others are unknown" in told
    assert "probed: 1." in told
    shown = tables(site, "macos.html")
    about = sum(one.is_about(26) for one in all_of_them().values())
    by_release = {line[0]: line for line in shown["macos-releases"].to_numpy().tolist()}
    assert by_release["26"][1:5] == [f"{about}", "1", "1", f"{about - 2}"]
    assert by_release["27"][2:4] == ["0", "0"]
    found = shown["macos-statements"].set_index("Statement")["Found"]
    assert len(found) == len(all_of_them())
    raw, full, header = (
        found[all_of_them()[name].says] for name in ("udrw-is-raw", "no-space", "udsp-header")
    )
    assert raw == "contradicted under 26.4 (25E241): try 1: seen False"
    assert full == "unknown under 26.4 (25E241): seen None"
    assert header == "unknown"

"""The scales write what the articles say they wrote."""

import pytest

from study.scales import SCALES, scaled_steps, sizes_bytes


def written_bytes(name):
    scale = SCALES[name]
    return scale.sets * sum(sizes_bytes(scale))


def test_gold_writes_just_over_53_gb_in_160_files_from_2_mb_to_2_gb():
    # "a total of just over 53 GB" (16 October 2024), "53 GB in 160 files" (March 2026)
    sizes = sizes_bytes(SCALES["gold"])
    assert (len(sizes), sizes[0], sizes[-1]) == (16, 2_000_000, 2_000_000_000)
    assert SCALES["gold"].sets * 16 == 160
    assert 53_000_000_000 < written_bytes("gold") < 53_500_000_000


def test_exactly_the_40_largest_of_160_files_have_600_mb_or_more():
    # "40 largest of those, sizes 600 MB to 2 GB" (21 October 2024)
    sizes = sizes_bytes(SCALES["gold"]) * 10
    assert sum(size >= 600_000_000 for size in sizes) == 40


def test_smoke_writes_all_160_files_in_a_quarter_of_a_gigabyte_on_images_of_12_5_gb_at_most():
    assert SCALES["smoke"].sets * 16 == 160
    assert written_bytes("smoke") == 266_500_000
    # before macOS 26 a UDRW image takes its nominal size of the disk at first
    assert 125_000_000_000 // SCALES["smoke"].nominal_divisor == 12_500_000_000


def scaled_step(step, scale):
    [one] = scaled_steps([step], scale)
    return one


@pytest.mark.parametrize(
    ("share", "scale", "deleted"),
    [
        ({"which": "last-sets", "sets": 8, "of": 10}, "gold", {"sets": 8}),
        ({"which": "last-sets", "sets": 8, "of": 10}, "half", {"sets": 4}),
        ({"which": "largest", "files": 40, "of": 160}, "gold", {"files": 40}),
        ({"which": "largest", "files": 40, "of": 160}, "tenth", {"files": 4}),
    ],
)
def test_what_is_deleted_keeps_its_share_in_every_scale(share, scale, deleted):
    scaled = scaled_step({"step": "delete"} | share, SCALES[scale])
    assert scaled == {"step": "delete", "which": share["which"]} | deleted


def test_the_only_set_of_a_tenth_stays_and_no_size_is_called_partly_emptied():
    steps = [
        {"step": "write"},
        {"step": "detach"},
        {"step": "measure", "state": "filled"},
        {"step": "delete", "which": "last-sets", "sets": 8, "of": 10},
        {"step": "detach"},
        {"step": "measure", "state": "partly-emptied"},
        {"step": "measure", "state": "later"},
    ]
    assert scaled_steps(steps, SCALES["tenth"]) == [*steps[:3], steps[4], steps[6]]
    states = [step.get("state") for step in scaled_steps(steps, SCALES["half"])]
    assert "partly-emptied" in states


def test_only_smoke_shortens_waits_of_whatever_step():
    step = {"step": "a step of later", "seconds": 10}
    scaled = [scaled_step(step, SCALES[name])["seconds"] for name in ("gold", "tenth", "smoke")]
    assert scaled == [10, 10, 1]

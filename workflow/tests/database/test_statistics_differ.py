"""Cells whose bytes / time and slope differ, and why."""

# the four largest sizes, most of the bytes
LARGE = 600_000_000


def timed(slow=0, factor=1.0, large=1.0):
    """Files at 5 GB/s, of which `slow` of ten of each size take so many times as long; and the
    large ones all."""

    def time(op, order, size):
        by_size = large if size >= LARGE else 1
        return round(size / 5 * by_size * (factor if (order - 1) // 16 < slow else 1))

    return time


def one_of_all(op, order, size):
    """Times of one file of each size: the largest, 2 of 5.33 GB, takes three times as long."""
    return round(size / 5 * (3 if size == 2_000_000_000 else 1))


SLOW = "some files far slower than others of their size"
# the times, the scale, and what is said of them
CASES = [
    (timed(), "gold", None),
    (timed(slow=3, factor=5), "gold", SLOW),
    (timed(slow=3, factor=0.2), "gold", "some files far faster than others of their size"),
    (timed(large=5), "gold", "large and small files differ in rate"),
    (timed(large=5, slow=3, factor=5), "gold", "large and small files differ in rate, and some files are slow"),
    (one_of_all, "tenth", "one file of each size: some files, or large and small ones, differ in rate"),
    # a tenth is where they begin to differ: of one file of ten of each size, which the slope does not see, bytes / time is
    # 1 / (0.9 + 0.1 k) of it, which is 0.905 at 2.05, and 0.896 at 2.16; and 1.087 at 0.2, 1.111 at 0
    (timed(slow=1, factor=2.05), "gold", None),
    (timed(slow=1, factor=2.16), "gold", SLOW),
    (timed(slow=1, factor=0.2), "gold", None),
]  # fmt: skip


def test_what_makes_the_statistics_of_a_pass_differ_is_named(save, query):
    for number, (time, scale, _) in enumerate(CASES):
        save(time, scale=scale, host=f"made-up-{number}")
    found = query("select distinct host, statistics_differ from measured_speed order by host")
    assert found == [(f"made-up-{number}", why) for number, (*_, why) in enumerate(CASES)]

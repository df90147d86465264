"""The verdict on each image under two releases of a Mac, for charts of `known_speed`."""

# of each release its newest build, as in `known_speed`; to select from
EVERY = """(
    with build as (select distinct (host, release) from comparable_speed where newest_build)

    select
        change.*, earlier.macos as earlier, later.macos as later,
        earlier.release_number as earlier_number
    from release_change as change
    inner join host as earlier on (earlier.host, earlier.release) = (change.host, earlier_release)
    inner join host as later on (later.host, later.release) = (change.host, later_release)
    where driver <> 'portable' and band_bytes is null
        and (change.host, earlier_release) in (from build)
        and (change.host, later_release) in (from build)
)"""

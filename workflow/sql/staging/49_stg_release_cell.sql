-- The cells that may be paired across releases, with the number of their release (host.release_number). `compare` replaces
-- them (workflow/scripts/compare/pairs.py) and runs the same 50 to 52.
create temp table stg_release_cell as

select
    measured.* exclude (counts),
    host.release_number as number,
    host.vouched_by,
    -- records of one slug that others vouch for are of another Mac of its kind
    host.vouched_by as whose,
    coalesce(host.macos like '% beta', false) as beta
from stg_method as measured
inner join host using (host, release)
where measured.counts;

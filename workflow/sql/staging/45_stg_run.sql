-- The logarithm of each statistic of each run (repeat) that counts (stg_method), for the intervals of repeated_speed.
-- `item` names the cell without its repeat; items of one host, release, storage, protocol, scale
-- and direction are a family, apart from those that are not comparable (run_intervals.py).
create temp table stg_run as

select
    concat_ws(' ', comparable, host, release, storage, protocol, scale, op, statistic) as family,
    concat_ws(' ', series, op, statistic) as item,
    repeat,
    ln(gbps) as value
from speed_statistic
inner join stg_method using (cell, op)
where gbps > 0 and counts
order by family, item, repeat;

-- The logarithm of each statistic of each run (repeat) of a cell: what the between-run intervals of repeated_speed are
-- made from, of the runs that count (stg_method).
-- `item` names the cell without its repeat; those of one host, release, storage, protocol, scale and direction are a family.
create temp table stg_run as

select
    concat_ws(' ', host, release, storage, protocol, scale, op, statistic) as family,
    concat_ws(' ', series, op, statistic) as item,
    repeat,
    ln(gbps) as value
from speed_statistic
inner join stg_method using (cell, op)
where gbps > 0 and counts
order by family, item, repeat;

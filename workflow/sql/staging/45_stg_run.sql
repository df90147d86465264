-- The logarithm of each statistic of each run (repeat) of a cell: what the between-run intervals of repeated_speed are
-- made from, of the runs that count (stg_method).
-- `item` names the cell without its repeat; those of one host, release, storage, protocol, scale and direction are a family.
create temp table stg_run as

with runs as (
    select
        speed_statistic.statistic,
        speed_statistic.gbps,
        measured_speed.*,
        cell.series
    from speed_statistic
    inner join measured_speed using (cell, op)
    inner join cell using (cell)
    inner join stg_method using (cell, op)
    where speed_statistic.gbps > 0 and stg_method.counts
)

select
    concat_ws(' ', host, release, storage, protocol, scale, op, statistic) as family,
    concat_ws(' ', series, op, statistic) as item,
    repeat,
    ln(gbps) as value,
    series,
    op,
    statistic
from runs
order by family, item, repeat;

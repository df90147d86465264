-- What spoils one direction of a cell only. How near the harness's own limit a speed came is made from the figures, so that it
-- is known of records that are older than the warning, too. From verdict_rule's share of the limit on the figure is one of the
-- harness and of memory, its ratio to another cell's is drawn towards 1, and so it is not comparable, however right it is as a
-- lower bound.
create temp table stg_spoilt_speed as

with told as (
    select
        cell,
        'read' as op,
        list(code) as why
    from warning
    where code in ('read-from-memory', 'checked')
    group by cell
),

moved as (
    select
        cell,
        op,
        sum(size_bytes) / sum(elapsed_ns) as gbps
    from sample
    where not slept
    group by cell, op
),

limits as (
    select
        moved.cell,
        moved.op,
        moved.gbps / nullif(if(moved.op = 'write', cell.ceiling_write_gbps, cell.ceiling_read_gbps), 0) as ceiling_share
    from moved
    inner join cell using (cell)
)

select
    cell,
    op,
    limits.ceiling_share,
    codes(list_concat(
        told.why,
        case when limits.ceiling_share >= tolerance_of('measured_speed', 'limit') then ['near-limit'] end
    )) as why
from limits
full join told using (cell, op);

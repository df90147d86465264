-- Write speed stays the same while files are written and deleted, round after round. The same is a slowest round of at
-- least 90 % of the fastest, for both formats.
with rounds as (
    select
        cell.host,
        cell.release,
        cell.scale,
        cell.storage,
        cell.format,
        round_speed.cell,
        min(round_speed.total_gbps) as slowest,
        max(round_speed.total_gbps) as fastest,
        count(*) as rounds
    from round_speed
    inner join cell using (cell)
    where round_speed.op = 'write' and cell.protocol = 'churn' and cell.comparable and cell.driver = 'apple' and cell.band_bytes is null
    group by all
)

select
    'measured' as basis,
    host,
    release,
    if(min(slowest / fastest) >= 0.9, 'supported', 'contradicted') as outcome,
    string_agg(format('{} writes at {:.2f} to {:.2f} GB/s in {} rounds ({}, {})', format, slowest, fastest, rounds, scale, storage), '; ' order by format desc, storage, cell) as detail
from rounds
where rounds > 1
group by host, release

-- Samples of one direction are numbered continuously over rounds; a round has each size once in each set.
create table round_speed as

with rounds as (
    select
        sample.*,
        (sample."order" - 1) // (record.description.sets * len(record.description.sizes_bytes)) + 1 as round
    from sample
    inner join stg_record as record using (cell)
    where not sample.slept
)

select
    cell,
    op,
    cast(round as integer) as round,
    count(*) as files,
    cast(sum(size_bytes) as bigint) as bytes,
    cast(sum(elapsed_ns) as bigint) as elapsed_ns,
    sum(size_bytes) / nullif(sum(elapsed_ns), 0) as total_gbps
from rounds
group by cell, op, round
order by cell, op, round;

comment on table round_speed is 'The speed of every round of writing and of reading, one row each: churn has five rounds of writing, the phases of other protocols one each. measured_speed has all rounds of a cell together';
comment on column round_speed.round is 'Number of the round among those of the same direction in the cell, from 1';
comment on column round_speed.files is 'Files that the speed is computed from: without those during which the machine slept, and fewer where the cell failed';
comment on column round_speed.elapsed_ns is 'Sum of their times in nanoseconds';
comment on column round_speed.total_gbps is 'bytes / elapsed_ns: all bytes / all time, GB/s; not the headline, which is a slope (measured_speed.theil_sen_gbps)';

create table repeated_speed as

with repeats as (
    select
        series,
        op,
        min_by(cell, (not counts, status <> 'measured', repeat)) as cell,
        count(*) as cells,
        cast(sum(files) filter (where counts) as bigint) as files,
        max(bytes) filter (where counts) as bytes,
        min(started_utc) filter (where counts) as first_started_utc,
        max(started_utc) filter (where counts) as last_started_utc,
        max(statistics_differ) filter (where counts and depends) as statistics_differ
    from stg_method
    group by series, op
),

statistics as (
    select unnest(['total', 'mean', 'trimmed_mean', 'median', 'regression', 'theil_sen']) as statistic
)

select
    one.host,
    one.release,
    one.os_version,
    one.os_build,
    one.protocol,
    one.scale,
    one.storage,
    one.driver,
    one.format,
    one.encryption,
    one.band_bytes,
    one.phase,
    one.status,
    one.reason,
    one.stand_in,
    one.comparable,
    one.why_not_comparable,
    repeats.op,
    statistics.statistic,
    coalesce(interval.runs, 0) as runs,
    repeats.cells,
    exp(interval.mean) as gbps,
    exp(interval.low) as gbps_low,
    exp(interval.high) as gbps_high,
    exp(interval.spread) - 1 as spread,
    repeats.files,
    repeats.bytes,
    repeats.statistics_differ,
    one.method,
    one.cell,
    repeats.first_started_utc,
    repeats.last_started_utc
from repeats
inner join stg_method as one using (cell, op)
cross join statistics
left join stg_run_interval as interval
    on interval.source = 'stg_run'
    and interval.item = concat_ws(' ', repeats.series, repeats.op, statistics.statistic)
order by one.cell, repeats.op, statistics.statistic;

comment on table repeated_speed is 'The speed of a cell over its runs (repeats), one row per series (a cell without its repeat), direction and statistic: the geometric mean of the runs, and a 95 % interval that includes the variation between runs. The spread of each cell is moderated by that of all cells of its host, release, storage, protocol and scale, comparable ones apart from others (Smyth 2004, moderated t); with fewer than three runs there is no interval';
comment on column repeated_speed.status is 'measured when any run was; else that of the first: skipped or failed';
comment on column repeated_speed.reason is 'Why none was measured; else null';
comment on column repeated_speed.comparable is 'True when its runs may be compared (measured_speed.comparable); where only some may, the others are left out';
comment on column repeated_speed.statistic is 'Which summary of the files of a run: total, mean, trimmed_mean, median, regression or theil_sen (speed_statistic)';
comment on column repeated_speed.runs is 'Runs that the speed is the mean of';
comment on column repeated_speed.cells is 'Records of this cell, whatever their status';
comment on column repeated_speed.gbps is 'Geometric mean of the runs, GB/s; null where none has this statistic';
comment on column repeated_speed.spread is 'Standard deviation between runs as a share of the speed, moderated by the other cells (comment of the table): not that of these runs alone; null with fewer than three';
comment on column repeated_speed.files is 'Files of the runs that count';
comment on column repeated_speed.bytes is 'Bytes of one run';
comment on column repeated_speed.statistics_differ is 'What makes bytes / time and the headline, each as the mean of the runs, differ by more than verdict_rule allows (measured_speed.statistics_differ has it run by run); then no comparison with another speed has a verdict. Null when they agree';
comment on column repeated_speed.method is 'How the runs that count were measured, apart from what the study varies: epoch of the harness, chip, machine (model and memory), disk (capacity, model, bus), file system of the disk, encryption of the disk below an image, cores and memory of a guest, effective cache mode and durability, bytes of a block, sets. Two speeds are compared only if macro unlike finds no difference';
comment on column repeated_speed.first_started_utc is 'When the first of the runs that count started, UTC';
comment on column repeated_speed.last_started_utc is 'When the last of them started, UTC';
comment on column repeated_speed.cell is 'Id of one of its cells (table cell), the first that was measured';

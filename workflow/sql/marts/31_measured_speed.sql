create table measured_speed as

with totals as (
    select
        cell,
        op,
        count(*) filter (where not slept) as files,
        cast(sum(size_bytes) filter (where not slept) as bigint) as bytes,
        cast(sum(elapsed_ns) filter (where not slept) as bigint) as elapsed_ns,
        count(*) filter (where slept) as slept_files
    from sample
    group by cell, op
),

-- Conditions that make only one direction of a cell not comparable. The share of the harness's limit is computed from the
-- figures, so that records without the warning have it, too. From verdict_rule's share of the limit on, a figure depends on the
-- harness and on memory, and ratios are biased towards 1: it is not comparable, although valid as a lower bound. Verdicts use
-- the headline or bytes / time, so that the larger one counts.
limits as (
    select
        cell,
        op,
        greatest(bytes / totals.elapsed_ns, headline.gbps) / nullif(if(op = 'write', ceiling_write_gbps, ceiling_read_gbps), 0) as ceiling_share
    from totals
    inner join cell using (cell)
    left join (from speed_statistic where statistic = 'theil_sen') as headline using (cell, op)
),

told as (
    select
        cell,
        'read' as op,
        list(code) as why
    from warning
    where code in ('read-from-memory', 'checked')
    group by cell
),

spoilt as (
    select
        cell,
        op,
        ceiling_share,
        codes(list_concat(told.why, case when ceiling_share >= tolerance_of('measured_speed', 'limit') then ['near-limit'] end)) as why
    from limits
    full join told using (cell, op)
),

-- the same bytes if each file took the median time of its size
usual as (
    select
        cell,
        op,
        sum(size_bytes * files) / sum(median_ns * files) as usual_gbps,
        min(files) as files_of_a_size
    from (
        select cell, op, size_bytes, count(*) as files, median(elapsed_ns) as median_ns
        from sample
        where not slept
        group by cell, op, size_bytes
    )
    group by cell, op
),

-- what the phase of each cell is made of
steps as (
    select
        cell,
        list_transform(flatten([phase.steps for phase in description.phases if phase.phase = description.phase]), lambda step: step.step) as names
    from stg_record
),

speeds as (
    pivot speed_statistic
    on statistic in ('theil_sen', 'total', 'mean', 'median', 'trimmed_mean', 'regression')
    using max(gbps) as gbps, max(gbps_low) as gbps_low, max(gbps_high) as gbps_high
    group by cell, op
)

select
    cell.cell,
    directions.op,
    cell.host,
    cell.release,
    cell.os_version,
    cell.os_build,
    cell.protocol,
    cell.scale,
    cell.storage,
    cell.driver,
    cell.format,
    cell.encryption,
    cell.band_bytes,
    cell.repeat,
    cell.phase,
    cell.status,
    cell.reason,
    cell.stand_in,
    cell.comparable and spoilt.why is null as comparable,
    codes(list_concat(cell.why_not_comparable, spoilt.why)) as why_not_comparable,
    coalesce(totals.files, 0) as files,
    coalesce(totals.bytes, 0) as bytes,
    coalesce(totals.elapsed_ns, 0) as elapsed_ns,
    coalesce(totals.slept_files, 0) as slept_files,
    speeds.* exclude (cell, op),
    case
        when abs(speeds.total_gbps / speeds.theil_sen_gbps - 1) <= tolerance_of('measured_speed', 'statistics') then null
        when speeds.total_gbps / speeds.theil_sen_gbps is null then null
        when usual.files_of_a_size = 1 then 'one file of each size: some files, or large and small ones, differ in rate'
        when abs(usual.usual_gbps / speeds.theil_sen_gbps - 1) > tolerance_of('measured_speed', 'statistics') then concat(
            'large and small files differ in rate',
            if(abs(speeds.total_gbps / usual.usual_gbps - 1) > tolerance_of('measured_speed', 'statistics'), ', and some files are slow', '')
        )
        else concat('some files far ', if(speeds.total_gbps < usual.usual_gbps, 'slower', 'faster'), ' than others of their size')
    end as statistics_differ,
    case
        when cell.status <> 'measured' then concat(cell.status, ': ', coalesce(cell.reason, 'no reason given'))
        when speeds.cell is null then 'the machine slept during every file'
        else headline.reason
    end as theil_sen_reason,
    case when speeds.total_gbps is not null then spoilt.ceiling_share end as ceiling_share
from cell
cross join (select unnest(['read', 'write']) as op) as directions
left join totals using (cell, op)
left join speeds using (cell, op)
left join usual using (cell, op)
left join (from speed_statistic where statistic = 'theil_sen') as headline using (cell, op)
left join spoilt using (cell, op)
left join steps using (cell)
-- a protocol such as churn only writes
where totals.cell is not null or (cell.status <> 'measured' and list_contains(steps.names, directions.op))
order by cell.cell, directions.op;

comment on table measured_speed is 'Speed of each cell and direction, one row each, a direction without files left out: every summary statistic with its 95 % interval within this one run; intervals across runs are in repeated_speed. Speeds are decimal GB/s. The headline is theil_sen_gbps. Bootstrap intervals resample the files within each size, and are null when each size has one file (speed_statistic.reason). Cells that failed or were skipped have rows with nulls and the reason';
comment on column measured_speed.comparable is 'True when the figures of this direction may be compared: the cell is comparable (cell.comparable), ceiling_share is below the share in verdict_rule, and no warning says that reads may have come from memory or that content was checked meanwhile';
comment on column measured_speed.files is 'Files that the speeds are computed from';
comment on column measured_speed.elapsed_ns is 'Sum of their times in nanoseconds';
comment on column measured_speed.slept_files is 'Files left out because the machine slept meanwhile';
comment on column measured_speed.theil_sen_gbps is 'Headline: 1 / Theil-Sen slope of time on size, GB/s; the cost of each further byte, without the fixed cost of a file';
comment on column measured_speed.total_gbps is 'All bytes / all time, GB/s';
comment on column measured_speed.mean_gbps is 'Mean of the files'' rates, GB/s';
comment on column measured_speed.median_gbps is 'Median of the files'' rates, GB/s';
comment on column measured_speed.regression_gbps is '1 / slope of the files'' times on their sizes by least squares, GB/s: it ignores the fixed cost of a file, and the largest files dominate';
comment on column measured_speed.statistics_differ is 'What makes bytes / time and the headline differ by more than verdict_rule allows: the headline ignores a minority of slow files and the fixed cost of each file; bytes / time is mostly the speed of the largest files. Null when they agree; repeated_speed has the mean of the runs';
comment on column measured_speed.trimmed_mean_gbps is 'Mean of the files'' rates without the lowest and the highest 20 %, GB/s';
comment on column measured_speed.theil_sen_reason is 'Why the headline or an end of its interval is null; null when all are there';
comment on column measured_speed.ceiling_share is 'The larger of total_gbps and theil_sen_gbps as a share of the speed that the harness reached without a disk just before the same cell (cell.ceiling_write_gbps, ceiling_read_gbps). A speed at or above the share in verdict_rule is not comparable. Null without a speed, or where that limit was not measured';

create table file_summary as

with ranked as (
    select
        *,
        rank() over (partition by cell, op order by "order") as place,
        -- twice the rank, since equal residuals share the mean of their ranks: an integer, so that sums are exact
        2 * rank() over (partition by cell, op order by residual)
        + count(*) over (partition by cell, op order by residual range between current row and current row) - 1 as twice_rank
    from stg_file_residual
),

files as (
    select
        cell,
        op,
        count(*) as files,
        min(gbps) as min_gbps,
        quantile_cont(gbps, [0.05, 0.5, 0.95]) as quantiles_gbps,
        max(gbps) as max_gbps,
        -- undefined if all files of a size have the same rate, as with one file per size
        case when min(residual) <> max(residual) then
            (count(*) * sum(twice_rank * place) - sum(twice_rank) * sum(place))
            / sqrt(count(*) * sum(twice_rank * twice_rank) - sum(twice_rank) * sum(twice_rank))
            / sqrt(count(*) * sum(place * place) - sum(place) * sum(place))
        end as order_correlation,
        -- a size with one file has no others to compare with
        max(gbps / usual_gbps) filter (where place = 1 and files_of_size > 1) as first_file_ratio
    from ranked
    group by cell, op
),

outliers as (
    select
        cell,
        op,
        count(*) as outliers,
        count(*) filter (where deviation < 0) as slow_outliers
    from file_outlier
    group by cell, op
),

intercepts as (
    select
        cell,
        op,
        median(sample.elapsed_ns - size_bytes / theil_sen_gbps) as intercept_ns,
        median(sample.elapsed_ns - size_bytes / theil_sen_gbps_low) as intercept_low_ns,
        median(sample.elapsed_ns - size_bytes / theil_sen_gbps_high) as intercept_high_ns
    from sample
    inner join measured_speed using (cell, op)
    where not sample.slept
    group by cell, op
)

select
    files.cell,
    files.op,
    files.files,
    files.min_gbps,
    files.quantiles_gbps[1] as p5_gbps,
    files.quantiles_gbps[2] as median_gbps,
    files.quantiles_gbps[3] as p95_gbps,
    files.max_gbps,
    files.order_correlation,
    files.first_file_ratio,
    coalesce(outliers.outliers, 0) as outliers,
    coalesce(outliers.slow_outliers, 0) as slow_outliers,
    -- without an effect of order, rank correlation x sqrt(n - 1) is normally distributed: 3.29 is p = 0.001
    abs(files.order_correlation) * sqrt(files.files - 1) > 3.29 as order_counts,
    intercepts.intercept_ns,
    intercepts.intercept_low_ns,
    intercepts.intercept_high_ns
from files
left join outliers using (cell, op)
left join intercepts using (cell, op)
order by files.cell, files.op;

comment on table file_summary is 'How the files of a cell differ, one row per cell and direction: the spread of their rates, the effect of their order, the number of outliers (file_outlier), and the fixed cost of each file';
comment on column file_summary.files is 'Number of files, without those during which the machine slept';
comment on column file_summary.min_gbps is 'Rate of the slowest file, GB/s';
comment on column file_summary.p5_gbps is '5th percentile of the files'' rates, GB/s';
comment on column file_summary.median_gbps is 'Median rate, GB/s';
comment on column file_summary.p95_gbps is '95th percentile of the files'' rates, GB/s';
comment on column file_summary.max_gbps is 'Rate of the fastest file, GB/s';
comment on column file_summary.order_correlation is 'Spearman rank correlation of position in the pass and rate, each rate as its logarithm - the median logarithm of its size: below 0, later files are slower; null where no size has two files that differ';
comment on column file_summary.first_file_ratio is 'Rate of the first file / median rate of its size: below 1, the first file was slower; null where no other has its size';
comment on column file_summary.outliers is 'Files of the cell and direction in file_outlier';
comment on column file_summary.slow_outliers is 'Outliers that were slower than usual for their size';
comment on column file_summary.order_counts is 'True where the correlation of order and rate is significant (p below 0.001, for one cell and direction alone); null where there is no correlation';
comment on column file_summary.intercept_ns is 'Fixed cost of each file in nanoseconds: median of time - size / theil_sen_gbps; the intercept of the fitted line';
comment on column file_summary.intercept_low_ns is 'The same with the lower end of the speed''s 95 % interval (measured_speed.theil_sen_gbps_low)';
comment on column file_summary.intercept_high_ns is 'The same with its upper end; null when it has none';

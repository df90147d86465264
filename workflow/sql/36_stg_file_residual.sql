-- How each file's rate differs from that of the files of its size in the same pass.
--
-- Size decides most of a file's rate, so a file is only ever compared with files of its own size. The spread is robust
-- (median absolute deviation), and at least that of the whole pass: ten files of one size can agree by chance.
create temp table stg_file_residual as

with residuals as (
    select
        cell,
        op,
        "order",
        "set",
        size_bytes,
        elapsed_ns,
        size_bytes / elapsed_ns as gbps,
        median(size_bytes / elapsed_ns) over sizes as usual_gbps,
        ln(size_bytes / elapsed_ns) - median(ln(size_bytes / elapsed_ns)) over sizes as residual,
        count(*) over sizes as files_of_size
    from sample
    where not slept and elapsed_ns > 0
    window sizes as (partition by cell, op, size_bytes)
),

spreads as (
    select
        *,
        -- 1.4826 makes it the standard deviation where rates are log-normal
        1.4826 * greatest(
            median(abs(residual)) over (partition by cell, op, size_bytes),
            median(abs(residual)) over (partition by cell, op)
        ) as spread
    from residuals
)

select
    *,
    -- five of a size, so that one of them cannot be its own measure
    case when files_of_size >= 5 then residual / nullif(spread, 0) end as deviation
from spreads;

comment on table stg_file_residual is 'Every file beside the files of its size in the same pass';
comment on column stg_file_residual.cell is 'Id of the cell';
comment on column stg_file_residual.op is 'read or write';
comment on column stg_file_residual."order" is 'Position of the file in its pass, from 1';
comment on column stg_file_residual."set" is 'Set of 16 sizes that the file belongs to';
comment on column stg_file_residual.size_bytes is 'Size of the file in bytes';
comment on column stg_file_residual.elapsed_ns is 'Its time in nanoseconds';
comment on column stg_file_residual.gbps is 'Its rate, GB/s';
comment on column stg_file_residual.usual_gbps is 'Median rate of the files of its size, GB/s';
comment on column stg_file_residual.residual is 'Natural logarithm of its rate less the median of its size';
comment on column stg_file_residual.files_of_size is 'Files of its size in the pass';
comment on column stg_file_residual.spread is 'Robust standard deviation of such residuals: the larger of those of its size and of the whole pass';
comment on column stg_file_residual.deviation is 'residual / spread; null where fewer than five files have its size, or none differs';

-- The deviation of each file's rate from the files of its size in the same cell and direction.
--
-- A file's rate depends mostly on its size, so files are compared with others of their size. The spread is robust
-- (median absolute deviation), and at least that of all sizes: ten files of one size can agree by chance.
create temp table stg_file_residual as

with rates as (
    select
        cell,
        op,
        "order",
        "set",
        size_bytes,
        elapsed_ns,
        size_bytes / elapsed_ns as gbps,
        ln(size_bytes / elapsed_ns) as logarithm
    from sample
    where not slept and elapsed_ns > 0
),

-- medians are joined instead of computed over windows, which would take five times as long
sizes as (
    select
        cell,
        op,
        size_bytes,
        median(gbps) as usual_gbps,
        median(logarithm) as usual_logarithm,
        count(*) as files_of_size
    from rates
    group by cell, op, size_bytes
),

residuals as (
    select
        rates.* exclude (logarithm),
        usual_gbps,
        logarithm - usual_logarithm as residual,
        files_of_size
    from rates
    inner join sizes using (cell, op, size_bytes)
),

size_spreads as (
    select
        cell,
        op,
        size_bytes,
        median(abs(residual)) as of_size
    from residuals
    group by cell, op, size_bytes
),

pass_spreads as (
    select
        cell,
        op,
        median(abs(residual)) as of_pass
    from residuals
    group by cell, op
),

spreads as (
    select
        residuals.*,
        -- 1.4826 makes it the standard deviation if rates are log-normal
        1.4826 * greatest(of_size, of_pass) as spread
    from residuals
    inner join size_spreads using (cell, op, size_bytes)
    inner join pass_spreads using (cell, op)
)

select
    *,
    -- at least five of a size, so that an outlier cannot dominate the spread
    case when files_of_size >= 5 then residual / nullif(spread, 0) end as deviation
from spreads;

create table file_outlier as

select
    cell,
    op,
    "order",
    "set",
    size_bytes,
    elapsed_ns,
    gbps,
    usual_gbps,
    gbps / usual_gbps as ratio,
    deviation
from stg_file_residual
where abs(deviation) > 3.5  -- Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993)
order by cell, op, "order";

comment on table file_outlier is 'The files that were far slower or faster than others of their size, one row each. The logarithm of their rate lies more than 3.5 robust standard deviations from the median of their size. A robust standard deviation is 1.4826 x the median absolute deviation, of the size or of all sizes, whichever is larger. Every statistic includes these files; this table only names them. None where a size has fewer than five files';
comment on column file_outlier."order" is 'Position of the file (sample."order"); in SQL "order" needs its double quotes';
comment on column file_outlier.gbps is 'Its rate, GB/s';
comment on column file_outlier.usual_gbps is 'Median rate of the files of its size in the same cell and direction, all rounds together, GB/s';
comment on column file_outlier.ratio is 'gbps / usual_gbps: below 1 is slower than usual for its size';
comment on column file_outlier.deviation is 'How many robust standard deviations its rate lies from the median rate of the files of its size; negative is slower';

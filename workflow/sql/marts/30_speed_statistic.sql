-- Every summary of every cell and direction, computed from `sample` by workflow/scripts/database/statistics,
-- which fills this table with scipy and numpy.
create table speed_statistic (
    cell varchar,
    op varchar,
    statistic varchar,
    gbps double,
    gbps_low double,
    gbps_high double,
    reason varchar
);

comment on table speed_statistic is 'Every summary statistic of every measured cell and direction with its 95 % interval within that one run, one row each; measured_speed has them side by side';
comment on column speed_statistic.statistic is 'total: bytes / time; mean, median, trimmed_mean (20 % off each end): of the files'' rates; regression: 1 / slope of time on size by least squares; theil_sen: the same by the median of all slopes, the headline';
comment on column speed_statistic.gbps is 'Speed in GB/s (decimal); null where it cannot be computed';
comment on column speed_statistic.gbps_low is 'Lower end of the 95 % interval in GB/s: bootstrap over the files of each size (null when there is one of each); for theil_sen, order statistics of the slopes, at ranks chosen so that the interval stays valid when large files vary more';
comment on column speed_statistic.gbps_high is 'Upper end of the 95 % interval in GB/s';
comment on column speed_statistic.reason is 'Why there is no figure or no interval; null where both are there';

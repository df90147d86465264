-- The ratio of the two speeds of a pair with its interval, computed from `sample` by
-- workflow/scripts/database/format_ratios.py, which fills this table.
create temp table stg_format_ratio (
    cell varchar,
    op varchar,
    ratio double,
    ratio_low double,
    ratio_high double,
    reason varchar
);

comment on table stg_format_ratio is 'One ratio per pair of cells and direction';
comment on column stg_format_ratio.cell is 'Id of the cell of our own driver';
comment on column stg_format_ratio.op is 'read or write';
comment on column stg_format_ratio.ratio is 'Its speed / the native speed';
comment on column stg_format_ratio.ratio_low is 'Lower end of the 95 % interval';
comment on column stg_format_ratio.ratio_high is 'Upper end of the 95 % interval';
comment on column stg_format_ratio.reason is 'Why there is no ratio or no interval';

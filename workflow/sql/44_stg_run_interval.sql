-- What the runs of a cell, or of a pair of cells, come to. workflow/scripts/database/run_intervals.py adds the rows of each
-- table of runs as soon as that is made: stg_run, stg_release_pair, stg_format_pair, stg_encryption_pair and stg_conclusion_run.
create temp table stg_run_interval (
    source varchar,
    family varchar,
    item varchar,
    runs integer,
    mean double,
    low double,
    high double,
    p double,
    spread double,
    degrees double
);

comment on table stg_run_interval is 'Mean of the runs of a cell or of a pair, with its interval';
comment on column stg_run_interval.source is 'Table of the runs';
comment on column stg_run_interval.family is 'As in that table';
comment on column stg_run_interval.item is 'As in that table';
comment on column stg_run_interval.runs is 'How many runs';
comment on column stg_run_interval.mean is 'Mean of their values';
comment on column stg_run_interval.low is 'Lower end of its 95 % interval; null with too few runs, as what follows';
comment on column stg_run_interval.high is 'Upper end of its 95 % interval';
comment on column stg_run_interval.p is 'Two-sided p of a mean of 0';
comment on column stg_run_interval.spread is 'Standard deviation between runs';
comment on column stg_run_interval.degrees is 'Degrees of freedom of that';

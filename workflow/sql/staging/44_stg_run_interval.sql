-- Means and intervals over the runs of a cell or a pair of cells. workflow/scripts/database/run_intervals.py adds the rows of each
-- table of runs as soon as it is made: stg_run, stg_release_pair, stg_release_to_disk, stg_format_pair, stg_encryption_pair and stg_conclusion_run.
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

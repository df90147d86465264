-- How much faster or slower files became from the first to the last of a pass, computed from `sample` by
-- workflow/scripts/database/drift.py, which fills this table.
create temp table stg_file_drift (
    cell varchar,
    op varchar,
    drift double,
    drift_low double,
    drift_high double
);

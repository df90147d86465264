-- How much faster or slower files became from the first to the last of a pass, computed from `sample` by
-- workflow/scripts/database/drift.py, which fills this table.
create temp table stg_file_drift (
    cell varchar,
    op varchar,
    drift double,
    drift_low double,
    drift_high double
);

comment on table stg_file_drift is 'Drift of the rates over a pass, one row per cell and direction';
comment on column stg_file_drift.cell is 'Id of the cell';
comment on column stg_file_drift.op is 'read or write';
comment on column stg_file_drift.drift is 'Change of the rate from the first to the last file, as a share';
comment on column stg_file_drift.drift_low is 'Lower end of its 95 % interval';
comment on column stg_file_drift.drift_high is 'Upper end of its 95 % interval';

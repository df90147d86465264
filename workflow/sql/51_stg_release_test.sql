-- How likely a difference between two releases is by chance, computed from `sample` by
-- workflow/scripts/database/release_tests.py, which fills this table.
create temp table stg_release_test (
    earlier_cell varchar,
    later_cell varchar,
    op varchar,
    p double
);

comment on table stg_release_test is 'One test per pair of cells and direction';
comment on column stg_release_test.earlier_cell is 'Id of the cell under the earlier release';
comment on column stg_release_test.later_cell is 'Id of the cell under the later release';
comment on column stg_release_test.op is 'read or write';
comment on column stg_release_test.p is 'Two-sided p; null where it cannot be computed';

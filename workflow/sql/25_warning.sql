-- What was not quiet, in words.
create table warning as

with warnings as (
    select
        cell,
        unnest(warnings) as warning,
        generate_subscripts(warnings, 1) as "order"
    from stg_record
)

select
    cell,
    cast("order" as integer) as "order",
    warning
from warnings
order by cell, "order";

comment on table warning is 'What was not quiet while a cell was measured, one row per warning';
comment on column warning.cell is 'Id of the cell (table cell)';
comment on column warning."order" is 'Position of the warning in its record, from 1; in SQL "order" needs its double quotes';
comment on column warning.warning is 'The warning in words';

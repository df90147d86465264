-- The steps of the protocol as they were done, with the time each took.
create table step as

with steps as (
    select
        cell,
        unnest(steps) as step,
        generate_subscripts(steps, 1) as "order"
    from stg_record
)

select
    cell,
    cast("order" as integer) as "order",
    step.step as step,
    step.elapsed_ns as elapsed_ns,
    step.note as note
from steps
order by cell, "order";

comment on table step is 'The steps of the protocol as they were done, one row each';
comment on column step."order" is 'Position of the step in its cell, from 1; in SQL "order" needs its double quotes';
comment on column step.step is 'create, attach, detach, settle, write, read, delete, measure, compact, restart or discard';
comment on column step.elapsed_ns is 'Time the step took in nanoseconds';
comment on column step.note is 'What was special about it; null when nothing was';

-- One row per step that was done, with the programs that were run for it and what the processes used that served the image.
create temp table stg_step as

select
    cell,
    cast("order" as integer) as "order",
    step.*
from (select cell, unnest(steps) as step, generate_subscripts(steps, 1) as "order" from stg_record);

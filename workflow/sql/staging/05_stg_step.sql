-- One row per performed step, with the programs run for it and the resource use of the processes that serve the image.
create temp table stg_step as

select
    cell,
    cast("order" as integer) as "order",
    step.*
from (select cell, unnest(steps) as step, generate_subscripts(steps, 1) as "order" from stg_record);

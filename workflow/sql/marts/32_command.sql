create table command as

with commands as (
    select
        cell,
        "order" as step_order,
        step,
        unnest(commands) as command,
        generate_subscripts(commands, 1) as "order"
    from stg_step
),

joined as (
    select
        *,
        array_to_string(command.arguments, ' ') as words
    from commands
)

select
    cell,
    step_order,
    cast("order" as integer) as "order",
    step,
    command.program as program,
    -- words of letters only, each with another argument after it or at the end: no device, no option, no <image>
    nullif(trim(regexp_extract(concat(words, ' '), '^(?:[A-Za-z]+ )+')), '') as verb,
    nullif(words, '') as arguments,
    command."end" as "end",
    cast(command.code as integer) as code,
    command.elapsed_ns as elapsed_ns
from joined
order by cell, step_order, "order";

comment on table command is 'Every program that was run for a cell, one row each: to create, attach, detach or query an image. None where no program serves images';
comment on column command.step_order is 'Position, within the cell, of the step for which it was run (step."order")';
comment on column command."order" is 'Position among the programs of that step, from 1; in SQL "order" needs its double quotes';
comment on column command.step is 'Name of that step: create, attach, detach, ...';
comment on column command.program is 'Name of the program: hdiutil, diskutil, ...';
comment on column command.verb is 'Its arguments before the first option: attach, image attach, ...; null when there are none';
comment on column command.arguments is 'Its arguments, joined by spaces; <image>, <volume> and the like stand for paths; null when there were none';
comment on column command."end" is 'How it ended: exited (on its own), killed (by a signal), timed-out and stopped (ended by the harness), or not-started; in SQL "end" needs its double quotes';
comment on column command.code is 'Its exit code, or the signal that ended it; null otherwise';

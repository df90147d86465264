-- Warnings of records: the core's sentence, and a code for other tables. Older cores wrote sentences only, which are parsed
-- here alone (raw_warning: workflow/config/vocabulary.yaml).
create table warning as

with warnings as (
    select
        cell,
        unnest(warnings) as warning,
        generate_subscripts(warnings, 1) as "order",
        warning_codes
    from stg_record
)

select
    cell,
    cast("order" as integer) as "order",
    warning,
    coalesce(warning_codes["order"], (select min(code) from raw_warning where regexp_matches(warning, pattern))) as code
from warnings
order by cell, "order";

comment on table warning is 'What may have affected the figures of a cell, one row per warning';
comment on column warning.warning is 'The warning in words';
comment on column warning.code is 'What it is about: busy, battery, slept, ...; null for a warning of an older core that is not recognized';

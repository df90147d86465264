-- Some warnings of the core spoil one direction only. Its records have no field for them, so they are known by their
-- fixed words (core/src/conditions.rs).
create temp table stg_spoilt_read as

select
    cell,
    'read' as op,
    nullif(concat_ws('; ',
        case when bool_or(contains(warning, 'these reads may be memory''s')) then 'reads may have come from memory' end,
        case when bool_or(contains(warning, 'content was checked while reading')) then 'content was checked while reading' end
    ), '') as why
from warning
group by cell;

comment on table stg_spoilt_read is 'The cells with a warning, and whether it spoils their reads';
comment on column stg_spoilt_read.cell is 'Id of the cell';
comment on column stg_spoilt_read.op is 'Always read';
comment on column stg_spoilt_read.why is 'Why the reads may not be compared; null when no warning says so';

-- The published speeds, one row per direction. A direction without a figure has no row, unless the row belongs to a
-- table of the article or has no figure at all: then both directions are kept, with the reason.
create temp table stg_published_figure as

select
    * replace (
        if(op = 'write', coalesce(write_kind, kind), kind) as kind,
        if(op = 'write', coalesce(write_quote, quote), quote) as quote,
        if(if(op = 'write', write_gbps, read_gbps) is null, reason, null) as reason
    ),
    if(op = 'write', write_gbps, read_gbps) as gbps,
    if(op = 'write', write_gbps_to, read_gbps_to) as gbps_to,
    if(op = 'write', write_as_printed, read_as_printed) as as_printed
from published_speed
cross join (select unnest(['read', 'write']) as op)
where gbps is not null or table_name is not null or (read_gbps is null and write_gbps is null)
order by article, table_order, op;

-- The published speeds, one row per direction. A direction without a figure has no row, unless the row belongs to a
-- table of the article or has no figure at all: then its shape is kept and both directions stand there with the reason.
create temp table stg_published_figure as

with figures as (
    select
        *,
        'read' as op,
        read_gbps as gbps,
        read_gbps_to as gbps_to,
        read_as_printed as as_printed
    from published_speed
    union all
    select
        *,
        'write' as op,
        write_gbps as gbps,
        write_gbps_to as gbps_to,
        write_as_printed as as_printed
    from published_speed
)

select
    article,
    table_order,
    table_name,
    op,
    host,
    macos,
    storage,
    format,
    encryption,
    phase,
    condition,
    protocol,
    scale,
    tool,
    if(op = 'write', coalesce(write_kind, kind), kind) as kind,
    gbps,
    gbps_to,
    as_printed,
    unit_as_printed,
    second_hand,
    if(gbps is null, reason, null) as reason,
    if(op = 'write', coalesce(write_quote, quote), quote) as quote,
    source,
    note
from figures
where gbps is not null or table_name is not null or (read_gbps is null and write_gbps is null)
order by article, table_order, op;

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

comment on table stg_published_figure is 'The published speeds, one row per direction';
comment on column stg_published_figure.article is 'Slug of the article';
comment on column stg_published_figure.table_order is 'Position within the article';
comment on column stg_published_figure.table_name is 'Table of the article that the row belongs to';
comment on column stg_published_figure.op is 'read or write';
comment on column stg_published_figure.host is 'Slug of the Mac';
comment on column stg_published_figure.macos is 'Release of macOS';
comment on column stg_published_figure.storage is 'Slug of the storage';
comment on column stg_published_figure.format is 'Format of the disk image';
comment on column stg_published_figure.encryption is 'Encryption';
comment on column stg_published_figure.phase is 'Phase of the image';
comment on column stg_published_figure.condition is 'What else the article says about how it was measured';
comment on column stg_published_figure.protocol is 'Our protocol made from the method behind the figure';
comment on column stg_published_figure.scale is 'How much was written and read';
comment on column stg_published_figure.tool is 'Benchmark that gave the figure';
comment on column stg_published_figure.kind is 'exact, about, below, above or range';
comment on column stg_published_figure.gbps is 'Speed in GB/s; lower end of a range';
comment on column stg_published_figure.gbps_to is 'Upper end of a range in GB/s';
comment on column stg_published_figure.as_printed is 'The number exactly as printed';
comment on column stg_published_figure.unit_as_printed is 'Unit as printed';
comment on column stg_published_figure.second_hand is 'Whether the article only recalls the figure';
comment on column stg_published_figure.reason is 'Why there is no figure';
comment on column stg_published_figure.quote is 'Words of the article with the figure in them';
comment on column stg_published_figure.source is 'Address of the article';
comment on column stg_published_figure.note is 'Doubts about the row';

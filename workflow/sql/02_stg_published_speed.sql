-- data/published/speeds.csv, typed. Empty text means "not stated" and becomes null.
create temp table stg_published_speed as

select
    article,
    cast(table_order as integer) as table_order,
    nullif(table_name, '') as table_name,
    host,
    macos,
    storage,
    format,
    encryption,
    phase,
    nullif(condition, '') as condition,
    protocol,
    scale,
    tool,
    cast(nullif(read_gbps, '') as double) as read_gbps,
    cast(nullif(read_gbps_to, '') as double) as read_gbps_to,
    cast(nullif(write_gbps, '') as double) as write_gbps,
    cast(nullif(write_gbps_to, '') as double) as write_gbps_to,
    nullif(read_as_printed, '') as read_as_printed,
    nullif(write_as_printed, '') as write_as_printed,
    unit_as_printed,
    kind,
    nullif(write_kind, '') as write_kind,
    cast(second_hand as boolean) as second_hand,
    nullif(reason, '') as reason,
    quote,
    nullif(write_quote, '') as write_quote,
    place,
    source,
    nullif(note, '') as note
from raw_published_speed;

comment on table stg_published_speed is 'speeds.csv with types';
comment on column stg_published_speed.article is 'Slug of the article';
comment on column stg_published_speed.table_order is 'Position within the article';
comment on column stg_published_speed.table_name is 'Table of the article that the row belongs to';
comment on column stg_published_speed.host is 'Slug of the Mac';
comment on column stg_published_speed.macos is 'Release of macOS';
comment on column stg_published_speed.storage is 'Slug of the storage';
comment on column stg_published_speed.format is 'Format of the disk image';
comment on column stg_published_speed.encryption is 'Encryption';
comment on column stg_published_speed.phase is 'Phase of the image';
comment on column stg_published_speed.condition is 'What else the article says about how it was measured';
comment on column stg_published_speed.protocol is 'Our protocol made from the method behind the figure';
comment on column stg_published_speed.scale is 'How much was written and read, in our words';
comment on column stg_published_speed.tool is 'Benchmark that gave the figure';
comment on column stg_published_speed.read_gbps is 'Read speed in GB/s; lower end of a range';
comment on column stg_published_speed.read_gbps_to is 'Upper end of a range of read speeds in GB/s';
comment on column stg_published_speed.write_gbps is 'Write speed in GB/s; lower end of a range';
comment on column stg_published_speed.write_gbps_to is 'Upper end of a range of write speeds in GB/s';
comment on column stg_published_speed.read_as_printed is 'Read speed exactly as printed';
comment on column stg_published_speed.write_as_printed is 'Write speed exactly as printed';
comment on column stg_published_speed.unit_as_printed is 'Unit as printed';
comment on column stg_published_speed.kind is 'exact, about, below, above or range';
comment on column stg_published_speed.write_kind is 'Kind of the write speed where it is another one';
comment on column stg_published_speed.second_hand is 'Whether the article only recalls the figure';
comment on column stg_published_speed.reason is 'Why a figure is missing';
comment on column stg_published_speed.quote is 'Words of the article with the figure in them';
comment on column stg_published_speed.write_quote is 'Words with the write speed where they are others';
comment on column stg_published_speed.place is 'Section of the article and paragraph, or item of a list, where the quote stands';
comment on column stg_published_speed.source is 'Address of the article';
comment on column stg_published_speed.note is 'Doubts about the row';

-- data/published/sizes.csv, typed. Empty text means "not stated" and becomes null.
create temp table stg_published_size as

select
    article,
    cast(table_order as integer) as table_order,
    nullif(table_name, '') as table_name,
    host,
    macos,
    storage,
    format,
    encryption,
    quantity,
    state,
    nullif(condition, '') as condition,
    cast(nullif(value, '') as double) as value,
    unit,
    as_printed,
    kind,
    cast(second_hand as boolean) as second_hand,
    quote,
    place,
    source,
    nullif(note, '') as note
from raw_published_size;

comment on table stg_published_size is 'sizes.csv with types';
comment on column stg_published_size.article is 'Slug of the article';
comment on column stg_published_size.table_order is 'Position within the article';
comment on column stg_published_size.table_name is 'Table of the article that the row belongs to';
comment on column stg_published_size.host is 'Slug of the Mac';
comment on column stg_published_size.macos is 'Release of macOS';
comment on column stg_published_size.storage is 'Slug of the storage';
comment on column stg_published_size.format is 'Format of the disk image';
comment on column stg_published_size.encryption is 'Encryption';
comment on column stg_published_size.quantity is 'What was counted or measured';
comment on column stg_published_size.state is 'State of the image at that moment';
comment on column stg_published_size.condition is 'What else the article says about it';
comment on column stg_published_size.value is 'The number, in the unit as printed';
comment on column stg_published_size.unit is 'Unit as printed';
comment on column stg_published_size.as_printed is 'The number exactly as printed';
comment on column stg_published_size.kind is 'exact, about, below or above';
comment on column stg_published_size.second_hand is 'Whether the article only recalls the figure';
comment on column stg_published_size.quote is 'Words of the article with the number in them';
comment on column stg_published_size.place is 'Section of the article and paragraph, or item of a list, where the quote stands';
comment on column stg_published_size.source is 'Address of the article';
comment on column stg_published_size.note is 'Doubts about the row';

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

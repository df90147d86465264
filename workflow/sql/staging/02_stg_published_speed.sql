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

create table published_size as

select
    * exclude (second_hand, note, place) replace (cast(value as double) as value, cast(table_order as integer) as table_order),
    -- decimal units, as Finder and the articles use them; a count has no bytes
    cast(round(cast(value as double) * case unit when 'bytes' then 1 when 'MB' then 1e6 when 'GB' then 1e9 when 'TB' then 1e12 end) as bigint) as value_bytes,
    cast(second_hand as boolean) as second_hand,
    note,
    place
from raw_published_size
order by article, table_order;

comment on table published_size is 'Every size, count of bands and amount of free space that the articles state in their text, each with its quote';
comment on column published_size.quantity is 'What is meant: on-disk, nominal, free, reclaimed, band (its size), block, bands, capacity, files, files-total, files-left, files-deleted, smallest-file, largest-file, smallest-deleted-file, largest-deleted-file';
comment on column published_size.state is 'State of the image: new, partly-emptied, emptied, emptied-again, churned, compacted; "any" where it does not matter';
comment on column published_size.unit is 'Unit as printed: bytes, MB, GB, TB (decimal), bands or files';
comment on column published_size.value_bytes is 'The same in bytes; null for counts';
comment on column published_size.value is 'The number, in the unit as printed';
comment on column published_size.kind is 'How the number is meant: exact, about, below or above';

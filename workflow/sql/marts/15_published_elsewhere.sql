create table published_elsewhere as

select * replace (
    cast(published_on as date) as published_on,
    cast(read_gbps as double) as read_gbps,
    cast(write_gbps as double) as write_gbps,
    cast(source_order as integer) as source_order,
    cast(value as double) as value,
    cast(value_to as double) as value_to
)
from raw_published_elsewhere
order by published_on nulls last, source_id, source_order;

comment on table published_elsewhere is 'Figures of other publications that were read only in part (their opening) or second-hand (in a report by others); none of them is in article_table';
comment on column published_elsewhere.source_id is 'Short name of the publication';
comment on column published_elsewhere.title is 'Its title, or what it is';
comment on column published_elsewhere.published_on is 'Day of publication; null when it was not shown';
comment on column published_elsewhere.read_as is 'How it was read: opening (of the original only), or second-hand (a report by others)';
comment on column published_elsewhere.source_order is 'Position of the row within its publication, from 1';
comment on column published_elsewhere.quantity is 'speed where the row has speeds; else what value is: on-disk, nominal, files, files-total, or a share or factor';
comment on column published_elsewhere.unit is 'Unit of value';
comment on column published_elsewhere.op is 'Direction that value is about: read or write; else null';
comment on column published_elsewhere.write_as_printed is 'Write speed exactly as printed; appears in the quote';
comment on column published_elsewhere.value is 'The number, in unit, where it is not a speed; lower end of a range';

-- Figures of other articles, known from their openings or through others: to look at, never compared.
create table published_elsewhere as

select
    source_id,
    title,
    cast(published_on as date) as published_on,
    host,
    macos,
    storage,
    format,
    encryption,
    phase,
    condition,
    cast(read_gbps as double) as read_gbps,
    cast(write_gbps as double) as write_gbps,
    read_as_printed,
    write_as_printed,
    unit_as_printed,
    kind,
    tool,
    read_as,
    quote,
    source,
    note,
    cast(source_order as integer) as source_order,
    quantity,
    op,
    cast(value as double) as value,
    cast(value_to as double) as value_to,
    unit,
    as_printed
from raw_published_elsewhere
order by published_on nulls last, source_id, source_order;

comment on table published_elsewhere is 'Figures of other publications that were read only in part (their opening) or second-hand (in a report by others); none of them is in article_table';
comment on column published_elsewhere.source_id is 'Short name of the publication';
comment on column published_elsewhere.title is 'Its title, or what it is';
comment on column published_elsewhere.published_on is 'Day of publication; null when it was not shown';
comment on column published_elsewhere.host is 'Slug of the Mac; "unstated" where it is not known';
comment on column published_elsewhere.macos is 'Release of macOS; "unstated" where it is not known';
comment on column published_elsewhere.storage is 'Slug of the disk; "unstated" where it is not known';
comment on column published_elsewhere.format is 'native (no image), UDRW, UDSP, UDSB, ASIF, VM, "any" or "unstated"';
comment on column published_elsewhere.encryption is 'none, AES-256, FileVault, APFS (a volume), "any" or "unstated"';
comment on column published_elsewhere.condition is 'What else is known about it';
comment on column published_elsewhere.read_gbps is 'Read speed in GB/s (decimal); null where none is stated';
comment on column published_elsewhere.write_gbps is 'Write speed in GB/s (decimal); null where none is stated';
comment on column published_elsewhere.read_as_printed is 'Read speed exactly as printed; appears in the quote';
comment on column published_elsewhere.write_as_printed is 'Write speed exactly as printed; appears in the quote';
comment on column published_elsewhere.unit_as_printed is 'Unit of the speeds as printed: GB/s or MB/s';
comment on column published_elsewhere.kind is 'How the number is meant: exact, about, below, above, or range';
comment on column published_elsewhere.tool is 'Benchmark that gave the figure';
comment on column published_elsewhere.read_as is 'How it was read: opening (of the original only), or second-hand (a report by others)';
comment on column published_elsewhere.quote is 'Exact words of the publication that state the figures';
comment on column published_elsewhere.source is 'Address where it was read';
comment on column published_elsewhere.source_order is 'Position of the row within its publication, from 1';
comment on column published_elsewhere.quantity is 'speed where the row has speeds; else what value is: on-disk, nominal, files, files-total, or a share or factor';
comment on column published_elsewhere.op is 'Direction that value is about: read or write; else null';
comment on column published_elsewhere.value is 'The number, in unit, where it is not a speed; lower end of a range';
comment on column published_elsewhere.value_to is 'Upper end of a range; else null';
comment on column published_elsewhere.unit is 'Unit of value';
comment on column published_elsewhere.as_printed is 'value exactly as printed; appears in the quote';

-- Every read and write speed that the articles state in their text.
create table published_speed as

select
    article,
    host,
    macos,
    storage,
    format,
    encryption,
    phase,
    condition,
    read_gbps,
    write_gbps,
    quote,
    source,
    table_order,
    kind,
    read_gbps_to,
    write_gbps_to,
    read_as_printed,
    write_as_printed,
    unit_as_printed,
    protocol,
    scale,
    tool,
    second_hand,
    reason,
    note
from stg_published_speed
order by article, table_order;

comment on table published_speed is 'Every read and write speed that the articles state in their text, one row per measurement, each with its quote';
comment on column published_speed.article is 'Slug of the article (table article)';
comment on column published_speed.host is 'Slug of the Mac, such as mac-mini-m4-pro; "unstated" where the article does not say';
comment on column published_speed.macos is 'Release of macOS, such as 26.3.1; "unstated" where the article does not say';
comment on column published_speed.storage is 'internal, usb4-980pro, or "unstated"';
comment on column published_speed.format is 'native (no image), UDRW, UDSP, UDSB, ASIF, VM (a guest''s disk), or "unstated"';
comment on column published_speed.encryption is 'none, AES-128, AES-256, FileVault, APFS, or "unstated"';
comment on column published_speed.phase is 'State of the image: fresh, partly-filled, emptied, or "unstated"';
comment on column published_speed.condition is 'What else the article says about how it was measured';
comment on column published_speed.read_gbps is 'Read speed in GB/s (decimal); lower end of a range; null where none is stated';
comment on column published_speed.write_gbps is 'Write speed in GB/s (decimal); lower end of a range; null where none is stated';
comment on column published_speed.quote is 'Words of the article, exactly, with the figures in them';
comment on column published_speed.source is 'Address of the article';
comment on column published_speed.table_order is 'Position of the row within its article, from 1';
comment on column published_speed.kind is 'How the number is meant: exact, about, below, above, or range';
comment on column published_speed.read_gbps_to is 'Upper end of a range of read speeds, GB/s; else null';
comment on column published_speed.write_gbps_to is 'Upper end of a range of write speeds, GB/s; else null';
comment on column published_speed.read_as_printed is 'Read speed exactly as printed; stands in the quote';
comment on column published_speed.write_as_printed is 'Write speed exactly as printed; stands in the quote';
comment on column published_speed.unit_as_printed is 'Unit as printed: GB/s or MB/s';
comment on column published_speed.protocol is 'Our protocol made from the method behind the figure; "unstated" where the method is not given';
comment on column published_speed.scale is 'How much was written and read, in our words: gold, half, tenth; "unstated" where it is not given';
comment on column published_speed.tool is 'Benchmark that gave the figure';
comment on column published_speed.second_hand is 'True when the article only recalls the figure from earlier or elsewhere';
comment on column published_speed.reason is 'Why the row has no figure at all; null where it has one';
comment on column published_speed.note is 'Doubts and deductions about the row; null when there are none';

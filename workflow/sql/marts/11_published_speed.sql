create table published_speed as

select * replace (
    cast(read_gbps as double) as read_gbps,
    cast(write_gbps as double) as write_gbps,
    cast(table_order as integer) as table_order,
    cast(read_gbps_to as double) as read_gbps_to,
    cast(write_gbps_to as double) as write_gbps_to,
    cast(second_hand as boolean) as second_hand
)
from raw_published_speed
order by article, table_order;

comment on table published_speed is 'Every read and write speed that the articles state in their text, one row per measurement, each with its quote; and the rows of the articles'' tables whose figures are not in the text, with the reason';
comment on column published_speed.read_gbps_to is 'Upper end of a range of read speeds, GB/s; else null';
comment on column published_speed.write_gbps_to is 'Upper end of a range of write speeds, GB/s; else null';
comment on column published_speed.protocol is 'Our protocol made from the method behind the figure; "unstated" where the method is not given';
comment on column published_speed.scale is 'How much was written and read, in our words: gold, half, tenth; "unstated" where it is not given';
comment on column published_speed.write_kind is 'How the write speed is meant where that differs from kind; else null';
comment on column published_speed.write_quote is 'Words of the article with the write speed where a sentence other than quote states it; else null';
comment on column published_speed.reason is 'Why a direction has no figure, where the row has none at all or belongs to a table; else null';
comment on column published_speed.quote is 'Exact words of the article that state the figures; where the row has none, the words that show that it exists';
comment on column published_speed.write_as_printed is 'Write speed exactly as printed; appears in the quote, or in write_quote where there is one';

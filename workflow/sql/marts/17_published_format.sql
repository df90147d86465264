create table published_format as

select * replace (cast(table_order as integer) as table_order, cast(supported as boolean) as supported)
from raw_published_format
order by article, table_order;

comment on table published_format is 'The formats of disk images that the articles list, supported or not, one row per article and format';
comment on column published_format.format is 'Code of the format; the one that hdiutil accepts, where it accepts the format';
comment on column published_format.since is 'First release of macOS with it, as printed; null where the list does not say';
comment on column published_format.sparse_since is 'First release that stores it as a sparse file, as printed; null where the list does not say';
comment on column published_format.supported is 'Whether the article lists it as supported';
comment on column published_format.description is 'What the list says about it, after the code';

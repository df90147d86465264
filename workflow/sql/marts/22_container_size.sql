create table container_size as

select * exclude (volume_free_bytes) replace (cast("order" as integer) as "order"), volume_free_bytes
from (select cell, unnest(sizes, recursive := true), generate_subscripts(sizes, 1) as "order" from stg_record)
-- where the compaction failed, the size after it is not one of a compacted image
where not (state = 'compacted' and cell in (select cell from warning where code = 'not-compacted'))
order by cell, "order";

comment on table container_size is 'Allocated and apparent size of the image, one row per size measurement; without those after a compaction that failed';
comment on column container_size.state is 'State of the image at that moment, as the protocol names it: new, filled, partly-emptied, emptied, ...';
comment on column container_size.allocated_bytes is 'Allocated size of the image in bytes';
comment on column container_size.apparent_bytes is 'Apparent size of the image in bytes (its length); driver portable lets an attached one grow in steps of 64 MiB';
comment on column container_size.bands is 'Bands of a sparse bundle or sparse image, or chunks of an ASIF image, that are in use; null for formats without, and where they were not counted';
comment on column container_size.free_bytes is 'Free bytes on the disk that holds the image or the files';
comment on column container_size.volume_free_bytes is 'Free bytes on the image''s own volume when it was last attached; null when unknown, and without an image';

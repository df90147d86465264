create table sample as

select * replace (cast("order" as integer) as "order", cast("set" as integer) as "set")
from (select cell, unnest(samples, recursive := true) from stg_record)
order by cell, op, "order";

comment on table sample is 'One row per file that was written or read: what every speed is computed from';
comment on column sample."order" is 'Position of the file among those of its cell and direction, from 1, counted through all rounds; in SQL "order" needs its double quotes';
comment on column sample.elapsed_ns is 'Time of one file in nanoseconds, between opening and closing it. Writing: from just before its first block to the return of the flush that the cell''s durability asks for. Reading: from just before its first block to just after its last. In an image of driver portable, finding the file''s place stands for opening it, and the flush covers all that the file changed in the image, the volume''s table of files included; size_bytes / elapsed_ns is GB/s';
comment on column sample.slept is 'True when the machine slept meanwhile; such a file is left out of every speed';

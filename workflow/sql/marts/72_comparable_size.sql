-- Sizes of images that macOS itself made on Macs, and that may stand beside those of the articles; the counterpart of
-- comparable_speed. Scale counts, because it is how much was written; what spoils speeds (warm reads, sleep) does not.
create view comparable_size as

select
    size.*,
    cell.host,
    cell.release,
    cell.protocol,
    cell.scale,
    cell.storage,
    cell.driver,
    cell.format,
    cell.encryption,
    cell.band_bytes,
    cell.repeat,
    cell.phase,
    cell.nominal_bytes,
    cell.started_utc,
    host.made_up,
    host.vouched_by
from container_size as size
inner join cell using (cell)
inner join host using (host, release)
where cell.scale <> 'smoke'
    and not cell.stand_in
    and lower(cell.os_name) = 'macos'
    and cell.driver = 'apple'
    and cell.storage in (select storage from published_speed);

comment on view comparable_size is 'Sizes of images that macOS made on a Mac and that may be compared with what the articles state: the rows of container_size except those of smoke scale, other systems, drivers and storage, and stand-ins. Synthetic records are marked (made_up)';
comment on column comparable_size.state is 'State of the image at that moment, as the protocol names it: new, filled, partly-emptied, emptied, ...';
comment on column comparable_size.allocated_bytes is 'Allocated size of the image in bytes';
comment on column comparable_size.apparent_bytes is 'Apparent size of the image in bytes (its length)';
comment on column comparable_size.bands is 'Bands of a sparse bundle or sparse image, or chunks of an ASIF image, that hold something; null for formats without, and where they were not counted';
comment on column comparable_size.free_bytes is 'Free bytes on the disk that holds the image or the files';
comment on column comparable_size."order" is 'Position among the size measurements of the cell, from 1';
comment on column comparable_size.volume_free_bytes is 'Free bytes on the image''s own volume when it was last attached; null when unknown, and without an image';
comment on column comparable_size.host is 'Slug of the machine that was measured';
comment on column comparable_size.release is 'OS name or version with its build, as in the path of the record';
comment on column comparable_size.protocol is 'The steps that were done: usage-phases, remounted, as-created, churn or restart';
comment on column comparable_size.scale is 'How much was written: gold 53.3 GB a pass, half, tenth, or smoke (0.27 GB, which only tests the software)';
comment on column comparable_size.storage is 'Slug of the storage that was measured';
comment on column comparable_size.driver is 'What served the image: apple, portable (our own), or native (no image)';
comment on column comparable_size.format is 'native (no image), UDRW, UDSP, UDSB, ASIF or VM';
comment on column comparable_size.band_bytes is 'Bytes of a band, or of a block of ASIF, as the study requests them; null: the format''s own size. An image with bands or blocks of another size is another image: no pair compares two sizes';
comment on column comparable_size.phase is 'State of the image when it was measured: fresh, partly-filled or emptied';
comment on column comparable_size.nominal_bytes is 'Nominal size of the image in bytes';
comment on column comparable_size.started_utc is 'When the cell started, UTC';
comment on column comparable_size.made_up is 'True when its records are synthetic, and no results (host.made_up)';
comment on column comparable_size.vouched_by is 'Who vouches for its records: own, community or hosted runner (host.vouched_by)';

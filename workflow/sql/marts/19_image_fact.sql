create table image_fact as

select
    cell,
    fact,
    to_json(image.requested) ->> fact as requested,
    to_json(image.effective) ->> fact as effective
from (select cell, image, unnest(json_keys(to_json(image.requested))) as fact from stg_record where image is not null)
order by cell, fact;

comment on table image_fact is 'Properties of each image: one row per cell and property, as requested and as read back from the image itself before timing starts. A cell whose image differs from its request fails; older records have no rows';
comment on column image_fact.fact is 'on_image (the files lie on a disk image), format, encrypted (without an image: FileVault encrypts the disk), cipher, key_bits, band_bytes (or bytes of a chunk of ASIF), sector_bytes, nominal_bytes (length of the disk; a difference of less than 4096 bytes does not count, since images are made of whole pages) or file_system (diskbench: the table of files of our own images)';
comment on column image_fact.requested is 'What the cell requests, as text; null: it does not say';
comment on column image_fact.effective is 'Value read back from the image, or from the system for the attached image, as text; null where it cannot be read, which does not count as equal';

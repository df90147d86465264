-- What each image is, as requested and as read back from the image itself before a byte was timed.
create table image_fact as

with facts as (
    select
        cell,
        unnest([
            {'fact': 'on_image', 'requested': cast(image.requested.on_image as varchar), 'effective': cast(image.effective.on_image as varchar)},
            {'fact': 'format', 'requested': cast(image.requested.format as varchar), 'effective': cast(image.effective.format as varchar)},
            {'fact': 'encrypted', 'requested': cast(image.requested.encrypted as varchar), 'effective': cast(image.effective.encrypted as varchar)},
            {'fact': 'cipher', 'requested': cast(image.requested.cipher as varchar), 'effective': cast(image.effective.cipher as varchar)},
            {'fact': 'key_bits', 'requested': cast(image.requested.key_bits as varchar), 'effective': cast(image.effective.key_bits as varchar)},
            {'fact': 'band_bytes', 'requested': cast(image.requested.band_bytes as varchar), 'effective': cast(image.effective.band_bytes as varchar)},
            {'fact': 'sector_bytes', 'requested': cast(image.requested.sector_bytes as varchar), 'effective': cast(image.effective.sector_bytes as varchar)},
            {'fact': 'nominal_bytes', 'requested': cast(image.requested.nominal_bytes as varchar), 'effective': cast(image.effective.nominal_bytes as varchar)},
            {'fact': 'file_system', 'requested': cast(image.requested.file_system as varchar), 'effective': cast(image.effective.file_system as varchar)}
        ]) as image
    from stg_record
    where image is not null
)

select
    cell,
    image.fact as fact,
    image.requested as requested,
    image.effective as effective
from facts
order by cell, fact;

comment on table image_fact is 'Properties of each image: one row per cell and property, as requested and as read back from the image itself before timing starts. A cell whose image differs from its request fails; older records have no rows';
comment on column image_fact.fact is 'on_image (the files lie on a disk image), format, encrypted (without an image: FileVault encrypts the disk), cipher, key_bits, band_bytes (or bytes of a chunk of ASIF), sector_bytes, nominal_bytes (length of the disk; a difference of less than 4096 bytes does not count, since images are made of whole pages) or file_system (diskbench: the table of files of our own images)';
comment on column image_fact.requested is 'What the cell requests, as text; null: it does not say';
comment on column image_fact.effective is 'Value read back from the image, or from the system for the attached image, as text; null where it cannot be read, which does not count as equal';

-- The device of each storage slug; if records differ, the latest counts.
create table storage_device as

with latest as (
    select
        description.host as host,
        description.release as release,
        description.storage as storage,
        max_by(record.host.storage, (started_utc, cell)) as facts
    from stg_record as record
    group by all
)

select
    host,
    release,
    storage,
    facts.*
from latest
order by host, release, storage;

comment on table storage_device is 'The device of each storage, one row per host, OS release and storage; null where something is not known';
comment on column storage_device.device_model is 'Model of the device';
comment on column storage_device.bus is 'How it is attached';
comment on column storage_device.solid_state is 'True for a solid-state device';
comment on column storage_device.size_bytes is 'Capacity in bytes';
comment on column storage_device.file_system is 'File system that holds the files or images';
comment on column storage_device.encryption is 'Encryption of that file system';
comment on column storage_device.description is 'Description from the study''s config; null when there is none';

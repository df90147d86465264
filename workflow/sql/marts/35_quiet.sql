create table quiet as

select
    cell,
    quiet.*
from stg_record
where quiet is not null
order by cell;

comment on table quiet is 'Effective noise suppression (what kept other programs from disturbing the measurement), one row per cell for which any was tried; null where a measure was not tried, or its effect is not known';
comment on column quiet.sleep_prevented is 'Whether the machine was kept from sleeping while idle';
comment on column quiet.qos_class is 'Quality of service of the thread that measures, such as user-initiated';
comment on column quiet.io_policy is 'I/O policy of the process, such as important';
comment on column quiet.indexing_off is 'Whether Spotlight indexing was turned off when the image''s volume was mounted; not known in the first mount of an image';
comment on column quiet.event_log_off is 'Whether the log of file system changes (fseventsd) was turned off when the image''s volume was mounted; not known in the first mount of an image';
comment on column quiet.backup_off is 'Whether the image, or the folder of native files, was excluded from Time Machine backups';

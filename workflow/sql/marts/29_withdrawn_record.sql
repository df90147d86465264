create table withdrawn_record as

select
    record,
    sha256,
    cast("day" as date) as withdrawn_on,
    reason
from raw_withdrawn_record
order by "day", record;

comment on table withdrawn_record is 'Records that were withdrawn after they were published (data/withdrawn.csv): they are in no other table';
comment on column withdrawn_record.record is 'Path of the record below data/runs';
comment on column withdrawn_record.sha256 is 'SHA-256 of its file';
comment on column withdrawn_record.withdrawn_on is 'Day on which it was withdrawn';
comment on column withdrawn_record.reason is 'Why it was withdrawn';

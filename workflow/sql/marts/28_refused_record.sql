create table refused_record as

from raw_refused_record
order by path;

comment on table refused_record is 'Records that were found in data/runs but not loaded; empty when all is well';
comment on column refused_record.path is 'Path of the record below data/runs';
comment on column refused_record.reason is 'What is wrong with it and what to do';

create table step as

select * exclude (commands, serving)
from stg_step
order by cell, "order";

comment on table step is 'The steps of the protocol as they were done, one row each';
comment on column step.step is 'Name of the step as in a protocol, such as create, write or compact';
comment on column step.note is 'What was special about it; null when nothing was';

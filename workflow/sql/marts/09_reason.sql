create table reason as

from raw_reason
order by code;

comment on table reason is 'The meaning of each reason code: why figures may not be compared, or were not';
comment on column reason.code is 'The code, as in measured_speed.why_not_comparable, article_table.reasons, ...';
comment on column reason.words is 'What it means, as a part of a sentence';
comment on column reason.few is 'The same in few words; {column} stands for the value of that column of the row';

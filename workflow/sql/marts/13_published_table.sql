create table published_table as

select * replace (cast(table_number as integer) as table_number, cast(picture as boolean) as picture)
from raw_published_table
order by article, table_number;

comment on table published_table is 'Each table that an article has: its rows are those of published_speed and published_size with the same article and table_name';
comment on column published_table.table_name is 'Name of the table, as the text names the picture, such as diskimage00; else in our words';
comment on column published_table.table_number is 'Position of the table within its article, from 1';
comment on column published_table.title is 'What the table shows, in our words';
comment on column published_table.picture is 'True when the table is a picture, so that only what the text repeats of it is known';
comment on column published_table.shape is 'stated: the text gives the rows; inferred from the text: the table is a picture, and its rows are those that the text mentions';
comment on column published_table.same_as is 'The table that this one reprints, as article/table_name: that table has the rows; else null';
comment on column published_table.quote is 'Exact words of the article that name the table or begin it';

create table published_figure as

select * replace (
    cast(table_order as integer) as table_order,
    cast(value as double) as value,
    cast(value_to as double) as value_to,
    cast(second_hand as boolean) as second_hand
)
from raw_published_figure
order by article, table_order;

comment on table published_figure is 'Every other number that the articles state, bounds kept as bounds, each with its quote';
comment on column published_figure.quantity is 'What the number is: speed (a bound, range or rating), share or times (of the speed of what it is compared with), difference, cpu (of one core), cores, memory, sets, tests, images, bands, blocks, wait, age, year, version, capacity';
comment on column published_figure.unit is 'Unit of value; "times" is a factor, so that "half" is 0.5 times';
comment on column published_figure.compared_with is 'What a share, factor or difference is measured against';
comment on column published_figure.op is 'read or write; null where it is about both or neither';
comment on column published_figure.value is 'The number, in its unit; lower end of a range';

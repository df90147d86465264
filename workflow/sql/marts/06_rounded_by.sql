-- How far rounding may have moved a printed number, as a share of it: half a unit of its last digit. 0.5 for 1, 0.05 for 1.0.
create macro rounded_by(printed) as
    0.5 / (pow(10, len(split_part(replace(printed, ',', '.'), '.', 2))) * cast(replace(printed, ',', '.') as double));

comment on macro rounded_by is 'How far rounding may have moved a printed number, as a share of it: half a unit of its last digit';

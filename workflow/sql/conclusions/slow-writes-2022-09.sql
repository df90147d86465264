-- Images of any type are for reading only, until writing becomes faster.
select
    'published' as basis,
    cast(null as varchar) as host,
    cast(null as varchar) as release,
    'undecided' as outcome,
    'no figure decides this' as detail

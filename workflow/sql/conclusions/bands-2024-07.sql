-- A sparse bundle should not have more than 100,000 bands.
select
    'published' as basis,
    cast(null as varchar) as host,
    cast(null as varchar) as release,
    'undecided' as outcome,
    'no figure decides this' as detail

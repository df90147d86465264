-- ASIF images can be stored on networks and other file systems.
select
    'published' as basis,
    cast(null as varchar) as host,
    cast(null as varchar) as release,
    'undecided' as outcome,
    'no figure decides this' as detail

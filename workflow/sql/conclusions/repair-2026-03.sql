-- Attach a broken image without verifying or mounting it, then check its file system.
select
    'published' as basis,
    cast(null as varchar) as host,
    cast(null as varchar) as release,
    'undecided' as outcome,
    'no figure decides this' as detail

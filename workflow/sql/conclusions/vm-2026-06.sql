-- A virtual machine without FileVault is open to whoever gets hold of it.
select
    'published' as basis,
    cast(null as varchar) as host,
    cast(null as varchar) as release,
    'undecided' as outcome,
    'no figure decides this' as detail

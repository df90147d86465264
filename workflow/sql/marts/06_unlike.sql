-- The differences in how two speeds were measured (stg_method.method), as codes (table reason); null without differences.
-- Unknown values do not count as different.
create macro unlike(one, other) as codes([
    case when one.epoch <> other.epoch then 'other-epoch' end,
    case when one.chip <> other.chip then 'other-chip' end,
    case when one.machine <> other.machine then 'other-machine' end,
    -- of two disks of one capacity, model or way of attachment may be known
    case when one.disk <> other.disk or one.disk_model <> other.disk_model or one.disk_bus <> other.disk_bus then 'other-disk' end,
    case when one.file_system <> other.file_system then 'other-file-system' end,
    case when one.disk_encryption <> other.disk_encryption then 'other-encryption' end,
    case when one.guest <> other.guest then 'other-guest' end,
    case when one.cache <> other.cache then 'other-cache' end,
    case when one.durability <> other.durability then 'other-durability' end,
    case when one.block_bytes <> other.block_bytes then 'other-blocks' end,
    case when one.sets <> other.sets then 'other-sets' end
]);

comment on macro unlike is 'What differs between how two speeds were measured, as codes (table reason); null where nothing does';

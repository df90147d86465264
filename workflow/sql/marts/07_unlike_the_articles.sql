-- How the measurement `one` differs from the articles', as codes; null without differences. study.yaml has the reasons for the
-- assumed cache mode and durability. `chip`, `disk` and `disk_encryption` are the article's chip, and the capacity and encryption
-- of its disk (article_disks); guests are compared with section Methods of vm-2026 (data/published/figures.csv).
-- Their disks count as APFS, which macOS has used for SSDs since 10.13. Other properties of the articles are unknown.
create macro unlike_the_articles(one, chip, disk, disk_encryption) as codes(list_append(
    unlike(one, {
        'epoch': one.epoch,
        'chip': chip,
        'machine': one.machine,
        'disk': disk,
        'disk_model': one.disk_model,
        'disk_bus': one.disk_bus,
        'file_system': 'apfs',
        'disk_encryption': nullif(disk_encryption, 'unstated'),
        'guest': case when one.guest is not null then '5 cores, 16 GB' end,
        'cache': 'none',
        'durability': 'fsync',
        'block_bytes': 1048576,
        'sets': one.sets
    }),
    case when disk_encryption = 'unstated' and one.disk_encryption <> 'none' then 'encryption-unstated' end
));

comment on macro unlike_the_articles is 'What differs between how a speed was measured and how the articles measured theirs, as codes (table reason); null where nothing does';

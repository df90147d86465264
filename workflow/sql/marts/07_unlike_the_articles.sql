-- What differs between how `one` was measured and how the articles did, as codes; null where nothing does. study.yaml says
-- why this cache mode and durability stand for theirs. Their chip is `chip`, the capacity of their disk `disk`; their guests had what vm-2026 says in its
-- section Methods (workflow/config/protocols/restart.yaml). Of the rest they differ by nothing.
create macro unlike_the_articles(one, chip, disk) as unlike(one, {
    'epoch': one.epoch,
    'chip': chip,
    'machine': one.machine,
    'disk': disk,
    'guest': case when one.guest is not null then '5 cores, 16 GB' end,
    'cache': 'none',
    'durability': 'fsync',
    'block_bytes': 1048576,
    'sets': one.sets
});

comment on macro unlike_the_articles is 'What differs between how a speed was measured and how the articles measured theirs, as codes (table reason); null where nothing does';

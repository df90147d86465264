-- What differs, in words, between how `one` was measured and how the articles did; null where nothing does. study.yaml says
-- why this cache mode and durability stand for theirs. Their chip is `chip`; of the rest they differ by nothing.
create macro unlike_the_articles(one, chip) as concat('measured and published ') || unlike(one, {
    'epoch': one.epoch,
    'chip': chip,
    'cache': 'none',
    'durability': 'fsync',
    'block_bytes': 1048576,
    'sets': one.sets
});

comment on macro unlike_the_articles is 'In words what differs between how a speed was measured and how the articles measured theirs; null where nothing does';

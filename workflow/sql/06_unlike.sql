-- What differs, in words, between how two speeds were measured (stg_method.method); null where nothing does. What is not
-- known of one of them differs from nothing.
create macro unlike(one, other) as nullif(concat_ws('; ',
    case when one.epoch <> other.epoch then concat('measured with the harness of epoch ', one.epoch, ' and of epoch ', other.epoch) end,
    case when one.chip <> other.chip then concat('on chips ', one.chip, ' and ', other.chip) end,
    case when one.guest <> other.guest then concat('in guests with ', one.guest, ' and with ', other.guest) end,
    case when one.cache <> other.cache then concat('in cache modes ', one.cache, ' and ', other.cache) end,
    case when one.durability <> other.durability then concat('with durability ', one.durability, ' and ', other.durability) end,
    case when one.block_bytes <> other.block_bytes then concat('in blocks of ', one.block_bytes, ' and of ', other.block_bytes, ' bytes') end,
    case when one.sets <> other.sets then concat('with ', one.sets, ' and ', other.sets, ' sets of files') end
), '');

comment on macro unlike is 'In words what differs between how two speeds were measured; null where nothing does';

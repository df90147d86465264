-- Measured cells of one image with and without encryption, by run: pairs of cells that are otherwise equal (host, release,
-- storage, driver, protocol, scale, format, bands, repeat and phase). All runs of a series that count are comparable, or none is
-- (stg_method); but those of some repeats may be of two nights.
create temp table stg_encryption_pair as

-- without native files of another disk than the internal one, whose encryption is part of the method
with cells as (
    from stg_method
    where counts and (format <> 'native' or storage = 'internal')
),

pairs as (
    select
        coded.host,
        coded.release,
        coded.storage,
        coded.driver,
        coded.protocol,
        coded.scale,
        coded.format,
        coded.band_bytes,
        coded.encryption,
        coded.repeat,
        coded.phase,
        coded.op,
        plain.theil_sen_gbps as plain_gbps,
        coded.theil_sen_gbps as encrypted_gbps,
        plain.files as plain_files,
        coded.files as encrypted_files,
        plain.cell as plain_cell,
        coded.cell as encrypted_cell,
        coalesce(
            codes(flatten([
                plain.why_not_comparable,
                coded.why_not_comparable,
                unlike(plain.method, coded.method),
                case when not same_night(plain.started_utc, coded.started_utc) then ['other-night'] end
            ])),
            case when plain.depends or coded.depends then ['statistics-differ'] end
        ) as why_not_comparable,
        concat_ws(' ', coded.host, coded.release, coded.storage, coded.protocol, coded.scale, coded.op) as family,
        concat_ws(' ', coded.series, coded.op) as item,
        ln(coded.theil_sen_gbps / plain.theil_sen_gbps) as value
    from cells as coded
    inner join cells as plain
        using (host, release, storage, driver, protocol, scale, format, repeat, phase, op)
    where coded.encryption <> 'none' and plain.encryption = 'none'
        -- null means the default size; `using` would not join nulls
        and plain.band_bytes is not distinct from coded.band_bytes
)

select * replace (concat_ws(' ', why_not_comparable is null, family) as family)
from pairs
-- only comparable repeats, if any
qualify why_not_comparable is null or not bool_or(why_not_comparable is null) over (partition by item)
order by encrypted_cell, op;

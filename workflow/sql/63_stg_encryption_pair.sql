-- Measured cells of one image with and without encryption, run by run: two cells that differ in nothing else (host, release,
-- storage, driver, protocol, scale, format, bands, repeat and phase are the same). Of a pair whose repeats may be compared in
-- part, those that may are the only ones.
create temp table stg_encryption_pair as

with measured as (
    select
        speed.*,
        cell.series,
        stg_method.method
    from measured_speed as speed
    inner join cell using (cell)
    inner join stg_method using (cell, op)
    where stg_method.counts
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
        codes(list_concat(list_concat(plain.why_not_comparable, coded.why_not_comparable), unlike(plain.method, coded.method))) as why_not_comparable,
        concat_ws(' ', coded.host, coded.release, coded.storage, coded.protocol, coded.scale, coded.op) as family,
        concat_ws(' ', coded.series, coded.op) as item,
        ln(coded.theil_sen_gbps / plain.theil_sen_gbps) as value
    from measured as coded
    inner join measured as plain
        using (host, release, storage, driver, protocol, scale, format, repeat, phase, op)
    -- null is the format's own size of bands, which `using` would never pair
    where coded.encryption <> 'none' and plain.encryption = 'none' and plain.band_bytes is not distinct from coded.band_bytes
)

select *
from pairs
qualify (why_not_comparable is null) = bool_or(why_not_comparable is null) over (partition by item)
order by encrypted_cell, op;

comment on table stg_encryption_pair is 'Measured cells of one image with and without encryption, one row per run and direction';
comment on column stg_encryption_pair.host is 'Slug of the machine';
comment on column stg_encryption_pair.release is 'OS release';
comment on column stg_encryption_pair.storage is 'Slug of the storage';
comment on column stg_encryption_pair.driver is 'Who served the image';
comment on column stg_encryption_pair.protocol is 'The steps that were done';
comment on column stg_encryption_pair.scale is 'How much was written';
comment on column stg_encryption_pair.format is 'Format of the image';
comment on column stg_encryption_pair.band_bytes is 'Bytes of a band, where not the format''s own';
comment on column stg_encryption_pair.encryption is 'Encryption of the second';
comment on column stg_encryption_pair.repeat is 'Number of the repeat';
comment on column stg_encryption_pair.phase is 'State of the image';
comment on column stg_encryption_pair.op is 'read or write';
comment on column stg_encryption_pair.plain_gbps is 'Headline speed without encryption';
comment on column stg_encryption_pair.encrypted_gbps is 'Headline speed with it';
comment on column stg_encryption_pair.plain_files is 'Files behind the first';
comment on column stg_encryption_pair.encrypted_files is 'Files behind the second';
comment on column stg_encryption_pair.plain_cell is 'Id of the cell without';
comment on column stg_encryption_pair.encrypted_cell is 'Id of the cell with encryption';
comment on column stg_encryption_pair.why_not_comparable is 'Why the two may not be compared';
comment on column stg_encryption_pair.family is 'Pairs that share what they know of how much runs differ';
comment on column stg_encryption_pair.item is 'The encrypted image without its repeat';
comment on column stg_encryption_pair.value is 'Logarithm of encrypted / plain';

-- Read and write speed side by side, published and measured alike, so that one query can ask the same of both.
--
-- Measured: the median of the repeats' headlines (Theil-Sen), only what is comparable, of macOS's own images or of no image,
-- of bands of the format's own size. Published: what an article prints of one cell, ranges and other tools left out.
create table speed_pair as

with published as (
    select
        'published' as basis,
        article,
        host,
        macos as release,
        storage,
        cast(null as varchar) as setup,
        phase,
        format,
        encryption,
        max(gbps) filter (where op = 'read') as read_gbps,
        max(gbps) filter (where op = 'write') as write_gbps,
        count(distinct table_order) as cells,
        bool_or(second_hand) as second_hand
    from stg_published_figure
    where gbps is not null and kind <> 'range' and tool = 'Stibium' and not (scale = 'tenth')
    group by all
),

measured as (
    select
        'measured' as basis,
        cast(null as varchar) as article,
        host,
        release,
        storage,
        concat(protocol, ', ', scale) as setup,
        phase,
        format,
        encryption,
        median(theil_sen_gbps) filter (where op = 'read') as read_gbps,
        median(theil_sen_gbps) filter (where op = 'write') as write_gbps,
        count(distinct cell) as cells,
        false as second_hand
    from measured_speed
    where comparable and driver <> 'portable' and band_bytes is null
    group by all
),

chips as (
    select
        host,
        release,
        trim(replace(chip, '(Virtual)', '')) as chip
    from host
)

select
    published.basis,
    published.article,
    published.host,
    published.release,
    published_host.chip,
    published.* exclude (basis, article, host, release)
from published
left join published_host using (host)
union all
select
    measured.basis,
    measured.article,
    measured.host,
    measured.release,
    chips.chip,
    measured.* exclude (basis, article, host, release)
from measured
left join chips using (host, release)
order by basis desc, article, host, release, storage, setup, format, encryption, phase;

comment on table speed_pair is 'Read and write speed side by side, published and measured alike: what the conclusions of the articles are asked of. Measured ones are the medians of the repeats'' headlines, only of comparable cells of macOS itself or of no image; published ones as printed, without ranges, other tools and one-tenth runs';
comment on column speed_pair.basis is 'published or measured';
comment on column speed_pair.article is 'Slug of the article with the figures; null for measured ones';
comment on column speed_pair.host is 'Slug of the machine';
comment on column speed_pair.release is 'Release of macOS as published, or OS release as in the path of the record';
comment on column speed_pair.chip is 'Its chip, of a guest that beneath it: by this a guest is found to a Mac; null when unknown';
comment on column speed_pair.storage is 'Slug of the storage';
comment on column speed_pair.setup is 'Protocol and scale of the measured cells: only figures of one setup are compared; null for published ones';
comment on column speed_pair.phase is 'State of the image: fresh, partly-filled, emptied, or "unstated"';
comment on column speed_pair.format is 'native, UDRW, UDSP, UDSB, ASIF, VM, or "unstated"';
comment on column speed_pair.encryption is 'none, AES-128, AES-256, FileVault, APFS, or "unstated"';
comment on column speed_pair.read_gbps is 'Read speed in GB/s; null where none is known';
comment on column speed_pair.write_gbps is 'Write speed in GB/s; null where none is known';
comment on column speed_pair.cells is 'Measured cells (repeats), or rows of the article, behind it';
comment on column speed_pair.second_hand is 'True when the article only recalls a figure';

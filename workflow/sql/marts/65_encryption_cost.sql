-- The cost of encryption in speed: encrypted / unencrypted for the same image, one row per pair and direction.
--
-- Measured: two cells that differ only in their encryption, compared by run. The interval of the ratio
-- includes the variation between runs (workflow/scripts/database/run_intervals.py); with fewer runs than verdict_rule
-- requires there is none. There is no verdict (verdict_rule). Stand-ins have rows, which are not comparable.
--
-- Published: two rows of one source, Mac and tool that differ only in their encryption. One figure each, so there is no interval:
-- where one of them is a range, the two ends of the ratio are in ratio_low and ratio_high, and ratio is null. Where an
-- article gives a figure and a range for the same thing, the figure is used. The same applies to other sources
-- (published_elsewhere); if one prints the remaining share instead of speeds, that is the ratio.
--
-- `layer` is what is encrypted. AES-128 and AES-256 encrypt the image; FileVault and APFS encrypt a volume, in a guest or on the
-- disk itself: another layer with another cost, never in one series with the first.
create table encryption_cost as

with measured_pair as (
    select
        item,
        any_value(columns(* exclude (family, item, value, repeat, plain_gbps, encrypted_gbps, plain_files, encrypted_files, plain_cell, encrypted_cell, why_not_comparable))),
        exp(avg(ln(plain_gbps)) filter (where value is not null)) as plain_gbps,
        exp(avg(ln(encrypted_gbps)) filter (where value is not null)) as encrypted_gbps,
        cast(sum(plain_files) as bigint) as plain_files,
        cast(sum(encrypted_files) as bigint) as encrypted_files,
        min_by(plain_cell, repeat) as plain_cell,
        min_by(encrypted_cell, repeat) as encrypted_cell,
        min_by(why_not_comparable, repeat) as why_not_comparable
    from stg_encryption_pair
    group by item
),

elsewhere as (
    select
        * exclude (op, as_printed),
        source_id as article,
        source_order as table_order,
        'unstated' as protocol,
        'unstated' as scale,
        directions.op as op,
        case directions.op when 'write' then write_gbps else read_gbps end as gbps,
        case directions.op when 'write' then write_as_printed else read_as_printed end as as_printed,
        case when quantity <> 'speed' and other.op = directions.op then value / 100 end as share,
        read_as <> 'opening' as second_hand
    from published_elsewhere as other
    cross join (select unnest(['read', 'write']) as op) as directions
    where quantity in ('speed', 'share of the speed without encryption') and kind in ('exact', 'about')
),

-- one figure for each: a speed before a share, a number before a range, then in the order of the article
published as (
    select *
    from (from stg_published_figure union all by name from elsewhere)
    where (gbps is not null or share is not null) and host <> 'unstated'
    qualify row_number() over (
        partition by article, host, macos, storage, format, encryption, phase, protocol, scale, tool, op
        order by kind = 'range', gbps is null, table_order
    ) = 1
),

published_pair as (
    select
        coded.*,
        plain.table_order as plain_order,
        plain.gbps as plain_gbps,
        plain.gbps_to as plain_gbps_to,
        plain.kind as plain_kind,
        plain.as_printed as plain_as_printed,
        plain.second_hand as plain_second_hand,
        plain.note as plain_note
    from published as coded
    inner join published as plain
        using (article, host, macos, storage, format, phase, protocol, scale, tool, op)
    where coded.encryption not in ('none', 'unstated') and plain.encryption = 'none'
)

select
    'measured' as basis,
    null as article,
    host,
    release,
    storage,
    driver,
    protocol,
    scale,
    format,
    encryption,
    case when encryption in ('FileVault', 'APFS') then 'volume' else 'image' end as layer,
    band_bytes,
    phase,
    op,
    coalesce(runs, 0) as runs,
    plain_gbps,
    encrypted_gbps,
    case when why_not_comparable is null then exp(mean) end as ratio,
    case when why_not_comparable is null then exp(low) end as ratio_low,
    case when why_not_comparable is null then exp(high) end as ratio_high,
    'exact' as kind,
    why_not_comparable is null as comparable,
    why_not_comparable,
    null as note,
    false as second_hand,
    plain_files,
    encrypted_files,
    plain_cell,
    encrypted_cell
from measured_pair
left join stg_run_interval as interval
    on interval.source = 'stg_encryption_pair'
    and interval.item = measured_pair.item
union all by name
select
    'published' as basis,
    article,
    host,
    macos as release,
    storage,
    case when format in ('native', 'VM') then 'native' else 'apple' end as driver,
    protocol,
    scale,
    format,
    encryption,
    case when encryption in ('FileVault', 'APFS') then 'volume' else 'image' end as layer,
    phase,
    op,
    plain_gbps,
    gbps as encrypted_gbps,
    case when kind <> 'range' and plain_kind <> 'range' then coalesce(gbps / plain_gbps, share) end as ratio,
    case when kind = 'range' or plain_kind = 'range' then gbps / coalesce(plain_gbps_to, plain_gbps) end as ratio_low,
    case when kind = 'range' or plain_kind = 'range' then coalesce(gbps_to, gbps) / plain_gbps end as ratio_high,
    case
        when kind = 'range' or plain_kind = 'range' then 'range'
        when plain_kind = 'exact' then kind
        when plain_kind = 'about' and kind in ('exact', 'about') then 'about'
        else concat(plain_kind, ', encrypted ', kind)
    end as kind,
    false as comparable,
    ['published'] as why_not_comparable,
    nullif(if(contains(note, plain_note), note, concat_ws('; ', plain_note, note)), '') as note,
    second_hand or plain_second_hand as second_hand,
    plain_order,
    table_order as encrypted_order,
    plain_as_printed,
    as_printed as encrypted_as_printed
from published_pair
order by
    basis desc, article, host, release, storage, driver, protocol, scale, format, encryption, band_bytes nulls first,
    phase, op desc;

comment on table encryption_cost is 'What encryption costs the same image in speed: encrypted / unencrypted, one row per pair and direction; two measured cells over their repeats, or two figures of one source, of a known Mac by one tool, that differ only in their encryption. No row compares two drivers. Measured ratios are means over the repeats; their intervals include the variation between runs';
comment on column encryption_cost.article is 'Slug of the article (table article), or id of another source (published_elsewhere.source_id); null where measured';
comment on column encryption_cost.release is 'Release of macOS as published, such as 26.3.1, or "unstated"; of measured ones OS release as in the path of the record';
comment on column encryption_cost.protocol is 'Protocol, the list of steps, or "unstated"';
comment on column encryption_cost.scale is 'gold, half, tenth, smoke or "unstated"';
comment on column encryption_cost.driver is 'What served the image: apple (macOS; also for published images), portable (our own), or native (no image; also for the disk of a published guest)';
comment on column encryption_cost.encryption is 'Encryption of the encrypted one of the pair: AES-128, AES-256, FileVault or APFS; the other has none';
comment on column encryption_cost.layer is 'What is encrypted: image (the container''s AES), or volume (FileVault, APFS), which is another layer';
comment on column encryption_cost.runs is 'Repeats that were measured with and without encryption; null for published ones';
comment on column encryption_cost.plain_gbps is 'Speed without encryption, GB/s: the headline (Theil-Sen), or the published figure, its lower end where it is a range';
comment on column encryption_cost.encrypted_gbps is 'Speed with encryption, GB/s, likewise';
comment on column encryption_cost.ratio is 'encrypted / unencrypted: 1 when encryption costs nothing, 0.5 when it halves the speed; of published figures also where only the share is printed; null where one is missing or a range, and where two measured ones are not comparable';
comment on column encryption_cost.ratio_low is 'Lower end of the 95 % interval of the ratio, which includes the variation between runs, null with fewer than three runs; where a published figure is a range, the lower end of the ratio; else null';
comment on column encryption_cost.ratio_high is 'Upper end of the 95 % interval of the ratio; where a published figure is a range, the upper end of the ratio; else null';
comment on column encryption_cost.kind is 'How the ratio is meant: exact, about, or range; where the published figures are bounds, the kinds of both figures';
comment on column encryption_cost.comparable is 'True when both cells are comparable and measured alike, in the same nights (rule same night of verdict_rule), and the headline and bytes / time of each agree; false where published';
comment on column encryption_cost.second_hand is 'True when the article only recalls one of the two figures';
comment on column encryption_cost.plain_files is 'Files that the speed without encryption is computed from; null where published';
comment on column encryption_cost.encrypted_files is 'Files that the speed with encryption is computed from; null where published';
comment on column encryption_cost.plain_cell is 'Id of the cell without encryption (table cell); null where published';
comment on column encryption_cost.encrypted_cell is 'Id of the cell with encryption (table cell); null where published';
comment on column encryption_cost.plain_order is 'Position of the figure without encryption in its article (published_speed.table_order), or other source (published_elsewhere.source_order); null where measured';
comment on column encryption_cost.encrypted_order is 'Position of the figure with encryption in its article (published_speed.table_order), or other source (published_elsewhere.source_order); null where measured';
comment on column encryption_cost.plain_as_printed is 'The figure without encryption exactly as printed; null where measured';
comment on column encryption_cost.encrypted_as_printed is 'The figure with encryption exactly as printed; null where measured';

-- What a format costs by itself, apart from what macOS does with it: an image of our own driver against the native
-- files of the same run, the same files in the same blocks. The ratio is that of all bytes / all time.
--
-- The rule of the verdict, its tolerance and reason are in verdict_rule: the 95 % interval of the ratio against 1.
--     it lies all within 1 +- the tolerance: costs nothing measurable
--     else all below 1: slower, all above 1: faster
--     else, or where there is no interval: inconclusive, and why
-- Figures that may be memory's are shown with their ratio, but are "not comparable"; a pair that cannot be divided is
-- "not compared", and says why. Smoke scale stands in the note: the two sides of a ratio are of one scale.
--
-- The interval holds within the one run: it resamples the files of both cells. What another run would give, only
-- repeats can tell; and as the two cells are measured one after the other, what else the machine did meanwhile is in the
-- ratio and not in its interval. Where a warning says that there was something, the note does.
create table format_cost as

with rules as (
    select tolerance
    from verdict_rule
    where comparison = 'format_cost'
),

compared as (
    select
        pair.*,
        rules.tolerance,
        ratio.ratio,
        ratio.ratio_low,
        ratio.ratio_high,
        coalesce(pair.reason, ratio.reason) as why,
        case
            when pair.reason is not null or ratio.ratio is null then 'not compared'
            when pair.spoilt is not null then 'not comparable'
            when ratio.ratio_low is null or ratio.ratio_high is null then 'inconclusive'
            when ratio.ratio_low >= 1 - rules.tolerance and ratio.ratio_high <= 1 + rules.tolerance then 'costs nothing measurable'
            when ratio.ratio_high < 1 then 'slower'
            when ratio.ratio_low > 1 then 'faster'
            else 'inconclusive'
        end as outcome
    from stg_format_pair as pair
    cross join rules
    left join stg_format_ratio as ratio using (cell, op)
)

select
    cell,
    op,
    host,
    release,
    storage,
    protocol,
    scale,
    format,
    encryption,
    repeat,
    phase,
    band_bytes,
    files,
    gbps,
    native_cell,
    native_files,
    native_gbps,
    ratio,
    ratio_low,
    ratio_high,
    outcome,
    case
        when outcome = 'not compared' then concat(outcome, ': ', coalesce(why, 'no reason given'))
        when outcome = 'not comparable' then concat(outcome, ': ', spoilt)
        when outcome = 'inconclusive' then concat(outcome, ': ', coalesce(why, concat('the interval of the ratio holds 1, and reaches beyond ', round(100 * tolerance)::integer, ' % of it')))
        else outcome
    end as verdict,
    why as reason,
    nullif(concat_ws('; ',
        why_not_comparable,
        case when busy then 'something else may have been running beside one of the two cells' end,
        case when format = 'ASIF' and encryption <> 'none' then 'a layout of our own: how Apple lays out an encrypted ASIF image is not publicly known' end
    ), '') as note
from compared
order by cell, op;

comment on table format_cost is 'What a disk image''s format costs by itself: one row per measured cell of driver portable (our own reading and writing of the format, without macOS) and direction, against the native cell of the same host, release, storage, protocol, scale, phase and repeat. Speeds are all bytes / all time. "costs nothing measurable": the 95 % interval of the ratio lies within 1 +- the tolerance of verdict_rule; "slower", "faster": it lies otherwise all below, all above 1; else "inconclusive". In addition to these: "not comparable" when figures may be memory''s, "not compared" when the two cannot be divided. Nothing here says how fast macOS is';
comment on column format_cost.cell is 'Id of the cell with the image (table cell)';
comment on column format_cost.op is 'read or write';
comment on column format_cost.host is 'Slug of the machine';
comment on column format_cost.release is 'OS release as in the path of the record';
comment on column format_cost.storage is 'Slug of the storage';
comment on column format_cost.protocol is 'The steps that were done';
comment on column format_cost.scale is 'gold, half, tenth or smoke, the same for both';
comment on column format_cost.format is 'Format of the image: UDRW, UDSP, UDSB or ASIF';
comment on column format_cost.encryption is 'Encryption of the image: none, AES-128 or AES-256; what encrypts the disk itself counts for both sides';
comment on column format_cost.repeat is 'Number of the repeat, from 1';
comment on column format_cost.phase is 'fresh, partly-filled or emptied';
comment on column format_cost.band_bytes is 'Bytes of a band of the image where the study asked for another size than the format''s own; else null: two sizes are two images, each with a row of its own';
comment on column format_cost.files is 'Files on the image that its speed is computed from';
comment on column format_cost.gbps is 'Speed on the image: all bytes / all time, GB/s';
comment on column format_cost.native_cell is 'Id of the native cell (table cell); null when there is none';
comment on column format_cost.native_files is 'Files that the native speed is computed from';
comment on column format_cost.native_gbps is 'Speed without an image: all bytes / all time, GB/s';
comment on column format_cost.ratio is 'gbps / native_gbps: 1 when the format costs nothing, 0.5 when it halves the speed; null when the two cannot be divided';
comment on column format_cost.ratio_low is 'Lower end of the 95 % interval of the ratio: bootstrap over the files of each size, on both sides; within this one run only: it does not cover variation from run to run';
comment on column format_cost.ratio_high is 'Upper end of the 95 % interval of the ratio; within this one run only: it does not cover variation from run to run';
comment on column format_cost.outcome is 'The verdict without its explanation: costs nothing measurable, slower, faster, inconclusive, not comparable, not compared';
comment on column format_cost.verdict is 'The outcome, and why where it is none of the first three';
comment on column format_cost.reason is 'Why there is no ratio or no interval; null where both are there';
comment on column format_cost.note is 'What else to know: smoke scale, reads that may have come from memory, a busy machine, an own layout; null when nothing';

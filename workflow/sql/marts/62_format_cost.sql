-- The cost of a format without macOS: an image of our own driver compared with the native files of the same run, the same files
-- in the same blocks. The ratio is that of all bytes / all time, by run.
--
-- p_adjusted is Holm's (macro holm): its family is all comparable ratios of one host and release that have a p, which together
-- answer "what do formats cost on this machine?". The two cells of a run are measured one after the other, so other work of the
-- machine affects the ratio; if a warning reports such work, so does the note.
create table format_cost as

with pairs as (
    select
        item,
        any_value(columns(* exclude (family, item, value, repeat, cell, native_cell, gbps, native_gbps, files, native_files, reason, why_not_comparable, busy))),
        min_by(cell, repeat) as cell,
        min_by(native_cell, repeat) as native_cell,
        exp(avg(ln(gbps))) as gbps,
        exp(avg(ln(native_gbps))) as native_gbps,
        cast(sum(files) as bigint) as files,
        cast(sum(native_files) as bigint) as native_files,
        min_by(reason, repeat) as reason,
        min_by(why_not_comparable, repeat) as why_not_comparable,
        bool_or(busy) as busy
    from stg_format_pair
    group by item
),

tested as (
    select
        pairs.*,
        coalesce(runs, 0) as runs,
        case when why_not_comparable is null then exp(mean) end as ratio,
        case when why_not_comparable is null then exp(low) end as ratio_low,
        case when why_not_comparable is null then exp(high) end as ratio_high,
        case when reason is null and why_not_comparable is null then p end as p,
        coalesce(reason, case when mean is null then ['no-speed'] end) as why,
        concat_ws(' ', host, release) as family
    from pairs
    left join stg_run_interval as interval
        on interval.source = 'stg_format_pair'
        and interval.item = pairs.item
),

adjusted as (
    select
        *,
        holm(step, p, family) as p_adjusted,
        beyond('format_cost', ratio_low, ratio_high) as side
    from (select *, holm_step(p, family) as step from tested)
),

compared as (
    select
        *,
        case
            when why is not null then 'not compared'
            when why_not_comparable is not null then 'not comparable'
            when runs < tolerance_of('every comparison', 'runs') then 'too few runs'
            when ratio_low >= 1 - tolerance_of('format_cost', 'agreement') and ratio_high <= 1 + tolerance_of('format_cost', 'agreement') then 'costs next to nothing'
            when p_adjusted < tolerance_of('format_cost', 'chance') and side is not null then side
            else 'no difference shown'
        end as verdict
    from adjusted
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
    phase,
    band_bytes,
    runs,
    files,
    gbps,
    native_cell,
    native_files,
    native_gbps,
    ratio,
    ratio_low,
    ratio_high,
    p,
    p_adjusted,
    verdict,
    coalesce(why, why_not_comparable) as reasons,
    codes(list_concat(why_not_comparable, [
        case when busy then 'busy' end,
        case when format = 'ASIF' and encryption <> 'none' then 'own-layout' end
    ])) as notes
from compared
order by cell, op;

comment on table format_cost is 'The cost of a disk image''s format alone: one row per cell of driver portable (our own implementation of the format, without macOS) and direction, over its repeats. It is compared, repeat by repeat, with the native cell of the same host, release, storage, protocol, scale and phase, measured in the same night (rule same night of verdict_rule). Speeds are all bytes / all time. "costs next to nothing": the 95 % interval of the ratio lies within 1 +- the tolerance of verdict_rule; "slower", "faster": p_adjusted is below the level and the whole interval lies beyond the smallest relevant change of verdict_rule; else "no difference shown", which does not prove that there is none. Also "too few runs" when the spread between runs is not known, "not comparable" when a figure may not be compared, "not compared" when there is no valid ratio of the two. Nothing here says how fast macOS is';
comment on column format_cost.cell is 'Id of the first run with the image (table cell)';
comment on column format_cost.encryption is 'Encryption of the image: none, AES-128 or AES-256; encryption of the disk itself affects both sides';
comment on column format_cost.runs is 'Repeats that were measured with and without the image';
comment on column format_cost.files is 'Files on the image that its speed is computed from';
comment on column format_cost.gbps is 'Speed on the image: all bytes / all time, geometric mean of the runs, GB/s';
comment on column format_cost.native_cell is 'Id of the first native run (table cell); null when there is none';
comment on column format_cost.native_files is 'Files that the native speed is computed from';
comment on column format_cost.native_gbps is 'Speed without an image, likewise, GB/s';
comment on column format_cost.ratio is 'gbps / native_gbps, geometric mean of the runs: 1 when the format costs nothing, 0.5 when it halves the speed; null when the two have no valid ratio or may not be compared';
comment on column format_cost.p is 'Two-sided p of the ratios of the runs (Smyth 2004, moderated t); null with fewer than three runs, and where not comparable';
comment on column format_cost.p_adjusted is 'p after Holm''s correction for all ratios of this host and release; null where there is no p or no verdict';
comment on column format_cost.verdict is 'costs next to nothing, slower, faster, no difference shown, too few runs, not comparable or not compared';
comment on column format_cost.reasons is 'Why the two have no valid ratio, or the ratio has no verdict, as codes (table reason); else null';
comment on column format_cost.notes is 'What else to know, as codes (table reason): why either may not be compared with anything else, busy, own-layout; null when nothing';

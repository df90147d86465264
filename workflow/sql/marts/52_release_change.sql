-- Runs are compared: repeat 1 with repeat 1, 2 with 2, and so on, by the ratio of their headlines. Interval and p of their mean
-- come from workflow/scripts/database/run_intervals.py. The files of one run are not independent of each other, so with fewer
-- runs than verdict_rule requires there is a ratio without interval, p or verdict.
--
-- Two nights differ: in temperature, other work, the filling of the disk. Three runs of one night do not show by how much, but
-- the disk itself does: native files, measured in the same repeats and nights. So an image is faster or slower only if it is so alone and
-- in proportion to the disk (the larger p of both counts), and the disk itself gets no verdict.
--
-- p_adjusted is Holm's (macro holm). Its family is all comparable pairs of one host and two releases that have a p: together they
-- answer "what did this update change on this Mac?", and limit the chance of any false change among them. Other Macs and
-- releases are other questions, which must not affect this answer.
--
-- A release is compared with the one before it (consecutive): not with a beta if there is a release, since a change over several
-- betas may be none from the last of them; a beta with the beta or release before it. One that was measured too few times for a
-- verdict, or in another way, hides no verdict on an earlier one: both pairs are then consecutive.
create table release_change as

with pairs as (
    select
        item,
        any_value(columns(* exclude (family, item, value, to_disk, repeat, earlier_gbps, later_gbps, earlier_cell, later_cell, why_not_comparable))),
        exp(avg(ln(earlier_gbps)) filter (where value is not null)) as earlier_gbps,
        exp(avg(ln(later_gbps)) filter (where value is not null)) as later_gbps,
        min_by(earlier_cell, repeat) as earlier_cell,
        min_by(later_cell, repeat) as later_cell,
        min_by(why_not_comparable, repeat) as why_not_comparable
    from stg_release_pair
    group by item
),

tested as (
    select
        pairs.*,
        coalesce(alone.runs, 0) as runs,
        case when why_not_comparable is null then exp(alone.mean) end as ratio,
        case when why_not_comparable is null then exp(alone.low) end as ratio_low,
        case when why_not_comparable is null then exp(alone.high) end as ratio_high,
        case when why_not_comparable is null then exp(to_disk.mean) end as ratio_to_disk,
        case when why_not_comparable is null then exp(to_disk.low) end as ratio_to_disk_low,
        case when why_not_comparable is null then exp(to_disk.high) end as ratio_to_disk_high,
        case when why_not_comparable is null and to_disk.p is not null then greatest(alone.p, to_disk.p) end as p,
        concat_ws(' ', host, earlier_release, later_release) as family
    from pairs
    left join stg_run_interval as alone
        on alone.source = 'stg_release_pair'
        and alone.item = pairs.item
    left join stg_run_interval as to_disk
        on to_disk.source = 'stg_release_to_disk'
        and to_disk.item = pairs.item
),

adjusted as (
    select
        *,
        holm(step, p, family) as p_adjusted,
        beyond('release_change', ratio_low, ratio_high) as alone,
        beyond('release_change', ratio_to_disk_low, ratio_to_disk_high) as in_proportion
    from (select *, holm_step(p, family) as step from tested)
),

judged as (
    select
        *,
        case
            when why_not_comparable is not null then 'not comparable'
            when runs < tolerance_of('every comparison', 'runs') then 'too few runs'
            when p is null then 'not judged'
            when alone is not null and in_proportion is distinct from alone then 'not beyond the disk'
            when p_adjusted < tolerance_of('release_change', 'chance') and alone is not null then alone
            else 'no change shown'
        end as change
    from adjusted
)

select
    host,
    storage,
    driver,
    protocol,
    scale,
    format,
    encryption,
    band_bytes,
    phase,
    op,
    earlier_release,
    later_release,
    runs,
    earlier_gbps,
    later_gbps,
    ratio,
    ratio_low,
    ratio_high,
    ratio_to_disk,
    ratio_to_disk_low,
    ratio_to_disk_high,
    p,
    -- the disk itself has no verdict, so there any comparison counts
    coalesce(
        place >= coalesce(
            max(place) filter (
                where change not in ('not comparable', 'too few runs') and (change <> 'not judged' or format = 'native')
            ) over of_the_later,
            max(place) filter (where earlier_measured) over of_the_later
        ),
        true
    ) as consecutive,
    why_not_comparable is null as comparable,
    why_not_comparable,
    earlier_cell,
    later_cell,
    vouched_by,
    p_adjusted,
    change
from judged
window of_the_later as (partition by host, storage, driver, protocol, scale, format, encryption, band_bytes, phase, op, later_release)
order by
    host, storage, driver, protocol, scale, format, encryption, band_bytes nulls first, phase, op,
    earlier_number, later_number;

comment on table release_change is 'The same cell under two OS releases of one host, every earlier with every later one: ratio of the headline speeds over its runs, alone and in proportion to the disk itself, each with a 95 % interval; p, p corrected for multiple comparisons, and whether that is a change. "faster" or "slower": p_adjusted is below the level, and the whole intervals of both ratios lie beyond the smallest relevant change (both in verdict_rule); "not beyond the disk": only the interval of the ratio alone lies beyond it, so the whole machine may have changed; "no change shown": neither, which does not prove that nothing changed; "not judged": the disk itself, or an image without comparable native files in three of the same repeats and nights (rule same night); "too few runs": the spread between runs is not known; "not comparable": see why_not_comparable, which also has speeds whose bytes / time and headline differ too much. Cells of stand-ins, programs that imitate those of macOS, are in no pair';
comment on column release_change.earlier_release is 'The earlier OS release';
comment on column release_change.later_release is 'The later OS release';
comment on column release_change.runs is 'Repeats that were measured under both releases';
comment on column release_change.earlier_gbps is 'Headline speed (Theil-Sen) under the earlier release, geometric mean of these runs, GB/s';
comment on column release_change.later_gbps is 'Headline speed under the later release, GB/s';
comment on column release_change.ratio is 'later / earlier, geometric mean of the runs: above 1 is faster; null where not comparable';
comment on column release_change.ratio_to_disk is 'ratio / that of the disk itself, by native files of the same repeats and nights: what the whole machine has in common cancels; null for the disk itself, and without such files';
comment on column release_change.p is 'Two-sided p (Smyth 2004, moderated t), the larger one of ratio and ratio_to_disk; null where either has none, and where not comparable';
comment on column release_change.consecutive is 'True unless a release between the two gives this cell of the later one a verdict; where none gives one, unless it was measured under one between the two. For a release, betas count as older than every release';
comment on column release_change.comparable is 'True when both cells are comparable and measured alike (epoch of the harness, chip, model, memory, disk, its file system, guest, cache mode, durability, blocks and sets: macro unlike), and the headline and bytes / time of each agree';
comment on column release_change.earlier_cell is 'Id of the first run under the earlier release (table cell)';
comment on column release_change.later_cell is 'Id of the first run under the later release (table cell)';
comment on column release_change.vouched_by is 'Who vouches for the records of both (host.vouched_by); two with "and" between them';
comment on column release_change.p_adjusted is 'p after Holm''s correction for all comparable pairs of this host and these two releases; null where there is no p or the pair is not comparable';
comment on column release_change.change is 'faster, slower, not beyond the disk, no change shown, not judged, too few runs or not comparable, by the rule of the table''s comment';

-- The same cell under two OS releases: what changed, and whether it is more than noise.
--
-- Runs are compared: repeat 1 with repeat 1, 2 with 2, and so on, by the ratio of their headlines. Interval and p of their mean
-- come from workflow/scripts/database/run_intervals.py. The files of one run are not independent of each other, so with fewer
-- runs than verdict_rule requires there is a ratio without interval, p or verdict.
--
-- p_adjusted is Holm's (macro holm). Its family is all comparable pairs of one host and two releases that have a p: together they
-- answer "what did this update change on this Mac?", and limit the chance of any false change among them. Other Macs and
-- releases are other questions, which must not affect this answer.
create table release_change as

with pairs as (
    select
        item,
        any_value(columns(* exclude (family, item, value, repeat, earlier_gbps, later_gbps, earlier_cell, later_cell, why_not_comparable))),
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
        coalesce(runs, 0) as runs,
        case when why_not_comparable is null then exp(mean) end as ratio,
        case when why_not_comparable is null then exp(low) end as ratio_low,
        case when why_not_comparable is null then exp(high) end as ratio_high,
        case when why_not_comparable is null then p end as p,
        concat_ws(' ', host, earlier_release, later_release) as family
    from pairs
    left join stg_run_interval as interval
        on interval.source = 'stg_release_pair'
        and interval.item = pairs.item
),

adjusted as (
    select
        *,
        holm(step, p, family) as p_adjusted
    from (select *, holm_step(p, family) as step from tested)
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
    p,
    consecutive,
    why_not_comparable is null as comparable,
    why_not_comparable,
    earlier_cell,
    later_cell,
    vouched_by,
    p_adjusted,
    case
        when why_not_comparable is not null then 'not comparable'
        when runs < tolerance_of('every comparison', 'runs') then 'too few runs'
        when p_adjusted < tolerance_of('release_change', 'chance') and ratio_low > 1 + tolerance_of('release_change', 'least change') then 'faster'
        when p_adjusted < tolerance_of('release_change', 'chance') and ratio_high < 1 / (1 + tolerance_of('release_change', 'least change')) then 'slower'
        else 'no change shown'
    end as change
from adjusted
order by
    host, storage, driver, protocol, scale, format, encryption, band_bytes nulls first, phase, op,
    earlier_number, later_number;

comment on table release_change is 'The same cell under two OS releases of one host, every earlier with every later one: ratio of the headline speeds over its runs, with a 95 % interval, p, p corrected for multiple comparisons, and whether that is a change. "faster" or "slower": p_adjusted is below the level, and the whole interval of the ratio lies beyond the smallest relevant change (both in verdict_rule); "no change shown": neither, which does not prove that nothing changed; "too few runs": the spread between runs is not known; "not comparable": see why_not_comparable. Cells of stand-ins, programs that imitate those of macOS, are in no pair';
comment on column release_change.earlier_release is 'The earlier OS release';
comment on column release_change.later_release is 'The later OS release';
comment on column release_change.runs is 'Repeats that were measured under both releases';
comment on column release_change.earlier_gbps is 'Headline speed (Theil-Sen) under the earlier release, geometric mean of these runs, GB/s';
comment on column release_change.later_gbps is 'Headline speed under the later release, GB/s';
comment on column release_change.ratio is 'later / earlier, geometric mean of the runs: above 1 is faster; null where not comparable';
comment on column release_change.consecutive is 'True when this cell has no measured release between the two';
comment on column release_change.comparable is 'True when both cells are comparable and measured with the same epoch of the harness';
comment on column release_change.earlier_cell is 'Id of the first run under the earlier release (table cell)';
comment on column release_change.later_cell is 'Id of the first run under the later release (table cell)';
comment on column release_change.vouched_by is 'Who vouches for the records of both (host.vouched_by); two with "and" between them';
comment on column release_change.p_adjusted is 'p after Holm''s correction for all comparable pairs of this host and these two releases; null where there is no p or the pair is not comparable';
comment on column release_change.change is 'faster, slower, no change shown, too few runs or not comparable, by the rule of the table''s comment';

-- The same cell under two OS releases: what changed, and whether it is more than noise.
--
-- The interval of the ratio is made from the two intervals of the headline (Zou and Donner 2008, "Construction of
-- confidence limits about effect measures", MOVER), on the logarithm:
--     low  = d - sqrt((later - later_low)^2 + (earlier_high - earlier)^2)
--     high = d + sqrt((later_high - later)^2 + (earlier - earlier_low)^2),  d = later - earlier
--
-- Interval and p hold within these two runs: the files of one run share its image, its moment and its temperature, and are
-- not independent runs. What another run of the same release would give, only repeats can tell.
--
-- p_adjusted is Holm's (1979, "A simple sequentially rejective multiple test procedure"): of m tests sorted by p, the i-th
-- p times m - i + 1, never below the one before it and never above 1. Its family is all comparable pairs of one host and the
-- same two releases that have a p: they are read together, as the answer to "what has this update changed on this Mac?",
-- and one false change among them is what must not happen by chance. Another Mac or another two releases are another
-- question: that more of those were measured must not change the answer to this one.
--
-- The rule of `change`, written before there was any data. "faster" or "slower" is said only when p_adjusted is below alpha
-- and the whole interval of the ratio lies beyond the tolerance, which stands for what p cannot know: how much one run
-- differs from the next; where the host has repeats of this very cell under one of the two releases, it is the largest
-- ratio between two of them, if that is more. Both numbers and their reasons are in verdict_rule. So faster is ratio_low > tolerance, slower ratio_high < 1 / tolerance. Everything else is "no change shown", which
-- is not "no change"; without a p, or with an interval that is open on that side, nothing can be claimed.
-- A pair that is not comparable is "not comparable", has no p_adjusted, and is not counted in any family.
create table release_change as

with rules as (
    select tolerance as alpha
    from verdict_rule
    where comparison = 'release_change' and rule = 'chance'
),

logarithms as (
    select
        *,
        ln(later_gbps) - ln(earlier_gbps) as difference,
        sqrt(
            pow(ln(later_gbps) - ln(later_gbps_low), 2) + pow(ln(earlier_gbps_high) - ln(earlier_gbps), 2)
        ) as below,
        sqrt(
            pow(ln(later_gbps_high) - ln(later_gbps), 2) + pow(ln(earlier_gbps) - ln(earlier_gbps_low), 2)
        ) as above
    from stg_release_pair
),

tested as (
    select
        *,
        later_gbps / earlier_gbps as ratio,
        exp(difference - below) as ratio_low,
        exp(difference + above) as ratio_high,
        case when why_not_comparable is null then p end as counted
    from logarithms
    left join stg_release_test using (earlier_cell, later_cell, op)
),

-- those that are not counted come last, so that they do not stand in the way of the others
ranked as (
    select
        *,
        least(1, counted * (
            count(counted) over (partition by host, earlier_release, later_release)
            - row_number() over (
                partition by host, earlier_release, later_release
                order by counted nulls last, earlier_cell, op
            ) + 1
        )) as stepped
    from tested
),

adjusted as (
    select
        *,
        case when counted is not null then max(stepped) over (
            partition by host, earlier_release, later_release
            order by counted nulls last, earlier_cell, op
            rows between unbounded preceding and current row
        ) end as p_adjusted
    from ranked
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
    repeat,
    phase,
    op,
    earlier_release,
    later_release,
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
    p_adjusted,
    tolerance,
    case
        when why_not_comparable is not null then 'not comparable'
        when p_adjusted < alpha and ratio_low > tolerance then 'faster'
        when p_adjusted < alpha and ratio_high < 1 / tolerance then 'slower'
        else 'no change shown'
    end as change
from adjusted
cross join rules
order by
    host, storage, driver, protocol, scale, format, encryption, band_bytes nulls first, repeat, phase, op,
    earlier_number, later_number;

comment on table release_change is 'The same cell under two OS releases of one host, every earlier with every later one: ratio of the headline speeds with its 95 % interval, p, p corrected for the many comparisons, and whether that is a change. "faster" or "slower": p_adjusted is below the level of verdict_rule and the whole interval of the ratio lies beyond the tolerance, that of verdict_rule or the spread of the host''s own repeats of the cell if that is more; "no change shown": not so, which is not proof that nothing changed; "not comparable": see why_not_comparable. Interval and p say whether these two runs differ; the tolerance stands for how much one run of a release differs from the next. Cells of programs that stood in for those of macOS are in no pair';
comment on column release_change.host is 'Slug of the machine';
comment on column release_change.storage is 'Slug of the storage';
comment on column release_change.driver is 'apple, portable or native';
comment on column release_change.protocol is 'The steps that were done';
comment on column release_change.scale is 'gold, half, tenth or smoke';
comment on column release_change.format is 'native, UDRW, UDSP, UDSB, ASIF or VM';
comment on column release_change.encryption is 'none, AES-128, AES-256, FileVault or APFS';
comment on column release_change.band_bytes is 'Bytes of a band where the study asked for another size than the format''s own, the same for both; else null';
comment on column release_change.repeat is 'Number of the repeat, from 1';
comment on column release_change.phase is 'fresh, partly-filled or emptied';
comment on column release_change.op is 'read or write';
comment on column release_change.earlier_release is 'The earlier OS release';
comment on column release_change.later_release is 'The later OS release';
comment on column release_change.earlier_gbps is 'Headline speed (Theil-Sen) under the earlier release, GB/s';
comment on column release_change.later_gbps is 'Headline speed (Theil-Sen) under the later release, GB/s';
comment on column release_change.ratio is 'later / earlier: above 1 is faster';
comment on column release_change.ratio_low is 'Lower end of the 95 % interval of the ratio; within these two runs only: it does not cover variation from run to run';
comment on column release_change.ratio_high is 'Upper end of the 95 % interval of the ratio; within these two runs only: it does not cover variation from run to run';
comment on column release_change.p is 'Two-sided p of the van Elteren test: the files'' rates under both releases, compared within each size; within these two runs only: the files of one run are not independent runs, and variation from run to run is not covered';
comment on column release_change.consecutive is 'True when this cell has no measured release between the two';
comment on column release_change.comparable is 'True when both cells are comparable and measured with the same epoch of the harness';
comment on column release_change.why_not_comparable is 'Why they are not; null when they are';
comment on column release_change.earlier_cell is 'Id of the cell under the earlier release (table cell)';
comment on column release_change.later_cell is 'Id of the cell under the later release (table cell)';
comment on column release_change.p_adjusted is 'p after Holm''s correction for all comparable pairs of this host and these two releases; null where there is no p or the pair is not comparable';
comment on column release_change.tolerance is 'Ratio that two runs of one release may well differ by: that of verdict_rule, or the largest ratio between repeats of this cell under one of the two releases if that is more';
comment on column release_change.change is 'faster, slower, no change shown or not comparable, by the rule of the table''s comment';

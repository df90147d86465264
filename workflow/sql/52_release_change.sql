-- The same cell under two OS releases: what changed, and whether it is more than noise.
--
-- The interval of the ratio is made from the two intervals of the headline (Zou and Donner 2008, "Construction of
-- confidence limits about effect measures", MOVER), on the logarithm:
--     low  = d - sqrt((later - later_low)^2 + (earlier_high - earlier)^2)
--     high = d + sqrt((later_high - later)^2 + (earlier - earlier_low)^2),  d = later - earlier
--
-- Interval and p hold within these two runs: the files of one run share its image, its moment and its temperature, and are
-- not independent runs. What another run of the same release would give, only repeats can tell.
create table release_change as

with logarithms as (
    select
        *,
        ln(later_gbps) - ln(earlier_gbps) as change,
        sqrt(
            pow(ln(later_gbps) - ln(later_gbps_low), 2) + pow(ln(earlier_gbps_high) - ln(earlier_gbps), 2)
        ) as below,
        sqrt(
            pow(ln(later_gbps_high) - ln(later_gbps), 2) + pow(ln(earlier_gbps) - ln(earlier_gbps_low), 2)
        ) as above
    from stg_release_pair
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
    later_gbps / earlier_gbps as ratio,
    exp(change - below) as ratio_low,
    exp(change + above) as ratio_high,
    test.p as p,
    consecutive,
    why_not_comparable is null as comparable,
    why_not_comparable,
    earlier_cell,
    later_cell
from logarithms
left join stg_release_test as test using (earlier_cell, later_cell, op)
order by
    host, storage, driver, protocol, scale, format, encryption, band_bytes nulls first, repeat, phase, op,
    earlier_number, later_number;

comment on table release_change is 'The same cell under two OS releases of one host, every earlier with every later one: ratio of the headline speeds with its 95 % interval, and p. Both say whether these two runs differ, not how much one run of a release differs from the next. Not yet corrected for many comparisons';
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

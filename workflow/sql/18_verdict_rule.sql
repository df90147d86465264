-- Every rule by which figures get a verdict, with its tolerance. The tables of the comparisons take their tolerances from
-- here, so that no number stands twice. All were written before there was any measurement of a Mac.
create table verdict_rule as

with rules (comparison, rule, outcome, condition, tolerance, reason, source) as (
    values
        (
            'article_table', 'agreement', 'reproduced, faster, slower',
            'The 95 % interval of the measured headline overlaps the published figure +- the tolerance: reproduced; it lies all above: faster; all below: slower. A range counts from its lower end - the tolerance to its upper end + the tolerance, "below" from nothing, "above" without end',
            0.10,
            'The articles round to two or three digits, and their own repeats of one cell (the three phases of an unencrypted image) differ by up to 8 %',
            'The published figures themselves (published_speed)'
        ),
        (
            'article_table', 'width', 'inconclusive',
            'The interval is open, or reaches further than the tolerance to either side: its width is more than twice the tolerance of the speed',
            0.25,
            'Such an interval would overlap almost anything',
            'Our own choice'
        ),
        (
            'article_size_table', 'agreement', 'reproduced, larger, smaller',
            'The measured size is within the published one +- the tolerance: reproduced; above: larger; below: smaller',
            0.10,
            'The files written are inferred, not known ones, and a moment of tidying by APFS changes sizes; a size has no interval',
            'Our own choice'
        ),
        (
            'release_change', 'chance', 'faster, slower',
            'p_adjusted is below the tolerance, and the rule run-to-run is met as well; else: no change shown',
            0.05,
            'It is the chance of any false alarm among the pairs of one host and two releases, if all files were independent',
            'Holm 1979, "A simple sequentially rejective multiple test procedure"'
        ),
        (
            'release_change', 'run-to-run', 'faster, slower',
            'The whole interval of the ratio lies above 1 + the tolerance: faster; below 1 / (1 + the tolerance): slower. Where repeats of this very cell differ by more, their largest ratio takes its place',
            0.10,
            'It stands for what p cannot know, how much one run differs from the next: repeats of one cell were seen to differ by up to 8 %',
            'The published figures themselves (published_speed)'
        ),
        (
            'format_cost', 'agreement', 'costs nothing measurable, faster, slower, inconclusive',
            'The 95 % interval of the ratio lies within 1 +- the tolerance: costs nothing measurable; else all below 1: slower; all above 1: faster; else inconclusive',
            0.05,
            'A plain raw image is a file like any other, and is held to at least this share of native',
            'Our own choice'
        ),
        (
            'encryption_cost', 'none', null,
            'No verdict: the ratio and its interval stand for themselves',
            null,
            'How much encryption costs is the question, not whether it costs anything',
            null
        )
)

select
    comparison,
    rule,
    outcome,
    condition,
    cast(tolerance as double) as tolerance,
    reason,
    source
from rules
order by comparison, rule;

comment on table verdict_rule is 'Every rule by which figures get a verdict, one row each, with its tolerance; the tables of the comparisons take their tolerances from here. All were written before there was any measurement of a Mac';
comment on column verdict_rule.comparison is 'Table whose verdict it decides';
comment on column verdict_rule.rule is 'Name of the rule within that table';
comment on column verdict_rule.outcome is 'Outcomes that it decides on; null where there is no verdict';
comment on column verdict_rule.condition is 'The rule in words';
comment on column verdict_rule.tolerance is 'Its tolerance as a share: 0.1 is 10 %; null where it has none';
comment on column verdict_rule.reason is 'Why this tolerance';
comment on column verdict_rule.source is 'Where the rule or its tolerance comes from; null where there is no verdict';

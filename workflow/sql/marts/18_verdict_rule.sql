-- The rules of verdicts, with tolerances. All comparing tables read their tolerances from here. They were written before any
-- Mac was measured, and after the figures of the articles were known.
create table verdict_rule as

-- The words of the articles' conclusions, one number for all that say the same. The reason is the meaning of the word to a
-- reader. The first reasons, of 2026-11-22 and 23, were figures that articles describe with the word: `set_by` names their
-- conclusions, which those figures cannot decide.
with words (number, tolerance, set_by, reason) as (
    values
        (
            'same', 0.10, ['bands-2024 5', 'encryption-2026 3', 'encryption-2026 5'],
            'We take a change of less than a tenth as too small to matter in use; a speed printed with one digit does not show it'
        ),
        ('about', 0.20, ['vm-2026 9'], 'Plain meaning of a figure with one digit: nearer to it than to the next round figure'),
        (
            'close', 0.25, ['bands-2024 3', 'vm-2026 1', 'vm-2026 2'],
            'Plain meaning: what is almost the whole lies nearer to the whole than to its half, and halfway between them is three quarters'
        ),
        (
            'similar', 0.25, ['bands-2024 3', 'vm-2026 1', 'vm-2026 2'],
            'Plain meaning: two values are similar if neither is more than a third above the other'
        ),
        ('slightly', 0.25, ['bands-2024 3', 'vm-2026 1', 'vm-2026 2'], 'Plain meaning: more, but by no more than a third'),
        (
            'half', 0.50, ['slow-writes-2022 8', 'vm-2026 5'],
            'Plain meaning: an image is fast if it keeps at least half of the SSD''s speed; a difference is large if one value is at least one and a half times the other'
        ),
        ('little', 0.10, ['bands-2024 4', 'bands-2024 8'], 'Plain meaning: less than a tenth of the whole matters little to most people'),
        ('any', 0.00, [], 'Plain meaning: any difference counts; the interval already includes the variation between runs')
),

conclusion_words (rule, number, low, high, condition, set_on) as (
    values
        ('more', 'any', '1', null, 'faster, larger, more, better, the best: above 1', date '2026-11-22'),
        ('significantly more', 'same', '1 / (1 - t)', null, 'significantly faster: more than the rule “the same” allows', date '2026-11-26'),
        ('less than', 'any', null, '1', 'less than the stated figure', date '2026-11-22'),
        ('no more', 'same', null, '1 / (1 - t)', 'no faster, no better, no advantage, no reduction: the second value is at least nine tenths of the first', date '2026-11-22'),
        ('the same', 'same', '1 - t', '1 / (1 - t)', 'constant, no change, no significant difference: within a tenth', date '2026-11-22'),
        ('about', 'about', '1 - t', '1 + t', 'about, around, the speed of: within a fifth of the stated figure, or within half a unit of its last printed digit where that is more', date '2026-11-22'),
        ('just under', 'about', '1 - t', '1', 'just under: below the stated figure, by a fifth at most', date '2026-11-22'),
        ('almost', 'close', '1 - t', null, 'almost, nearly, close to, little overhead: at least three quarters', date '2026-11-22'),
        ('almost a figure', 'close', '1 - t', 'no more', 'almost a stated figure: at least three quarters of it, and at most a ninth above it', date '2026-11-23'),
        ('similar', 'similar', '1 - t', '1 / (1 - t)', 'similar, small differences, little to choose: at least three quarters, either way', date '2026-11-22'),
        ('slightly more', 'slightly', '1', '1 / (1 - t)', 'slightly faster: more, by a third at most', date '2026-11-22'),
        ('high', 'half', '1 - t', null, 'high, good, fast, well, of an image compared with the SSD: at least half of the SSD''s speed', date '2026-11-22'),
        ('little', 'little', null, 't', 'little, remarkably small, unlikely to be significant: less than a tenth', date '2026-11-23'),
        ('much more', 'half', '1 + t', null, 'by far, substantially, severely, dramatically: at least one and a half times', date '2026-11-22')
),

rules (comparison, rule, outcome, condition, tolerance, reason, source, set_on) as (
    values
        (
            'article_table', 'agreement', 'reproduced, faster, slower, inconclusive, depends on the statistic',
            'The whole 95 % interval of the measured speed over its runs lies within the published figure +- the tolerance, or +- half a unit of its last printed digit where that is more: reproduced; all above: faster; all below: slower; else inconclusive. This must hold for every statistic that the article may have printed; where two of them contradict each other: depends on the statistic. A published range is widened in the same way at both ends; "below" has no lower limit, "above" no upper one',
            0.10,
            'The articles print one run each: the speeds of one image in its three phases differ by up to 8 %. Most figures have two or three digits, which rounding moves by 5 % at most; “about 1” and “0.1” have one, and stand for anything from half to one and a half times as much',
            'The published figures themselves (published_speed); the whole interval since 2026-11-26, two one-sided tests as in Schuirmann 1987; the last printed digit since 2026-11-29, by how the figures are printed',
            '2026-11-22'
        ),
        (
            'measured_speed', 'statistics', 'not comparable, undecided',
            'Bytes / time and the headline of a run differ by more than the tolerance: the cell is marked, with what makes them differ. Their means over the runs differ by more: no comparison of this speed with another one has a verdict',
            0.10,
            'At such a difference the choice of a statistic changes what a reader concludes as much as the articles'' rounding does',
            'Our own choice',
            '2026-11-22'
        ),
        (
            'measured_speed', 'limit', 'not comparable',
            'A speed (bytes / time or the headline, the larger one) that reaches this share of the harness''s speed without a disk, measured just before the cell, is not comparable; then the other runs of the cell do not count',
            0.80,
            'At most a fifth of the time is left for the disk',
            'The core warns from the same share of bytes / time on (NEAR_PERCENT of core/diskbench-core/src/ceiling.rs)',
            '2026-11-21'
        ),
        (
            'every comparison', 'runs', 'too few runs',
            'With fewer runs (repeats) than this there are figures but no verdict: one run does not show the spread between runs',
            3,
            'Two runs give one difference; three give a rough estimate of the spread between runs',
            'Our own choice',
            '2026-11-22'
        ),
        (
            'every comparison', 'same night', 'faster, slower, not beyond the disk, not judged, not comparable, not compared, undecided',
            'Two runs of one repeat that are compared with each other started at most so many hours apart. They are, under each of two releases, an image and the native files: else these files are not the disk itself that the rule of this name needs; an image with and without encryption: else not comparable; an image of driver portable and the native files: else not compared. Two cells of one Mac and release in a conclusion: their first runs started so near each other, and their last ones; else undecided. A guest and its Mac may be of two nights',
            12,
            'A repeat takes some hours, in which the machine is the same; from one night to the next it takes longer than half a day. A format that is added to a study later has the number of an earlier repeat, and a night of its own',
            'Our own choice, after synthetic records of a fast and a slow night had made an image slower that was not',
            '2026-11-29'
        ),
        (
            'start page', 'about equal', 'about equal',
            'A speed is about equal to the fastest if it is at least (1 - tolerance) × the fastest. It is also about equal if its interval across runs reaches that limit or overlaps the interval of the fastest. Both formats are then recommended',
            0.10,
            'The speeds of one image in its three phases differ by up to 8 % in the articles, whose figures have no interval',
            'The published figures themselves (published_speed)',
            '2026-11-23'
        ),
        (
            'start page', 'fast enough', 'recommended',
            'Not encrypted: a format is recommended if its write speed, or the upper end of its interval across runs, is at least (1 - tolerance) × the fastest speed',
            0.50,
            'An article calls speeds of up to about half of the SSD''s “severely degraded”; above that, other properties of a format may decide',
            'The articles: the word, and the figures to which it refers',
            '2026-11-23'
        ),
        (
            'start page', 'published change', null,
            'Published speeds of one image under two releases: one that is higher or lower by more than the tolerance is named, with both figures; the others are counted, with the largest difference among them. There is no verdict',
            0.10,
            'A printed figure has no interval; those of one image in its three phases differ by up to 8 %',
            'The published figures themselves (published_speed)',
            '2026-11-23'
        ),
        (
            'article_size_table', 'agreement', 'reproduced, larger, smaller',
            'The measured size, the median of the runs, is within the published one +- the tolerance: reproduced; above: larger; below: smaller',
            0.10,
            'The files written are inferred, not known, and APFS may clean up at any moment, which changes sizes; a size has no interval',
            'Our own choice',
            '2026-11-21'
        ),
        (
            'release_change', 'chance', 'faster, slower',
            'p_adjusted is below this level, and the whole interval lies beyond the smallest change that counts (rule least change); else: no change shown',
            0.05,
            'The chance of any false alarm among the pairs of one host and two releases',
            'Holm 1979, "A simple sequentially rejective multiple test procedure"',
            '2026-11-22'
        ),
        (
            'release_change', 'least change', 'faster, slower',
            'The whole interval of the ratio lies above 1 + the tolerance: faster; below 1 / (1 + the tolerance): slower',
            0.10,
            'A smaller change does not affect the choice of an image',
            'Our own choice',
            '2026-11-22'
        ),
        (
            'release_change', 'the disk itself', 'faster, slower, not beyond the disk, not judged',
            'The rules “chance” and “least change” must hold twice: for the ratio, and for the ratio / that of the disk itself, which is of comparable native files in the same repeats and nights (rule same night). Only the interval of the ratio lies beyond the smallest change: not beyond the disk. Without such files in three repeats, and for the disk itself: not judged',
            null,
            'Three repeats of one night do not show how much the whole machine differs another night: by temperature, by other work. What affects the disk and an image alike cancels in their ratio',
            'Our own choice, after the same cells had been called changed too often on a machine where nothing changed (page Evidence)',
            '2026-11-29'
        ),
        (
            'format_cost', 'agreement', 'costs next to nothing',
            'The 95 % interval of the ratio lies within 1 +- the tolerance: costs next to nothing; else the rules “chance” and “least change” decide',
            0.05,
            'An unencrypted raw image is a file like any other, and must reach at least (1 - tolerance) × native speed',
            'Our own choice',
            '2026-11-21'
        ),
        (
            'format_cost', 'chance', 'slower, faster',
            'p_adjusted is below this level, and the whole interval lies beyond the smallest change that counts (rule least change); else: no difference shown',
            0.05,
            'As in release_change: the chance of any false alarm among the ratios of one host and release. It is higher if some cells vary far more than others, or runs have two speeds (page Evidence), as no second ratio has to agree',
            'Holm 1979, "A simple sequentially rejective multiple test procedure"',
            '2026-11-23'
        ),
        (
            'format_cost', 'least change', 'slower, faster',
            'The whole interval of the ratio lies below 1 / (1 + the tolerance): slower; above 1 + the tolerance: faster',
            0.10,
            'As in release_change: a smaller difference does not affect the choice of an image',
            'Our own choice',
            '2026-11-23'
        ),
        (
            'encryption_cost', 'none', null,
            'No verdict: the ratio and its interval are shown without one',
            null,
            'How much encryption costs is the question, not whether it costs anything',
            null,
            '2026-11-21'
        ),
        (
            'conclusion', 'the disk itself', 'undecided',
            'An image of one Mac under two releases of macOS, measured: the ratio / that of the disk itself, as in release_change, must have the same verdict as the ratio; if it has another one, or is not known: undecided. Not for the disk of a guest, which has no files without an image',
            null,
            'As in release_change: what slows down the whole Mac, native files included, is no change of images',
            'Our own choice, after one page had called changed what another page did not',
            '2026-11-29'
        ),
        (
            'conclusion', 'faster than the disk', 'undecided',
            'An image was written faster than the disk itself: no pair of figures with that speed decides a conclusion. Published: above the figure of the disk, in the same article, on the same Mac, macOS and storage. Measured: the lower end of its interval × (1 - tolerance) is above the upper end of that of native files, of the same cell and night. Where the speed of the disk itself is not known, the figure counts',
            0.10,
            'Part of the data may still have been in memory when the clock stopped. Measured: a difference of less than a tenth is too small to matter, as in the rule “the same”',
            'Our own choice, after figures had decided a conclusion that another page doubted; of measured ones since 2026-11-30',
            '2026-11-29'
        ),
        (
            'conclusion', 'last printed digit', 'undecided',
            'A figure that an article states may be half a unit of its last printed digit higher or lower: where that crosses a limit, it decides nothing. What compaction freed counts as it follows from the printed sizes',
            null,
            'As in article_table: “about 1” stands for anything from half to one and a half times as much',
            'How the figures are printed',
            '2026-11-30'
        ),
        (
            'conclusion', 'no relationship', 'supported, contradicted',
            'The whole 95 % interval of the rank correlation lies within - the tolerance to + the tolerance: supported; all outside: contradicted',
            0.50,
            'A careful eye can just see a correlation of 0.3; 0.5 is large. Anything below 0.5 is not obvious',
            'Cohen 1992, "A power primer"',
            '2026-11-22'
        )
)

select
    comparison,
    rule,
    outcome,
    condition,
    cast(tolerance as double) as tolerance,
    cast(case rule when 'no relationship' then -tolerance end as double) as supported_from,
    cast(case rule when 'no relationship' then tolerance end as double) as supported_to,
    reason,
    source,
    cast([] as varchar[]) as set_by,
    cast(set_on as date) as set_on
from rules
union all
select
    'conclusion',
    rule,
    'supported, contradicted',
    concat(condition, '. The whole interval inside: supported; the whole interval outside: contradicted'),
    tolerance,
    case low when '1' then 1 when '1 / (1 - t)' then 1 / (1 - tolerance) when '1 - t' then 1 - tolerance when '1 + t' then 1 + tolerance else -'infinity'::double end,
    case high
        when '1' then 1
        when 't' then tolerance
        when '1 / (1 - t)' then 1 / (1 - tolerance)
        when 'no more' then 1 / (1 - (select tolerance from words where number = 'same'))
        when '1 + t' then 1 + tolerance
        else 'infinity'
    end,
    reason,
    'The meaning of the word',
    set_by,
    set_on
from conclusion_words
inner join words using (number)
order by comparison, rule;

-- The tolerance of a rule.
create macro tolerance_of(subject, named) as (select tolerance from verdict_rule where comparison = subject and rule = named);

comment on macro tolerance_of is 'The tolerance of the rule of this name for a table or page (table verdict_rule)';
comment on table verdict_rule is 'Every rule by which figures get a verdict, one row each, with its tolerance; the tables of the comparisons take their tolerances from here. All were written before there was any measurement of a Mac, and after the figures of the articles were known';
comment on column verdict_rule.comparison is 'Table or page whose verdict it decides';
comment on column verdict_rule.rule is 'Name of the rule within that table or page';
comment on column verdict_rule.outcome is 'Outcomes that it decides on; null where there is no verdict';
comment on column verdict_rule.condition is 'The rule in words';
comment on column verdict_rule.tolerance is 'Its tolerance as a share: 0.1 is 10 %; for the rule “runs” a number of runs, for “same night” hours; null where it has none';
comment on column verdict_rule.supported_from is 'Lower limit of what a conclusion is judged by (ratio, or figure / stated figure); null for other comparisons';
comment on column verdict_rule.supported_to is 'Upper limit of the same; null for other comparisons';
comment on column verdict_rule.reason is 'Why this tolerance';
comment on column verdict_rule.source is 'Where the rule or its tolerance comes from; null where there is no verdict';
comment on column verdict_rule.set_by is 'Conclusions whose own published figures were first given as the reason for the tolerance: those figures cannot decide them';
comment on column verdict_rule.set_on is 'Day on which the tolerance was set; no Mac had been measured';

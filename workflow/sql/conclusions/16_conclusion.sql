create table conclusion as

select
    * exclude (scale) replace (cast(number as integer) as number, cast(ours as boolean) as ours, cast(stated as double) as stated),
    'bash workflow/run.sh --config study=' || study || ' scale=' || scale || ' repeats=3' as command,
    case when comparison is not null then concat(
        e'-- ', replace(claim, e'\n', ' '), e'\n',
        e'select basis, host, release, outcome, detail from conclusion_answers()\n',
        format(e'where article = ''{}'' and number = {}\n', article, number),
        'order by basis desc, host, release'
    ) end as sql
from raw_conclusion
order by article, number;

comment on table conclusion is 'Each conclusion that an article draws, with the parameters of the query that supports or contradicts it (macro conclusion_answers)';
comment on column conclusion.claim is 'The conclusion in our words';
comment on column conclusion.ours is 'True when the article gives the figures and the conclusion is our reading of them';
comment on column conclusion.comparison is 'What is compared: speed, size (bytes on disk), reclaimed (bytes that compaction freed / bytes that emptying and compaction freed together), spread (95th percentile of the files'' rates / the 5th), rounds (last round / first), relation (rank correlation of rate and size of the files); null where no figure can decide';
comment on column conclusion.cells is 'Pairs of cells, separated by "; ": left / right, left - right, or left alone. A cell is a format, then an encryption if any, then a phase if not fresh (for a size, the state of the image). After @ is a Mac or a macOS other than the one that is judged. UDRW|UDSP: one of the two, the article does not say which; smaller-bands, larger-bands: the fastest other size of bands';
comment on column conclusion.ops is 'read, write, or both: each pair is compared in each; null for sizes';
comment on column conclusion.storage is 'Slugs of storage: each pair is compared on each; null where nothing can be measured';
comment on column conclusion.stated is 'Figure that the article states (GB/s, or a ratio); the comparison is divided by it; null means 1';
comment on column conclusion.rule is 'Rule that decides, chosen by the wording of the article: verdict_rule.rule of comparison "conclusion"';
comment on column conclusion.study is 'Article whose Macs, macOS, protocol and scale a measurement must have; null where no study measures it';
comment on column conclusion.command is 'The command that measures it; null where no study does';
comment on column conclusion.sql is 'The query that answers it from this database; null where no figure can';

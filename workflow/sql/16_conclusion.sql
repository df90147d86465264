-- What the articles conclude, and the query that each conclusion is held against: that of its file, and what stands in
-- the answer where there is nothing to ask.
create table conclusion as

with files as (
    select
        article,
        try_cast(number as integer) as number,
        regexp_extract(sql, '^(--[^\n]*\n)*') as comment,
        regexp_replace(rtrim(substr(sql, length(comment) + 1), e'\n'), '(?m)^(.)', '    \1', 'g') as answers
    from raw_conclusion_query
)

select
    conclusion.article as article,
    cast(conclusion.number as integer) as number,
    claim,
    quote,
    source,
    nullif(note, '') as note,
    published_gap,
    nullif(measured_gap, '') as measured_gap,
    case when files.answers is not null then concat(
        files.comment,
        e'with answers as (\n', files.answers, e'\n)\n\n',
        e'select basis, host, release, outcome, detail from answers\n',
        e'union all\n',
        format('select ''published'', null, null, ''undecided'', ''{}''', replace(published_gap, '''', '''''')), e'\n',
        e'where ''published'' not in (select basis from answers)\n',
        case
            when measured_gap <> '' then concat(
                e'union all\n',
                format('select ''measured'', null, null, ''not measured yet'', ''{}''', replace(measured_gap, '''', '''''')), e'\n',
                e'where ''measured'' not in (select basis from answers)\n'
            )
        end,
        e'order by basis desc, host, release\n'
    ) end as sql
from raw_conclusion as conclusion
left join files
    on files.article = conclusion.article
    and files.number = cast(conclusion.number as integer)
order by conclusion.article, cast(conclusion.number as integer);

comment on table conclusion is 'Each conclusion that an article draws, with the query that supports or contradicts it';
comment on column conclusion.article is 'Slug of the article (table article)';
comment on column conclusion.number is 'Position of the conclusion within its article, from 1';
comment on column conclusion.claim is 'The conclusion in our words';
comment on column conclusion.quote is 'The conclusion in the words of the article, exactly';
comment on column conclusion.source is 'Address of the article';
comment on column conclusion.note is 'Doubts about what is meant; null when there are none';
comment on column conclusion.published_gap is 'What is answered where the article''s own figures do not decide it';
comment on column conclusion.measured_gap is 'What is answered where nothing was measured that could: the command that would; null where no measurement can';
comment on column conclusion.sql is 'The query that answers it from this database; null where no figure can';

-- What the articles conclude, and the query that each conclusion is held against.
create table conclusion as

select
    conclusion.article as article,
    cast(conclusion.number as integer) as number,
    claim,
    quote,
    source,
    nullif(note, '') as note,
    query.sql as sql
from raw_conclusion as conclusion
left join raw_conclusion_query as query
    on query.article = conclusion.article
    and try_cast(query.number as integer) = cast(conclusion.number as integer)
order by conclusion.article, cast(conclusion.number as integer);

comment on table conclusion is 'Each conclusion that an article draws, with the query that supports or contradicts it';
comment on column conclusion.article is 'Slug of the article (table article)';
comment on column conclusion.number is 'Position of the conclusion within its article, from 1';
comment on column conclusion.claim is 'The conclusion in our words';
comment on column conclusion.quote is 'The conclusion in the words of the article, exactly';
comment on column conclusion.source is 'Address of the article';
comment on column conclusion.note is 'Doubts about what is meant; null when there are none';
comment on column conclusion.sql is 'The query that answers it from this database; null where there is none';

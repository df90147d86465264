-- data/published/articles.csv, typed. Empty text means "not stated" and becomes null.
create temp table stg_article as

select
    article,
    title,
    cast(nullif(published_on, '') as date) as published_on,
    author,
    source,
    cast(words as integer) as words,
    read_as,
    nullif(note, '') as note
from raw_article;

comment on table stg_article is 'articles.csv with types';
comment on column stg_article.article is 'Slug of the article';
comment on column stg_article.title is 'Title as published';
comment on column stg_article.published_on is 'Day of publication; null when it was not shown';
comment on column stg_article.author is 'Who wrote it';
comment on column stg_article.words is 'Words of its text, counted as parts between spaces';
comment on column stg_article.source is 'Address where it was read';
comment on column stg_article.read_as is 'How much of it could be read';
comment on column stg_article.note is 'Doubts about this row; null when there are none';

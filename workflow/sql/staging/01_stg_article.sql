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

create table article as

select * replace (cast(published_on as date) as published_on, cast(words as integer) as words)
from raw_article
order by published_on nulls last, article;

comment on table article is 'The articles whose figures and methods diskbench repeats, one row each';
comment on column article.article is 'Slug of the article; the other tables refer to it by this slug';
comment on column article.title is 'Title as published';
comment on column article.published_on is 'Day of publication; null when it was not shown where the article was read';
comment on column article.author is 'Who wrote it';
comment on column article.words is 'Number of words in its text, title and lists included, split at spaces: the quoted share is computed from it';
comment on column article.source is 'Address where it was read; that of the author''s site if the exact one was not shown';
comment on column article.read_as is 'How much of it could be read';

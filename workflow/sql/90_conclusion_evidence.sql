-- What each conclusion's query (conclusion.sql) answers now, when all other tables are there. workflow/scripts/database/
-- conclusions.py runs the queries of workflow/sql/conclusions and fills this table.
create table conclusion_evidence (
    article varchar,
    number integer,
    basis varchar,
    host varchar,
    release varchar,
    outcome varchar,
    detail varchar
);

comment on table conclusion_evidence is 'What the figures say of each conclusion that an article draws: the rows that its query (conclusion.sql) answers, one for the article''s own figures (or one for each of its Macs) and one per measured host and release. Only comparable figures count; differences below 10 % decide nothing';
comment on column conclusion_evidence.article is 'Slug of the article (table article)';
comment on column conclusion_evidence.number is 'Number of the conclusion within its article (table conclusion)';
comment on column conclusion_evidence.basis is 'published: the article''s own figures; measured: ours';
comment on column conclusion_evidence.host is 'Slug of the machine; null where no single one is meant';
comment on column conclusion_evidence.release is 'Release of macOS as published, or OS release as measured; null where no single one is meant';
comment on column conclusion_evidence.outcome is 'supported, contradicted, undecided (no figures decide it, or they are too close), or not measured yet';
comment on column conclusion_evidence.detail is 'The figures in a sentence, or why there are none; for "not measured yet" the command that measures it';

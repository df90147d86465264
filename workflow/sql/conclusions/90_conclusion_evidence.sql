-- The result of each conclusion's query (conclusion.sql); made last, as it needs all other tables.
create table conclusion_evidence as

from conclusion_answers()
order by article, number, basis desc, host, release;

comment on table conclusion_evidence is 'What the figures say about each conclusion that an article draws: one row for the article''s own figures, one per measured Mac and release. "supported" needs every cell; one pair of cells that contradicts is enough, whichever others are missing. Both need enough repeats, and the Mac and macOS of the article';
comment on column conclusion_evidence.basis is 'published: the article''s own figures; measured: ours';
comment on column conclusion_evidence.host is 'Slug of the Mac; null where there is no single one';
comment on column conclusion_evidence.release is 'Release of macOS as published, or OS release as measured; null where no single one is meant';
comment on column conclusion_evidence.measured_host is 'Machine of this release (table host): the Mac, or a guest on it if the Mac has no figure under it; null for the article''s own figures, and where nothing was measured';
comment on column conclusion_evidence.outcome is 'supported, contradicted, undecided (a figure is missing, only recalled, or the source of the conclusion or its rule; too few repeats; figures that were not measured alike, or not in one night; a speed that depends on the statistic; a write that is faster than the disk itself; two releases of macOS of which the disk itself shows something else, or nothing; or an interval that crosses a limit), not comparable (another Mac or macOS than those of the article''s figures of these images), or not measured yet';
comment on column conclusion_evidence.detail is 'What is missing, the figures, and the limits that they are compared with; for "not measured yet" the command that measures it';
comment on column conclusion_evidence.vouched_by is 'Who vouches for the records that it rests on (host.vouched_by), several with "and" between them; null for the article''s own figures, and where nothing was measured';
comment on column conclusion_evidence.made_up is 'True when any figure that it rests on is of synthetic records, which are not results (host.made_up)';

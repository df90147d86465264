-- The results of probes over all reports of a build: one contradiction contradicts a statement; otherwise one confirmation
-- confirms it. Withdrawn statements are left out.
create table macos_verdict as

select
    macos,
    build,
    statement,
    case
        when bool_or(verdict = 'contradicted') then 'contradicted'
        when bool_or(verdict = 'confirmed') then 'confirmed'
        else 'unknown'
    end as verdict,
    count(*) as reports,
    arg_min(detail, (case verdict when 'contradicted' then 0 when 'confirmed' then 1 else 2 end, report)) as detail
from raw_probe
semi join macos_statement using (statement)
group by macos, build, statement
order by macos, build, statement;

comment on table macos_verdict is 'Whether a statement about macOS was confirmed, one row per statement and probed build: from data/probes';
comment on column macos_verdict.macos is 'Release of macOS that was probed';
comment on column macos_verdict.build is 'Its build';
comment on column macos_verdict.statement is 'The statement, as in macos_statement';
comment on column macos_verdict.verdict is 'confirmed, contradicted, or unknown: it could not be tried';
comment on column macos_verdict.reports is 'Reports of this build that are about it';
comment on column macos_verdict.detail is 'What was done and seen in the report that decided; where it is unknown, why';

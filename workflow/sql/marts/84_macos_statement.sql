-- The driver's assumptions about macOS: workflow/config/statements.yaml.
create table macos_statement as

select
    statement,
    says,
    cast(since as integer) as since_macos,
    cast(until as integer) as until_macos,
    used as relied_on_in,
    source,
    probe,
    without as why_no_probe
from raw_statement
order by statement;

comment on table macos_statement is 'Statements about macOS that the driver relies on, one row each: macos_verdict says whether they were confirmed';
comment on column macos_statement.statement is 'Its name, which never changes';
comment on column macos_statement.says is 'The statement';
comment on column macos_statement.since_macos is 'The first macOS that it is about, such as 26';
comment on column macos_statement.until_macos is 'The last macOS that it is about; null where it has no end';
comment on column macos_statement.relied_on_in is 'Files of the core that rely on it; null where none does';
comment on column macos_statement.source is 'Its source';
comment on column macos_statement.probe is 'Probe (of run.sh probe) that tests it; null where none can';
comment on column macos_statement.why_no_probe is 'Why no probe can test it; null where one does';

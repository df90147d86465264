-- The machines, one row per OS release; if records differ, the latest counts. The releases of a machine are ordered
-- by their version numbers, builds of one version of macOS by the builds, those of other systems by the day they were first
-- measured.
create table host as

with latest as (
    select
        description.host as host,
        description.release as release,
        record.host as facts,
        min(started_utc) over everything as first_started_utc,
        max(finished_utc) over everything as last_finished_utc,
        count(*) over everything as cells,
        -- synthetic records are marked in slug, model or chip
        bool_or(regexp_matches(
            concat_ws(' ', description.host, record.host.model, record.host.chip), 'made-up|synthetic'
        )) over everything as made_up,
        bool_or(coalesce(record.host.stand_in, false)) over everything as stand_in,
        row_number() over (
            partition by description.host, description.release
            order by started_utc desc, cell desc
        ) as age
    from stg_record as record
    window everything as (partition by description.host, description.release)
)

select
    host,
    release,
    facts.os.name as os_name,
    facts.os.version as os_version,
    facts.os.build as os_build,
    case when lower(facts.os.name) = 'macos' then macos_name(facts.os.version, facts.os.build) end as macos,
    facts.os.kernel as kernel,
    facts.model as model,
    facts.chip as chip,
    facts.architecture as architecture,
    (
        select string_agg(concat(core.count, ' ', core.kind), ', ' order by core.count desc, core.kind)
        from (select unnest(facts.cores) as core)
    ) as cores,
    facts.memory_bytes as memory_bytes,
    facts.page_bytes as page_bytes,
    facts.virtual_machine as virtual_machine,
    (
        select string_agg(concat_ws(' ', tool.name, tool.version), ', ' order by tool.name)
        from (select unnest(facts.tools) as tool)
    ) as tools,
    made_up,
    stand_in,
    coalesce(
        (select any_value(told) from raw_vouched where raw_vouched.host = latest.host and raw_vouched.release = latest.release), 'own'
    ) as vouched_by,
    cells,
    first_started_utc,
    last_finished_utc,
    row_number() over releases as release_number
from latest
where age = 1
window releases as (
    partition by host
    order by
        release_order(facts.os.version) nulls first,
        case when lower(facts.os.name) = 'macos' then build_order(facts.os.build) end,
        first_started_utc,
        release
)
order by host, release;

comment on table host is 'The machines that were measured, one row per OS release; null where something is not known';
comment on column host.release is 'OS release as in the path of the records';
comment on column host.macos is 'Name of the release of macOS: 26.4, 26.3.1 (a) for the update, 26.4 beta for every beta; null for other systems';
comment on column host.kernel is 'Kernel and its version';
comment on column host.model is 'Model of the machine';
comment on column host.chip is 'Processor';
comment on column host.architecture is 'Processor architecture';
comment on column host.cores is 'Cores by kind';
comment on column host.memory_bytes is 'Memory in bytes';
comment on column host.page_bytes is 'Size of a memory page in bytes';
comment on column host.virtual_machine is 'True when the machine is a virtual one';
comment on column host.tools is 'Tools used and their versions; null when none were';
comment on column host.made_up is 'True when a test made its records: they are synthetic, not results; pages mark them';
comment on column host.stand_in is 'True when any of its records comes from stand-ins, programs that imitate those of macOS: what it says about a Mac then comes from them; pages mark it';
comment on column host.vouched_by is 'Who vouches for its records: own, community (somebody sent them), or hosted runner; from the file vouched-by beside the records of the release';
comment on column host.cells is 'Number of records of this host and release';
comment on column host.first_started_utc is 'Start of its first cell, UTC';
comment on column host.last_finished_utc is 'End of its last cell, UTC';
comment on column host.release_number is 'Position of the release among those of this host, from 1: by version; builds of one version of macOS in the order of macro build_order, those of other systems by the day they were first measured';

-- Published sizes of images and ours: size on disk, bands, free space inside, space freed by compaction. Published sizes that
-- describe a method (nominal sizes, numbers of files) are not results and are left out. For each published figure, measured host
-- and release: the closest cell, over all its runs, as in article_table, without stand-ins and unusual band sizes.
--
-- Measured: allocated_bytes, bands and volume_free_bytes of that state of the image; "reclaimed" is the size on disk
-- before compaction minus that after it (the article has what the tool reported).
--
-- Warm reads, sleep or another cache mode affect speeds, not sizes, and do not count; scale counts, because it is the amount
-- written, and so does the file system of the disk, which may have no sparse files. For free space of an empty volume the tolerance is generous: compare the figures.
create table article_size_table as

-- how the speeds of the same images were measured
with methods as (
    select distinct article, protocol, scale
    from published_speed
    where not second_hand and protocol <> 'unstated' and scale not in ('unstated', 'tenth') and format not in ('native', 'VM')
),

figures as (
    select
        size.*,
        coalesce(methods.protocol, 'unstated') as protocol,
        coalesce(methods.scale, 'unstated') as scale,
        case size.unit when 'MB' then 1e6 when 'GB' then 1e9 when 'TB' then 1e12 else 1 end as factor
    from published_size as size
    left join methods using (article)
    where size.quantity in ('on-disk', 'bands', 'free', 'reclaimed')
),

-- each quantity, state and measured cell; sizes of a cell that failed are no run
sizes as (
    from container_size
    semi join (from cell where status = 'measured') using (cell)
),

looked_at as (
    select cell, state, 'on-disk' as quantity, allocated_bytes as amount from sizes
    union all
    select cell, state, 'bands' as quantity, bands as amount from sizes
    union all
    select cell, state, 'free' as quantity, volume_free_bytes as amount from sizes
    union all
    select
        cell,
        state,
        'reclaimed' as quantity,
        lag(allocated_bytes) over (partition by cell order by "order") - allocated_bytes as amount
    from sizes
    qualify state = 'compacted'
),

-- every run of each compared cell that was measured like the newest: same epoch, same number of files, same file system
looked_up as (
    select
        figure.article,
        figure.table_order,
        cell.*,
        record.host.storage.file_system as file_system,
        looked_at.amount
    from figures as figure
    inner join cell
        on cell.format = figure.format
        and figure.encryption in (cell.encryption, 'unstated', 'any')
        and not cell.stand_in
        -- nor for an unidentified image, or one in memory
        and not list_has_any(coalesce(cell.why_not_comparable, []), ['image-unknown', 'in-memory'])
        and cell.band_bytes is null
    inner join stg_record as record on record.cell = cell.cell
    -- cells that failed or were skipped have every state of their phase, without an amount
    semi join raw_state
        on raw_state.protocol = cell.protocol
        and raw_state.phase = cell.phase
        and raw_state.state = figure.state
    left join looked_at
        on looked_at.cell = cell.cell
        and looked_at.state = figure.state
        and looked_at.quantity = figure.quantity
    qualify (looked_at.amount is not null, cell.harness_epoch, cell.sets, record.host.storage.file_system)
        is not distinct from first_value((looked_at.amount is not null, cell.harness_epoch, cell.sets, record.host.storage.file_system)) over (
            partition by figure.article, figure.table_order, cell.series
            order by looked_at.amount is not null desc, cell.harness_epoch desc, cell.started_utc desc, cell.cell
        )
),

repeated as (
    select
        article,
        table_order,
        any_value(columns('^(host|release|os_name|os_version|os_build|driver|scale|storage|protocol|file_system)$')) as 'measured_\0',
        max(sets) as sets,
        min_by(cell, (status <> 'measured', repeat)) as cell,
        min_by(status, (status <> 'measured', repeat)) as measured_status,
        -- not min_by, which skips nulls
        first(reason order by status <> 'measured', repeat) as measured_reason,
        median(amount) as amount,
        count(amount) as measured_runs
    from looked_up
    group by article, table_order, series
),

closest as (
    select measured.*
    from repeated as measured
    inner join figures as figure using (article, table_order)
    qualify row_number() over (
        partition by article, table_order, measured_host, measured_release
        order by
            measured_driver = 'portable',
            measured_scale = 'smoke',
            amount is not null desc,
            measured_status = 'measured' desc,
            measured_storage = figure.storage desc,
            measured_protocol = figure.protocol desc,
            measured_scale = figure.scale desc,
            sets desc,
            cell
    ) = 1
),

compared as (
    select
        figure.*,
        measured.* exclude (article, table_order),
        measured.amount / figure.factor as measured_value,
        case figure.kind when 'below' then 0 else figure.value * (1 - tolerance_of('article_size_table', 'agreement')) end as reproduced_from,
        case figure.kind when 'above' then 'infinity' else figure.value * (1 + tolerance_of('article_size_table', 'agreement')) end as reproduced_to,
        host.made_up,
        host.vouched_by,
        host.release_number as measured_release_number,
        not same_macos(figure.macos, measured.measured_os_name, measured.measured_os_version, measured.measured_os_build) as another_release,
        -- every article with measured sizes has a study that measures them
        case when figure.protocol <> 'unstated' then concat('bash workflow/run.sh --config study=', figure.article, ' scale=', figure.scale) end as command,
        case
            when measured.cell is null then null
            when figure.value is null then ['no-number']
            else codes([
                case when measured.measured_scale = 'smoke' then 'smoke' end,
                case
                    when measured.measured_status <> 'measured' then measured.measured_status
                    when measured.amount is null then 'not-looked-at'
                end,
                case when figure.macos = 'unstated' then 'macos-unstated' end,
                case
                    when figure.host = 'unstated' then 'machine-unstated'
                    when figure.host <> measured.measured_host then 'other-machine'
                    when host.virtual_machine then 'virtual-machine'
                    when host.chip is null or host.virtual_machine is null then 'machine-unknown'
                    -- slugs can be chosen freely
                    when host.chip <> published_host.chip then 'other-chip'
                end,
                case when figure.storage not in (measured.measured_storage, 'unstated') then 'other-storage' end,
                -- as in unlike_the_articles
                case when measured.measured_file_system <> 'apfs' then 'other-file-system' end,
                case when figure.protocol <> measured.measured_protocol then 'other-protocol' end,
                case when measured.measured_scale <> 'smoke' and figure.scale not in (measured.measured_scale, 'unstated') then 'other-scale' end,
                case when measured.measured_driver = 'portable' then 'our-driver' end
            ])
        end as difference
    from figures as figure
    left join closest as measured using (article, table_order)
    left join published_host on published_host.host = figure.host
    left join host
        on host.host = measured.measured_host
        and host.release = measured.measured_release
),

judged as (
    select
        *,
        case
            when cell is null then 'not measured yet'
            when difference = [measured_status] and not another_release then 'could not be measured'
            when difference is not null then 'not comparable'
            when another_release then 'another release'
            when measured_runs < tolerance_of('every comparison', 'runs') then 'too few runs'
            when measured_value < reproduced_from then 'smaller'
            when measured_value > reproduced_to then 'larger'
            else 'reproduced'
        end as verdict
    from compared
)

select
    article,
    table_order,
    table_name,
    host,
    macos,
    storage,
    format,
    encryption,
    quantity,
    state,
    condition,
    unit,
    kind,
    as_printed,
    value as published_value,
    case when unit in ('MB', 'GB', 'TB') then cast(round(value * factor) as bigint) end as published_bytes,
    quote,
    note,
    command,
    measured_host,
    measured_release,
    measured_driver,
    measured_scale,
    made_up,
    vouched_by,
    measured_runs,
    measured_value,
    case when difference is null and measured_value >= 0 then measured_value / nullif(value, 0) end as ratio,
    verdict,
    case verdict when 'not comparable' then difference when 'not measured yet' then if(command is null, ['method-unstated'], null) end as reasons,
    measured_reason,
    measured_release_number,
    measured_protocol,
    protocol,
    scale,
    cell
from judged
order by article, table_order, measured_host nulls first, measured_release_number;

comment on table article_size_table is 'Space of images on disk, published and measured, side by side: size, bands, free space inside, and what compaction freed; one row per published figure, measured host and OS release. "reproduced": the difference from the published figure is within the tolerance (verdict_rule); "larger": above that range; "smaller": below it. There is a tolerance because the files written are inferred and APFS may clean up at any moment, which changes sizes. The measured value is the median of the measured runs, without an interval; sizes of cells that failed do not count. "too few runs", "another release", "not comparable", "not measured yet": there is no verdict; nor if a cell that would be compared failed or was skipped: "could not be measured"';
comment on column article_size_table.host is 'Mac of the published figure';
comment on column article_size_table.storage is 'Storage of the published figure';
comment on column article_size_table.encryption is 'Encryption of the published figure';
comment on column article_size_table.quantity is 'on-disk (size on disk), bands, free (free space inside the image), or reclaimed (by compaction)';
comment on column article_size_table.state is 'State of the image at that moment: new, churned, emptied, emptied-again, compacted, ...';
comment on column article_size_table.unit is 'Unit as printed; of measured_value as well';
comment on column article_size_table.published_value is 'The published number, in its unit';
comment on column article_size_table.published_bytes is 'The same in bytes; null for bands';
comment on column article_size_table.command is 'The command that measures it and the rest of its article''s experiment, to run on such a machine; null where none does';
comment on column article_size_table.measured_driver is 'Driver of the measured cell: apple or portable';
comment on column article_size_table.measured_runs is 'Measured runs (repeats) whose median it is';
comment on column article_size_table.measured_value is 'What we measured, in the unit of the published number: the median of the runs';
comment on column article_size_table.ratio is 'Measured / published; null where one is missing or less than 0, and where they are not comparable';
comment on column article_size_table.verdict is 'reproduced, larger, smaller, too few runs, another release, not comparable, could not be measured or not measured yet';
comment on column article_size_table.reasons is 'Why it is not comparable, or why no command measures it, as codes (table reason); else null';
comment on column article_size_table.protocol is 'Protocol behind the published figure, or "unstated"';
comment on column article_size_table.scale is 'Scale of the published figure, or "unstated"';
comment on column article_size_table.cell is 'Id of the first of these runs (table cell)';

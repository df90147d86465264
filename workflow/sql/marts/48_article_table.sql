-- The articles' figures and ours. For each published figure, measured host and release: the closest measured cell, over all
-- its runs, by these criteria in order: macOS's own images before ours, any scale before smoke, measured before failed,
-- comparable before not, same encryption, same storage, same protocol (if none is stated usage-phases, whose reads cannot come
-- from memory), same scale, same phase (else a fresh image), more bytes. Stand-ins and unusual band sizes are left out.
--
-- No article says which statistic it prints. So each statistic that its tool has used is compared with the figure, with the
-- interval of repeated_speed, and there is a verdict only if all agree. The rules, their tolerances and reasons are in
-- verdict_rule. A skipped or failed cell "could not be measured" if nothing else differs, macOS included. Any other difference
-- makes it "not comparable" and is named, and so does a recalled figure without its protocol. For another release of macOS there is a ratio without a verdict. A row of
-- a picture without a number in the text is kept with our figure, without a comparison. A row that is not comparable has no ratio.
--
-- The same kind of Mac means the same slug. A guest cannot find out its host: for format VM only its chip is compared with that
-- of the published Mac (published_host).
create table article_table as

with closest as (
    select
        figure.article,
        figure.table_order,
        measured.* replace (count(*) over (partition by figure.article, figure.table_order, figure.op, measured.host, measured.release) as cells)
    from stg_published_figure as figure
    inner join repeated_speed as measured
        on measured.op = figure.op
        and measured.statistic = 'theil_sen'
        and measured.format = figure.format
        -- the disk itself has no phases, and is included whatever its encryption: the verdict names the difference
        and (figure.format = 'native' or figure.phase in (measured.phase, 'unstated'))
        and (figure.format = 'native' or figure.encryption in (measured.encryption, 'unstated'))
        and not measured.stand_in
        and measured.band_bytes is null
    qualify row_number() over (
        partition by figure.article, figure.table_order, figure.op, measured.host, measured.release
        order by
            measured.driver = 'portable',
            measured.scale = 'smoke',
            measured.status = 'measured' desc,
            measured.comparable desc,
            -- the disk itself is included whatever its encryption
            measured.encryption = figure.encryption desc,
            measured.storage = figure.storage desc,
            measured.protocol = figure.protocol desc,
            measured.protocol = 'usage-phases' desc,
            measured.scale = figure.scale desc,
            measured.phase = figure.phase desc,
            measured.phase = 'fresh' desc,
            measured.bytes desc,
            measured.cell
    ) = 1
),

-- a guest's chip has the suffix (Virtual)
machines as (
    select
        host,
        release,
        made_up,
        vouched_by,
        release_number,
        virtual_machine,
        chip is null or virtual_machine is null as unknown,
        trim(replace(chip, '(Virtual)', '')) as chip
    from host
),

compared as (
    select
        figure.*,
        published_table.table_number,
        measured.cell,
        columns(measured.* exclude (article, table_order, op, cell, statistics_differ)) as 'measured_\0',
        measured.statistics_differ,
        machines.made_up,
        machines.vouched_by,
        machines.release_number as measured_release_number,
        -- a range is printed as "0.08 to 0.5"
        case figure.kind
            when 'below' then 0
            else figure.gbps * (1 - greatest(tolerance_of('article_table', 'agreement'), rounded_by(string_split(figure.as_printed, ' to ')[1])))
        end as reproduced_from,
        case figure.kind
            when 'above' then 'infinity'
            else coalesce(figure.gbps_to, figure.gbps)
                * (1 + greatest(tolerance_of('article_table', 'agreement'), rounded_by(string_split(figure.as_printed, ' to ')[-1])))
        end as reproduced_to,
        not same_macos(figure.macos, split_part(measured.release, '-', 1), measured.os_version, measured.os_build) as another_release,
        case
            when measured.cell is null then null
            when figure.gbps is null then ['no-number']
            else codes(list_concat(
                list_concat(
                    measured.why_not_comparable,
                    -- slugs can be chosen freely
                    unlike_the_articles(
                        measured.method,
                        case when figure.host = measured.host then published_host.chip end,
                        theirs.disk,
                        theirs.disk_encryption
                    )
                ),
                [
                    case when figure.second_hand and figure.protocol = 'unstated' then 'recalled' end,
                    case when measured.status = 'measured' and measured.gbps is null then 'no-headline' end,
                    case when figure.macos = 'unstated' then 'macos-unstated' end,
                    case
                        when figure.host = 'unstated' then 'machine-unstated'
                        when figure.format = 'VM' and machines.virtual_machine and machines.chip = published_host.chip then null
                        when figure.host <> measured.host then 'other-machine'
                        when figure.format <> 'VM' and machines.virtual_machine then 'virtual-machine'
                    end,
                    case when figure.host = measured.host and machines.unknown then 'machine-unknown' end,
                    case when figure.storage not in (measured.storage, 'unstated') then 'other-storage' end,
                    case when figure.encryption not in (measured.encryption, 'unstated') then 'other-encryption' end,
                    case when figure.tool not in ('Stibium', 'unstated') then 'other-tool' end,
                    case when figure.protocol not in (measured.protocol, 'unstated') then 'other-protocol' end,
                    case when measured.scale <> 'smoke' and figure.scale not in (measured.scale, if(measured.scale = 'tenth', 'tenth', 'unstated')) then 'other-scale' end,
                    case when measured.driver = 'portable' then 'our-driver' end
                ]
            ))
        end as difference
    from stg_published_figure as figure
    left join published_table using (article, table_name)
    left join published_host using (host)
    left join closest as measured using (article, table_order, op)
    left join article_disks() as theirs
        on theirs.host = figure.host
        and theirs.host = measured.host
        and theirs.storage = figure.storage
        and theirs.storage = measured.storage
    left join machines
        on machines.host = measured.host
        and machines.release = measured.release
),

-- each statistic separately
by_statistic as (
    select
        compared.article,
        compared.table_order,
        compared.op,
        compared.cell,
        each.statistic,
        each.gbps as each_gbps,
        each.gbps / compared.gbps as ratio,
        case
            when each.gbps_high < compared.reproduced_from then 'slower'
            when each.gbps_low > compared.reproduced_to then 'faster'
            when compared.reproduced_from <= each.gbps_low and each.gbps_high <= compared.reproduced_to then 'reproduced'
            else 'inconclusive'
        end as outcome
    from compared
    inner join repeated_speed as each using (cell, op)
    -- the median is not a candidate
    where each.statistic <> 'median'
),

candidate_verdict as (
    select
        article,
        table_order,
        op,
        cell,
        max(each_gbps) filter (where statistic = 'total') as measured_total_gbps,
        bool_or(outcome = 'inconclusive') as uncertain,
        list(distinct outcome order by outcome) filter (where outcome <> 'inconclusive') as outcomes,
        min(ratio) as least_ratio,
        max(ratio) as largest_ratio
    from by_statistic
    group by article, table_order, op, cell
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
            when len(outcomes) > 1 then 'depends on the statistic'
            when uncertain then 'inconclusive'
            else outcomes[1]
        end as verdict,
        kind <> 'range' and difference is null as divided,
        -- the article's study contains the cell, as a test checks
        case when why_no_command is null then concat('bash workflow/run.sh --config study=', article, ' scale=', scale_to_run) end as command
    from (
        select
            *,
            case scale when 'unstated' then 'gold' else scale end as scale_to_run,
            case
                when format = 'unstated' then 'format-unstated'
                when format = 'VM' and protocol = 'unstated' then 'guest-unstated'
                when tool not in ('Stibium', 'unstated') then 'other-tool'
                when second_hand and protocol = 'unstated' and macos <> 'unstated' then 'recalled'
            end as why_no_command
        from compared
        left join candidate_verdict using (article, table_order, op, cell)
    )
)

-- a narrow terminal shows only the first and last columns
select
    article,
    table_order,
    op,
    format,
    encryption,
    phase,
    host,
    macos,
    storage,
    condition,
    protocol,
    scale,
    tool,
    kind,
    gbps_to as published_gbps_to,
    as_printed,
    unit_as_printed,
    second_hand,
    reason,
    quote,
    source,
    note,
    table_name,
    table_number,
    command,
    cell,
    measured_host,
    measured_release,
    measured_os_version,
    measured_protocol,
    measured_scale,
    measured_storage,
    measured_driver,
    measured_encryption,
    measured_status,
    measured_files,
    measured_runs,
    measured_cells,
    measured_total_gbps,
    made_up,
    vouched_by,
    statistics_differ,
    measured_gbps_low,
    measured_gbps_high,
    case when divided then measured_gbps_low / gbps end as ratio_low,
    case when divided then measured_gbps_high / gbps end as ratio_high,
    case when divided then least_ratio end as least_ratio,
    case when divided then largest_ratio end as largest_ratio,
    gbps as published_gbps,
    measured_gbps,
    case when divided then measured_gbps / gbps end as ratio,
    verdict,
    case verdict
        when 'not comparable' then difference
        when 'depends on the statistic' then outcomes
        when 'not measured yet' then codes([why_no_command])
    end as reasons,
    measured_reason,
    measured_release_number
from judged
order by article, table_order, op, measured_host nulls first, measured_release_number;

comment on table article_table is 'The articles'' figures beside ours: one row per published figure, direction, measured host and OS release; rows of the articles'' tables whose number is not in the text are included. "reproduced": the whole 95 % interval across runs lies within the published figure +- the tolerance of verdict_rule, or +- half a unit of the figure''s last printed digit where that is more; "faster", "slower": the whole interval lies above, below that range; "inconclusive": anything else. This must hold for every statistic that the article may have printed; where two of them contradict each other: "depends on the statistic". "too few runs", "another release", "not comparable", "not measured yet": there is no verdict; nor if a cell that would be compared failed or was skipped: "could not be measured"';
comment on column article_table.encryption is 'Encryption of the published figure, or "unstated"';
comment on column article_table.host is 'Mac of the published figure, or "unstated"';
comment on column article_table.storage is 'Storage of the published figure, or "unstated"';
comment on column article_table.protocol is 'Protocol behind the published figure, or "unstated"';
comment on column article_table.scale is 'Scale of the published figure, or "unstated"';
comment on column article_table.published_gbps_to is 'Upper end of a published range, GB/s; else null';
comment on column article_table.reason is 'Why the article gives no figure; null where it does';
comment on column article_table.table_number is 'Position of that table within its article, from 1; null for a figure of the text';
comment on column article_table.command is 'Command that measures this cell and the rest of its article''s experiment, to run on such a machine (for format VM inside a guest); null where no command does: reasons say why';
comment on column article_table.cell is 'Id of the measured cell (table cell)';
comment on column article_table.measured_os_version is 'Version of the measured operating system';
comment on column article_table.measured_storage is 'Storage of the measured cell';
comment on column article_table.measured_driver is 'Driver of the measured cell';
comment on column article_table.measured_encryption is 'Encryption of the measured cell';
comment on column article_table.measured_status is 'measured, skipped or failed';
comment on column article_table.measured_files is 'Files of all runs that the measured speed is computed from';
comment on column article_table.measured_runs is 'Runs (repeats) that it is the mean of';
comment on column article_table.measured_cells is 'Cells of that host and release that match, repeats counted once; the closest one is shown';
comment on column article_table.measured_total_gbps is 'The same cell by bytes / time instead, geometric mean of its runs, GB/s';
comment on column article_table.statistics_differ is 'What makes bytes / time and the headline of that cell differ (repeated_speed.statistics_differ); null when they agree';
comment on column article_table.least_ratio is 'Smallest ratio measured / published among the statistics that the article may have printed; null where ratio is null';
comment on column article_table.largest_ratio is 'Largest of them; null where ratio is null';
comment on column article_table.published_gbps is 'Published speed in GB/s (decimal); lower end of a range';
comment on column article_table.measured_gbps is 'Measured speed in GB/s: the headline (Theil-Sen), geometric mean of its runs';
comment on column article_table.ratio is 'Measured / published; null for ranges, where one is missing, and where they are not comparable';
comment on column article_table.verdict is 'reproduced, faster, slower, depends on the statistic, inconclusive, too few runs, another release, not comparable, could not be measured or not measured yet';
comment on column article_table.reasons is 'Why it is not comparable, or why no command measures it, as codes (table reason); what the statistics say where they differ; else null';

-- article_table as pages of articles show it: what may not be compared stands beside nothing.
create view comparable_article as

with judged as (
    select
        *,
        coalesce(verdict not in ('not comparable', 'not measured yet') and measured_driver <> 'portable'
            and measured_scale <> 'smoke' and starts_with(measured_release, 'macos-')
            and measured_storage in (select storage from published_speed), false) as fits
    from article_table
)

select
    * exclude (fits)
    replace (
        case when fits then cell end as cell,
        case when fits then measured_host end as measured_host,
        case when fits then measured_release end as measured_release,
        case when fits then measured_os_version end as measured_os_version,
        case when fits then measured_protocol end as measured_protocol,
        case when fits then measured_scale end as measured_scale,
        case when fits then measured_storage end as measured_storage,
        case when fits then measured_driver end as measured_driver,
        case when fits then measured_encryption end as measured_encryption,
        case when fits then measured_status end as measured_status,
        case when fits then measured_files end as measured_files,
        case when fits then measured_runs end as measured_runs,
        case when fits then measured_cells end as measured_cells,
        case when fits then measured_total_gbps end as measured_total_gbps,
        case when fits then made_up end as made_up,
        case when fits then vouched_by end as vouched_by,
        case when fits then statistics_differ end as statistics_differ,
        case when fits then measured_gbps_low end as measured_gbps_low,
        case when fits then measured_gbps_high end as measured_gbps_high,
        case when fits then ratio_low end as ratio_low,
        case when fits then ratio_high end as ratio_high,
        case when fits then least_ratio end as least_ratio,
        case when fits then largest_ratio end as largest_ratio,
        case when fits then measured_gbps end as measured_gbps,
        case when fits then ratio end as ratio,
        case when fits then verdict else 'not measured yet' end as verdict,
        case when fits or verdict = 'not measured yet' then reasons end as reasons,
        case when fits then measured_reason end as measured_reason,
        case when fits then measured_release_number end as measured_release_number
    )
from judged
-- every fitting row; else one of the others
qualify fits or row_number() over (partition by article, table_order, op order by fits desc, measured_host, measured_release) = 1;

comment on view comparable_article is 'The articles'' figures beside comparable measurements only: article_table without the runs that are not comparable. A figure without a comparable run has one row, "not measured yet"';
comment on column comparable_article.table_order is 'Position of the row within its article (published_speed.table_order)';
comment on column comparable_article.format is 'native, UDRW, UDSP, UDSB, ASIF, VM, or "unstated"';
comment on column comparable_article.encryption is 'Encryption of the published figure';
comment on column comparable_article.host is 'Mac of the published figure';
comment on column comparable_article.storage is 'Storage of the published figure';
comment on column comparable_article.condition is 'What else the article says about how it was measured';
comment on column comparable_article.protocol is 'Protocol behind the published figure, or "unstated"';
comment on column comparable_article.scale is 'Scale of the published figure, or "unstated"';
comment on column comparable_article.tool is 'Benchmark that gave the published figure';
comment on column comparable_article.kind is 'How the published number is meant: exact, about, below, above or range';
comment on column comparable_article.published_gbps_to is 'Upper end of a published range, GB/s; else null';
comment on column comparable_article.unit_as_printed is 'Its unit as printed';
comment on column comparable_article.reason is 'Why the article gives no figure; null where it does';
comment on column comparable_article.note is 'Doubts and deductions about the published figure';
comment on column comparable_article.table_name is 'Table of the article that the row belongs to (published_table.table_name); null for a figure of the text';
comment on column comparable_article.table_number is 'Position of that table within its article, from 1; null for a figure of the text';
comment on column comparable_article.command is 'The command that measures this cell and the rest of its article''s experiment, typed on such a machine, for format VM inside a guest; null where no command of this study does: reasons say why';
comment on column comparable_article.cell is 'Id of the measured cell (table cell)';
comment on column comparable_article.measured_os_version is 'Version of the measured operating system';
comment on column comparable_article.measured_storage is 'Storage of the measured cell';
comment on column comparable_article.measured_driver is 'Driver of the measured cell';
comment on column comparable_article.measured_encryption is 'Encryption of the measured cell';
comment on column comparable_article.measured_status is 'measured, skipped or failed';
comment on column comparable_article.measured_files is 'Files of all runs that the measured speed is computed from';
comment on column comparable_article.measured_runs is 'Runs (repeats) that it is the mean of';
comment on column comparable_article.measured_cells is 'Cells of that host and release that match, repeats counted once; the closest one is shown';
comment on column comparable_article.measured_total_gbps is 'The same cell by bytes / time instead, geometric mean of its runs, GB/s';
comment on column comparable_article.statistics_differ is 'What makes bytes / time and the headline of that cell differ (measured_speed.statistics_differ); null when they agree';
comment on column comparable_article.measured_gbps_low is 'Lower end of its 95 % interval between runs, GB/s; null with fewer than three runs';
comment on column comparable_article.measured_gbps_high is 'Upper end of its 95 % interval, GB/s';
comment on column comparable_article.ratio_low is 'Lower end of the ratio: the interval of the measured speed / published';
comment on column comparable_article.ratio_high is 'Upper end of the ratio';
comment on column comparable_article.least_ratio is 'Smallest measured / published of all statistics that the article may have printed; null where ratio is';
comment on column comparable_article.largest_ratio is 'Largest of them; null where ratio is';
comment on column comparable_article.published_gbps is 'Published speed in GB/s (decimal); lower end of a range';
comment on column comparable_article.measured_gbps is 'Measured speed in GB/s: the headline (Theil-Sen), geometric mean of its runs';
comment on column comparable_article.ratio is 'Measured / published; null for ranges, where one is missing, and where they are not comparable';
comment on column comparable_article.verdict is 'reproduced, faster, slower, depends on the statistic, inconclusive, too few runs, another release, could not be measured or not measured yet';
comment on column comparable_article.reasons is 'Why no command measures it, as codes (table reason); what the statistics say where they differ; else null';

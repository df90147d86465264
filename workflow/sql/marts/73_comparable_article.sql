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
comment on column comparable_article.command is 'Command that measures this cell and the rest of its article''s experiment, to run on such a machine (for format VM inside a guest); null where no command does: reasons say why';
comment on column comparable_article.verdict is 'reproduced, faster, slower, depends on the statistic, inconclusive, too few runs, another release, could not be measured or not measured yet';
comment on column comparable_article.reasons is 'Why no command measures it, as codes (table reason); what the statistics say where they differ; else null';

-- article_size_table as pages of articles show it: what may not be compared stands beside nothing.
create view comparable_article_size as

with judged as (
    select
        *,
        coalesce(verdict not in ('not comparable', 'not measured yet') and measured_driver <> 'portable'
            and measured_scale <> 'smoke' and starts_with(measured_release, 'macos-'), false) as fits
    from article_size_table
)

select
    * exclude (fits)
    replace (
        case when fits then measured_host end as measured_host,
        case when fits then measured_release end as measured_release,
        case when fits then measured_driver end as measured_driver,
        case when fits then measured_scale end as measured_scale,
        case when fits then made_up end as made_up,
        case when fits then vouched_by end as vouched_by,
        case when fits then measured_runs end as measured_runs,
        case when fits then measured_value end as measured_value,
        case when fits then ratio end as ratio,
        case when fits then cell end as cell,
        case when fits then verdict else 'not measured yet' end as verdict,
        case when fits or verdict = 'not measured yet' then reasons end as reasons,
        case when fits then measured_reason end as measured_reason,
        case when fits then measured_release_number end as measured_release_number,
        case when fits then measured_protocol end as measured_protocol
    )
from judged
-- every fitting row; else one of the others
qualify fits or row_number() over (partition by article, table_order order by fits desc, measured_host, measured_release) = 1;

comment on view comparable_article_size is 'The sizes of the articles beside comparable measurements only: article_size_table without the runs that are not comparable. A figure without a comparable run has one row, "not measured yet"';
comment on column comparable_article_size.verdict is 'reproduced, larger, smaller, too few runs, another release, could not be measured or not measured yet';
comment on column comparable_article_size.reasons is 'Why no command measures it, as codes (table reason); else null';

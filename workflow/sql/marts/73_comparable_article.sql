-- article_table as shown on articles' pages: without measurements that are not comparable.
create view comparable_article as

with fitting as (
    from article_table
    where verdict not in ('not comparable', 'not measured yet') and measured_driver <> 'portable'
        and measured_scale <> 'smoke' and starts_with(measured_release, 'macos-')
        and measured_storage in (select storage from published_speed)
)

from fitting
union all by name
select distinct
    article, table_order, op, format, encryption, phase, host, macos, storage, condition, protocol, scale, tool, kind,
    published_gbps, published_gbps_to, as_printed, unit_as_printed, second_hand, reason, quote, source, note, table_name,
    table_number, command,
    'not measured yet' as verdict,
    case verdict when 'not measured yet' then reasons end as reasons
from article_table
anti join fitting using (article, table_order, op)
order by article, table_order, op, measured_host, measured_release_number;

comment on view comparable_article is 'The articles'' figures beside comparable measurements only: article_table without the runs that are not comparable. A figure without a comparable run has one row, "not measured yet"';
comment on column comparable_article.verdict is 'reproduced, faster, slower, depends on the statistic, inconclusive, too few runs, another release, could not be measured or not measured yet';
comment on column comparable_article.reasons is 'Why no command measures it, as codes (table reason); what the statistics say where they differ; else null';

-- article_size_table as shown on articles' pages: without measurements that are not comparable.
create view comparable_article_size as

with fitting as (
    from article_size_table
    where verdict not in ('not comparable', 'not measured yet') and measured_driver <> 'portable'
        and measured_scale <> 'smoke' and starts_with(measured_release, 'macos-')
)

from fitting
union all by name
select distinct
    article, table_order, table_name, host, macos, storage, format, encryption, quantity, state, condition, unit, kind,
    as_printed, published_value, published_bytes, quote, note, command, protocol, scale,
    'not measured yet' as verdict,
    case verdict when 'not measured yet' then reasons end as reasons
from article_size_table
anti join fitting using (article, table_order)
order by article, table_order, measured_host, measured_release_number;

comment on view comparable_article_size is 'The sizes of the articles beside comparable measurements only: article_size_table without the runs that are not comparable. A figure without a comparable run has one row, "not measured yet"';
comment on column comparable_article_size.verdict is 'reproduced, larger, smaller, too few runs, another release, could not be measured or not measured yet';
comment on column comparable_article_size.reasons is 'Why no command measures it, as codes (table reason); else null';

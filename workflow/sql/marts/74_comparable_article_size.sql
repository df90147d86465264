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
comment on column comparable_article_size.table_order is 'Position of the figure within its article (published_size.table_order)';
comment on column comparable_article_size.table_name is 'Table of the article that it is in; null for a figure of the text';
comment on column comparable_article_size.host is 'Mac of the published figure';
comment on column comparable_article_size.storage is 'Storage of the published figure';
comment on column comparable_article_size.format is 'UDRW, UDSP, UDSB or ASIF';
comment on column comparable_article_size.encryption is 'Encryption of the published figure';
comment on column comparable_article_size.quantity is 'on-disk (size on disk), bands, free (free space inside the image), or reclaimed (by compaction)';
comment on column comparable_article_size.state is 'State of the image at that moment: new, churned, emptied, emptied-again, compacted, ...';
comment on column comparable_article_size.unit is 'Unit as printed; of measured_value as well';
comment on column comparable_article_size.kind is 'How the published number is meant: exact, about, below or above';
comment on column comparable_article_size.published_value is 'The published number, in its unit';
comment on column comparable_article_size.published_bytes is 'The same in bytes; null for bands';
comment on column comparable_article_size.note is 'Doubts and deductions about the published figure';
comment on column comparable_article_size.command is 'The command that measures it and the rest of its article''s experiment, typed on such a machine; null where none does';
comment on column comparable_article_size.measured_driver is 'Driver of the measured cell: apple or portable';
comment on column comparable_article_size.measured_runs is 'Runs (repeats) whose median it is';
comment on column comparable_article_size.measured_value is 'What we measured, in the unit of the published number: the median of the runs';
comment on column comparable_article_size.ratio is 'Measured / published; null where one is missing or less than 0, and where they are not comparable';
comment on column comparable_article_size.cell is 'Id of the first of these runs (table cell)';
comment on column comparable_article_size.verdict is 'reproduced, larger, smaller, too few runs, another release, could not be measured or not measured yet';
comment on column comparable_article_size.reasons is 'Why no command measures it, as codes (table reason); else null';
comment on column comparable_article_size.protocol is 'Protocol behind the published figure, or "unstated"';
comment on column comparable_article_size.scale is 'Scale of the published figure, or "unstated"';

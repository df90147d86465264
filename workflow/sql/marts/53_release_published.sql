-- A figure without a phase is paired with any phase, with a note.
create table release_published as

with figures as (
    select
        *,
        release_order(macos) as version,
        coalesce(strftime(published_on, 'in the article of %B %Y'), 'in a later article') as recalled_in
    from stg_published_figure
    inner join (select article, published_on from article) using (article)
    where gbps is not null and kind <> 'range' and host <> 'unstated' and format <> 'unstated'
)

select
    earlier.host,
    earlier.storage,
    earlier.format,
    earlier.encryption,
    case earlier.phase when 'unstated' then later.phase else earlier.phase end as phase,
    earlier.op,
    earlier.macos as earlier_macos,
    later.macos as later_macos,
    earlier.gbps as earlier_gbps,
    later.gbps as later_gbps,
    later.gbps / earlier.gbps as ratio,
    earlier.article as earlier_article,
    earlier.table_order as earlier_table_order,
    earlier.kind as earlier_kind,
    earlier.as_printed as earlier_as_printed,
    earlier.unit_as_printed as earlier_unit_as_printed,
    later.article as later_article,
    later.table_order as later_table_order,
    later.kind as later_kind,
    later.as_printed as later_as_printed,
    later.unit_as_printed as later_unit_as_printed,
    nullif(concat_ws('; ',
        case when earlier.second_hand then concat(earlier.macos, ': recalled ', earlier.recalled_in) end,
        case when later.second_hand then concat(later.macos, ': recalled ', later.recalled_in) end,
        case when earlier.phase <> later.phase then concat('the state of the image under ', case earlier.phase when 'unstated' then earlier.macos else later.macos end, ' is not stated') end,
        case
            when 'unstated' in (earlier.protocol, later.protocol) then 'not known whether both were measured in the same way'
            when earlier.protocol <> later.protocol then concat('measured by ', earlier.protocol, ' and by ', later.protocol)
        end,
        case when earlier.scale <> later.scale and 'unstated' not in (earlier.scale, later.scale) then concat('scale ', earlier.scale, ' and ', later.scale) end,
        case when 'about' in (earlier.kind, later.kind) then 'a figure is rounded ("about")' end,
        concat(earlier.macos, ': ') || earlier.note,
        case when later.note is distinct from earlier.note then concat(later.macos, ': ') || later.note end
    ), '') as doubts
from figures as earlier
inner join figures as later
    using (host, storage, format, encryption, op, tool)
where earlier.version < later.version
    and (earlier.phase = later.phase or 'unstated' in (earlier.phase, later.phase))
order by
    earlier.host, earlier.storage, earlier.format, earlier.encryption, earlier.op, earlier.version, later.version,
    earlier.article, earlier.table_order, later.article, later.table_order;

comment on table release_published is 'What the articles themselves state about two releases: their figures of the same Mac, storage, format, encryption and phase, every earlier release with every later one, one row per pair of figures and direction. One printed number each: no interval, no test';
comment on column release_published.earlier_macos is 'The earlier release of macOS';
comment on column release_published.later_macos is 'The later release of macOS';
comment on column release_published.earlier_gbps is 'Speed under the earlier release, GB/s';
comment on column release_published.later_gbps is 'Speed under the later release, GB/s';
comment on column release_published.ratio is 'later / earlier: above 1 is faster';
comment on column release_published.earlier_article is 'Article with the earlier figure';
comment on column release_published.earlier_table_order is 'Its position in that article (published_speed.table_order)';
comment on column release_published.earlier_kind is 'How the earlier figure is meant: exact, about, below or above';
comment on column release_published.earlier_as_printed is 'The earlier figure exactly as printed';
comment on column release_published.earlier_unit_as_printed is 'Its unit as printed';
comment on column release_published.later_article is 'Article with the later figure';
comment on column release_published.later_table_order is 'Its position in that article (published_speed.table_order)';
comment on column release_published.later_kind is 'How the later figure is meant: exact, about, below or above';
comment on column release_published.later_as_printed is 'The later figure exactly as printed';
comment on column release_published.later_unit_as_printed is 'Its unit as printed';
comment on column release_published.doubts is 'Why the two may not have been measured alike, including the notes on both figures; null when nothing is known to differ';

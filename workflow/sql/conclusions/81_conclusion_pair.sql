create table conclusion_pair as

with pairs as (
    select
        *,
        trim(regexp_split_to_array(pair, ' [/-] ')[1]) as left_cell,
        nullif(trim(coalesce(regexp_split_to_array(pair, ' [/-] ')[2], '')), '') as right_cell
    from (
        select
            conclusion.* exclude (storage),
            unnest(string_split(cells, '; ')) as pair,
            generate_subscripts(string_split(cells, '; '), 1) as pair_order
        from conclusion
    )
    cross join (select unnest(['read', 'write', null]) as op)
    where cells is not null and (op in (select unnest(string_split(coalesce(ops, ''), ' '))) or (op is null and ops is null))
),

sides as (
    select pairs.*, storage, side, if(side = 'left', left_cell, right_cell) as cell
    from pairs
    inner join (
        select article, number, unnest(string_split(storage, ' ')) as storage from conclusion
    ) using (article, number)
    cross join (select unnest(['left', 'right']) as side)
    where side = 'left' or right_cell is not null
)

select
    article,
    number,
    cast(pair_order as integer) as pair_order,
    op,
    storage,
    side,
    case when contains(pair, ' - ') then 'difference' when right_cell is null then 'figure' else 'ratio' end as form,
    cell,
    split_part(cell, ' ', 1) as formats,
    nullif(regexp_extract(cell, '(AES-\d+|FileVault|APFS)', 1), '') as encryption,
    coalesce(nullif(regexp_extract(regexp_replace(cell, ' (none|unstated|(smaller|larger)-bands)', '', 'g'), ' ([a-z-]+)', 1), ''), 'fresh') as state,
    nullif(regexp_extract(cell, ' (smaller|larger)-bands', 1), '') as bands,
    nullif(regexp_extract(cell, '@(\d\S*)', 1), '') as macos,
    nullif(regexp_extract(cell, '@([a-z]\S*)', 1), '') as mac
from sides
order by article, number, pair_order, op, storage, side;

comment on table conclusion_pair is 'The pairs of cells that each conclusion compares: its parameters (conclusion.cells) split up, one row per pair, direction, storage and side';
comment on column conclusion_pair.pair_order is 'Position of the pair in conclusion.cells, from 1';
comment on column conclusion_pair.side is 'left or right of the pair';
comment on column conclusion_pair.form is 'How the two are combined: ratio, difference, or figure (the left one alone)';
comment on column conclusion_pair.cell is 'The cell as written in conclusion.cells';
comment on column conclusion_pair.formats is 'Its format; two with | between them where the article does not say which';
comment on column conclusion_pair.encryption is 'Its encryption; null means none, and for the disk itself any';
comment on column conclusion_pair.state is 'Its phase; for a size, the state of the image';
comment on column conclusion_pair.bands is 'smaller or larger: bands of a size other than the format''s own; null for its own size';
comment on column conclusion_pair.macos is 'A macOS other than the one that is judged; null if it is the same';
comment on column conclusion_pair.mac is 'A Mac other than the one that is judged; null if it is the same';
comment on column conclusion_pair.op is 'read or write; null for sizes';

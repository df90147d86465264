-- Each measured cell of our own driver with the native cell of the same run: same host, release, storage, protocol, scale, phase
-- and repeat, one row per direction. `reason` says why there is no ratio, `why_not_comparable` why the figures are not
-- comparable.
create temp table stg_format_pair as

with files as (
    select
        cell,
        op,
        list(size_bytes order by size_bytes) as sizes_bytes
    from sample
    where not slept
    group by cell, op
),

sides as (
    select *
    from stg_method
    left join files using (cell, op)
),

busy as (
    select distinct cell
    from warning
    where code = 'busy'
),

-- one native cell for each: the measured one, if it counts
natives as (
    select *
    from sides
    where driver = 'native' and (counts or status <> 'measured')
    qualify row_number() over (
        partition by host, release, storage, protocol, scale, phase, repeat, op
        order by status = 'measured' desc, cell
    ) = 1
),

pairs as (
    select
        ours.cell,
        ours.op,
        ours.host,
        ours.release,
        ours.storage,
        ours.protocol,
        ours.scale,
        ours.format,
        ours.encryption,
        ours.repeat,
        ours.phase,
        ours.band_bytes,
        ours.files,
        ours.total_gbps as gbps,
        native.cell as native_cell,
        native.files as native_files,
        native.total_gbps as native_gbps,
        case
            when native.cell is null then ['no-native']
            when native.status <> 'measured' then [concat('native-', native.status)]
            else codes(list_concat(unlike(ours.method, native.method), [
                case when ours.sizes_bytes is distinct from native.sizes_bytes then 'other-files' end,
                case when not same_night(ours.started_utc, native.started_utc) then 'other-night' end
            ]))
        end as reason,
        coalesce(
            codes(list_concat(ours.why_not_comparable, native.why_not_comparable)),
            case when ours.depends or native.depends then ['statistics-differ'] end
        ) as why_not_comparable,
        exists (from busy where busy.cell in (ours.cell, native.cell)) as busy,
        concat_ws(' ', ours.host, ours.release, ours.storage, ours.protocol, ours.scale, ours.op) as family,
        concat_ws(' ', ours.series, ours.op) as item
    from sides as ours
    left join natives as native
        using (host, release, storage, protocol, scale, phase, repeat, op)
    where ours.driver = 'portable' and ours.status = 'measured' and ours.counts
)

select
    * replace (concat_ws(' ', why_not_comparable is null, family) as family),
    case when reason is null then ln(gbps / native_gbps) end as value
from pairs
-- only repeats with a ratio, if any; and of these only comparable ones, if any
qualify (reason is null, why_not_comparable is null) = max((reason is null, why_not_comparable is null)) over (partition by item)
order by cell, op;

-- Writes to an image vary more from file to file than those to the SSD. The spread is the 95th percentile of the
-- files' rates / the 5th, of the least varied image and of the SSD; within 10 % nothing is decided.
with rates as (
    select
        cell.host,
        cell.release,
        cell.protocol,
        cell.scale,
        cell.storage,
        cell.format,
        cell.encryption,
        cell.cell,
        summary.p95_gbps / summary.p5_gbps as spread
    from file_summary as summary
    inner join cell using (cell)
    where summary.op = 'write' and cell.comparable and cell.driver <> 'portable' and cell.phase = 'fresh'
        and cell.band_bytes is null and cell.format in ('native', 'UDRW', 'UDSP', 'UDSB')
),

sides as (
    select
        host,
        release,
        protocol,
        scale,
        storage,
        min(spread) filter (where format <> 'native') as image,
        count(distinct format) filter (where format <> 'native') as formats,
        max(spread) filter (where format = 'native') as ssd
    from rates
    group by all
)

select
    'measured' as basis,
    host,
    release,
    case
        when image > 1.1 * ssd then 'supported'
        when image < ssd / 1.1 then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('the fastest files are written {:.1f} times as fast as the slowest to the least varied of {} formats, {:.1f} times to the SSD', image, formats, ssd), ' (', protocol, ', ', scale, ', ', storage, ')') as detail
from sides
where image is not null and ssd is not null
qualify row_number() over (
    partition by host, release
    order by protocol = 'as-created' desc, storage, protocol, scale
) = 1

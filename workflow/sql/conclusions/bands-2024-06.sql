-- Bands smaller than 8.4 MB bring no advantage. An advantage is more than 10 % of read or write speed.
with sides as (
    select
        host,
        release,
        protocol,
        scale,
        storage,
        encryption,
        phase,
        op,
        median(theil_sen_gbps) filter (where band_bytes is null) as usual,
        max(theil_sen_gbps) filter (where band_bytes < 8388608) as other
    from measured_speed
    where comparable and driver = 'apple' and format = 'UDSB'
    group by all
)

select
    'measured' as basis,
    host,
    release,
    if(max(other / usual) > 1.1, 'contradicted', 'supported') as outcome,
    format('the best of the other sizes of bands reaches {:.0f} % of the speed of the default, in {} pairs of cells', 100 * max(other / usual), count(*)) as detail
from sides
where usual is not null and other is not null
group by host, release

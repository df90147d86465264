-- Encrypted images on the host are as slow under macOS 26.4 as under 26.3.1. As slow is, published, within 10 %;
-- measured, no change by the rule of release_change and a ratio within 10 %.
select
    'published' as basis,
    host,
    later_macos as release,
    if(min(ratio) >= 0.9 and max(ratio) <= 1.1, 'supported', 'contradicted') as outcome,
    concat(string_agg(format('{} {}: {:.2f} to {:.2f} GB/s', format, op, earlier_gbps, later_gbps), '; ' order by format, op), '; ', coalesce(any_value(doubts), 'no doubts noted')) as detail
from release_published
where format in ('UDRW', 'ASIF') and encryption = 'AES-256' and earlier_macos = '26.3.1' and later_macos = '26.4' and (op = 'read' or op = 'write')
group by host, later_macos
having count(distinct format) = 2
union all
select
    'measured' as basis,
    host,
    later_release as release,
    case when bool_or(change in ('faster', 'slower')) then 'contradicted' when bool_and(ratio between 0.9 and 1.1) then 'supported' else 'undecided' end as outcome,
    concat(string_agg(format('{} {}: {:.2f} to {:.2f} GB/s, {}', format, op, earlier_gbps, later_gbps, change), '; ' order by format, op, phase, repeat), ' (usage-phases, ', string_agg(distinct scale, ' and ' order by scale), ', internal, first repeat)') as detail
from release_change
where format in ('UDRW', 'ASIF') and encryption = 'AES-256' and comparable and driver = 'apple' and storage = 'internal'
    and protocol = 'usage-phases' and band_bytes is null and ratio is not null and repeat = 1 and phase = 'fresh'
    and starts_with(earlier_release, 'macos-26.3.1-') and starts_with(later_release, 'macos-26.4-') and (op = 'read' or op = 'write')
group by host, earlier_release, later_release
having count(distinct format) = 2

-- While virtual machines became faster, images became slower. The articles' own figures go both ways: from macOS 12.4
-- to 15.0.1 an image became faster, from 26.0 to 26.4 encrypted ones slower. What was measured begins with macOS 13,
-- so that only the articles reach back far enough.
with images as (
    select
        host,
        format,
        encryption,
        earlier_macos,
        later_macos,
        earlier_gbps,
        later_gbps,
        ratio
    from release_published
    where op = 'write' and format in ('UDRW', 'UDSP', 'UDSB', 'ASIF')
)

select
    'published' as basis,
    cast(null as varchar) as host,
    cast(null as varchar) as release,
    case
        when max(ratio) < 1.1 and min(ratio) < 0.9 then 'supported'
        when min(ratio) > 1 / 1.1 then 'contradicted'
        else 'undecided'
    end as outcome,
    string_agg(format('{} {} {} to {}: {:.2f} to {:.2f} GB/s', format, encryption, earlier_macos, later_macos, earlier_gbps, later_gbps), '; ' order by earlier_macos, later_macos, format) as detail
from images
having count(*) > 0

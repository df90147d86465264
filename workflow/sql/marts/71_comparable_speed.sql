-- The speeds measured on Macs that may be compared with the articles', and the only measured speeds on pages with the articles'
-- figures. All others (smoke scale, other systems, our own driver, stand-ins, reads that may have come from memory, storage that
-- no article measured) are in repeated_speed, and on the pages of hosts.
create view comparable_speed as

select
    speed.* exclude (status, reason, stand_in, comparable, why_not_comparable, statistic),
    host.macos,
    host.made_up,
    host.vouched_by,
    coalesce(host.virtual_machine, false) as virtual_machine,
    host.release_number = max(host.release_number) over (partition by host.host, host.macos) as newest_build
from repeated_speed as speed
inner join host using (host, release)
where speed.statistic = 'theil_sen'
    and speed.comparable
    and speed.gbps is not null
    and not speed.stand_in
    and lower(host.os_name) = 'macos'
    and speed.driver in ('apple', 'native')
    and speed.storage in (select storage from published_speed);

comment on view comparable_speed is 'What was measured on a Mac, or in a macOS guest, and may be compared with what the articles state: the headline (Theil-Sen) of each cell and direction over its runs. It leaves out smoke scale, systems other than macOS, driver portable, storage that no article measured, stand-ins, and reads that may have come from memory. Synthetic records are marked (made_up)';
comment on column comparable_speed.virtual_machine is 'True when the machine is a macOS guest';
comment on column comparable_speed.newest_build is 'True for the newest build of this release of macOS (macos) that has such speeds on this machine; the betas of a release count together, apart from it';

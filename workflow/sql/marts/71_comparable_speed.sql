-- What was measured on Macs and may stand beside what the articles state, and the only measured speeds on the pages that show
-- the articles' figures. Everything else that was measured (smoke scale, other systems, our own driver, stand-ins, reads that
-- may have come from memory, storage of no article) is in repeated_speed, and stands on the pages of the hosts.
create view comparable_speed as

select
    speed.* exclude (status, reason, stand_in, comparable, why_not_comparable, statistic),
    host.made_up,
    host.vouched_by,
    coalesce(host.virtual_machine, false) as virtual_machine
from repeated_speed as speed
inner join host using (host, release)
where speed.statistic = 'theil_sen'
    and speed.comparable
    and speed.gbps is not null
    and not speed.stand_in
    and lower(host.os_name) = 'macos'
    and speed.driver in ('apple', 'native')
    and speed.storage in (select storage from published_speed);

comment on view comparable_speed is 'What was measured on a Mac, or in a macOS guest, and may be compared with what the articles state: the headline (Theil-Sen) of each cell over its runs and direction. It leaves out smoke scale, other systems, drivers and storage, stand-ins, and reads that may have come from memory. Synthetic records are marked (made_up)';
comment on column comparable_speed.scale is 'How much was written: gold, half, tenth or smoke';
comment on column comparable_speed.phase is 'State of the image: fresh, partly-filled or emptied';
comment on column comparable_speed.runs is 'Runs that the speed is the mean of';
comment on column comparable_speed.cells is 'Records of this cell, whatever their status';
comment on column comparable_speed.gbps is 'Geometric mean of the runs, GB/s; null where none has this statistic';
comment on column comparable_speed.gbps_low is 'Lower end of its 95 % interval, GB/s; null with fewer than three runs';
comment on column comparable_speed.gbps_high is 'Upper end of its 95 % interval, GB/s; null with fewer than three runs';
comment on column comparable_speed.spread is 'Standard deviation between runs as a share of the speed; null with fewer than three runs';
comment on column comparable_speed.files is 'Files of the runs that count';
comment on column comparable_speed.bytes is 'Bytes of one run';
comment on column comparable_speed.statistics_differ is 'What makes bytes / time and the headline of a run differ (measured_speed.statistics_differ); null when they agree';
comment on column comparable_speed.cell is 'Id of one of its cells (table cell), the first that was measured';
comment on column comparable_speed.made_up is 'True when its records are synthetic, and no results (host.made_up)';
comment on column comparable_speed.vouched_by is 'Who vouches for its records: own, community or hosted runner (host.vouched_by)';
comment on column comparable_speed.virtual_machine is 'True when the machine is a macOS guest';

-- Where each machine stands: what is measured, what is missing, and what is out of date after an update of its OS.
--
-- Under an older release a machine has the cells that it left a record of, and no others: nobody can go back to it. Under
-- its newest release these are expected of it:
--   * every cell that it has a record of under any release; and
--   * every cell that another machine of its kind has a record of in a study that this machine has begun, which is: it has
--     a record with the same protocol, scale, storage and driver. A machine that never began a protocol, a scale or a
--     storage lacks nothing of it; nor more repeats, or bands of another size, than it began there itself.
-- A kind is macOS or another system, in a virtual machine or not, and real, made up or of stand-ins: what one Mac can do,
-- another may well do, but no guest a Mac's part, and no test a Mac's.
--
-- The encryption of native files is that of the machine's own disk, which no study chooses: such a cell is the same
-- whatever it is, and where nothing is recorded yet the row names what the machine last had.
-- Smoke scale shows that everything works: of a machine that has begun a larger scale nothing more is expected there.
--
-- A table of all machines together: it is made anew after any of them has changed.
create table host_cell as

-- `what` tells the cells of one machine and release apart: two are equal when all in them is, null included
with recorded as (
    select
        cell.*,
        host.release_number,
        host.newest,
        host.made_up,
        {
            'protocol': protocol,
            'scale': scale,
            'storage': storage,
            'driver': driver,
            'format': format,
            'encryption': if(format = 'native', 'own', encryption),
            'band_bytes': band_bytes,
            'repeat': repeat,
            'phase': phase
        } as what
    from cell
    inner join host using (host, release)
),

machines as (
    select
        host,
        release,
        made_up,
        stand_in,
        concat_ws(', ',
            if(lower(os_name) = 'macos', 'macOS', 'another system'),
            if(virtual_machine, 'virtual', null),
            if(made_up, 'made up', null),
            if(stand_in, 'stand-in', null)
        ) as kind
    from host
    where newest
),

-- what each machine has begun: how many repeats, and which sizes of bands
studies as (
    select
        host,
        protocol,
        scale,
        storage,
        driver,
        max(repeat) as repeats,
        list(distinct coalesce(band_bytes, 0)) as bands
    from recorded
    group by host, protocol, scale, storage, driver
),

-- every cell that any machine of a kind has a record of, and which have
known as (
    select
        machines.kind,
        recorded.what,
        list(distinct recorded.host order by recorded.host) as hosts,
        min(recorded.encryption) as some_encryption
    from recorded
    inner join machines using (host)
    group by machines.kind, recorded.what
),

expected as (
    select
        studies.host,
        machines.release,
        machines.made_up,
        machines.stand_in,
        known.what,
        known.some_encryption,
        list_filter(known.hosts, lambda other: other <> studies.host) as others
    from studies
    inner join machines using (host)
    inner join known
        on known.kind = machines.kind
        and known.what.protocol = studies.protocol
        and known.what.scale = studies.scale
        and known.what.storage = studies.storage
        and known.what.driver = studies.driver
    where (
        list_contains(known.hosts, studies.host)
        or (known.what.repeat <= studies.repeats and list_contains(studies.bands, coalesce(known.what.band_bytes, 0)))
    )
    and not (
        studies.scale = 'smoke'
        and studies.host in (select host from recorded where scale <> 'smoke')
    )
),

-- the last record of each cell under older releases; one that was measured before one that was not
earlier as (
    select *
    from recorded
    where not newest
    qualify row_number() over (
        partition by host, what
        order by status = 'measured' desc, release_number desc, started_utc desc, cell
    ) = 1
),

-- what native files were encrypted with when they were last measured there
own_disks as (
    select
        host,
        storage,
        arg_max(encryption, {'release': release_number, 'started': started_utc, 'cell': cell}) as encryption
    from recorded
    where format = 'native'
    group by host, storage
),

-- what is expected, and has no record under the newest release
due as (
    select
        expected.*,
        case
            when what.format = 'native' then coalesce(own_disks.encryption, some_encryption)
            else what.encryption
        end as encryption,
        if(earlier.status = 'measured', 'out of date', 'missing') as state,
        case
            when earlier.status = 'measured' then concat('measured under ', earlier.release, ', not yet under ', expected.release)
            when earlier.cell is not null then concat(earlier.status, ' under ', earlier.release, ': ', coalesce(earlier.reason, 'no reason given'))
            else concat(
                'no record; ', others[1],
                case len(others)
                    when 1 then ' has one'
                    when 2 then concat(' and ', others[2], ' have one')
                    else concat(' and ', len(others) - 1, ' others have one')
                end
            )
        end as reason,
        earlier.cell,
        earlier.release as recorded_release
    from expected
    left join earlier using (host, what)
    left join own_disks
        on own_disks.host = expected.host
        and own_disks.storage = what.storage
    where (expected.host, what) not in (select (host, what) from recorded where newest)
),

every_row as (
    select
        host,
        release,
        newest,
        what,
        encryption,
        status as state,
        reason,
        cell,
        release as recorded_release,
        made_up,
        stand_in
    from recorded
    union all
    select
        host,
        release,
        true,
        what,
        encryption,
        state,
        reason,
        cell,
        recorded_release,
        made_up,
        stand_in
    from due
)

select
    one.host,
    one.release,
    one.newest,
    what.protocol,
    what.scale,
    what.storage,
    what.driver,
    what.format,
    one.encryption,
    what.band_bytes,
    what.repeat,
    what.phase,
    one.state,
    one.reason,
    one.cell,
    one.recorded_release,
    one.made_up,
    one.stand_in,
    cell.started_utc,
    cell.finished_utc,
    cell.comparable,
    cell.why_not_comparable
from every_row as one
left join cell using (cell)
order by
    one.host, newest desc, one.release, what.protocol, what.scale, what.storage, what.driver, what.format,
    one.encryption, what.band_bytes nulls first, what.repeat, what.phase;

comment on table host_cell is 'State of every cell: one row per host, OS release and cell. Every release lists the cells that have a record. The newest release also lists the expected cells without one: those that the host has a record of under any release, and those that another machine of its kind (macOS or not; virtual or not; real, synthetic or stand-in) has a record of, if this host has begun the same protocol, scale, storage and driver, up to the repeats and band sizes that it began there. The encryption of native files is the disk''s own and makes no further cell. At smoke scale nothing is expected once the host has begun a larger scale';
comment on column host_cell.release is 'OS release as in the path of the records';
comment on column host_cell.newest is 'True for the newest release that this host has a record of (host.newest)';
comment on column host_cell.protocol is 'The steps: usage-phases, remounted, as-created, churn or restart';
comment on column host_cell.encryption is 'none, AES-128, AES-256, FileVault or APFS; of native files without a record, what the disk last had';
comment on column host_cell.phase is 'fresh, partly-filled or emptied';
comment on column host_cell.state is 'measured, failed or skipped: as its record says; out of date: measured under an older release of this host, and without a record under its newest; missing: expected, and neither';
comment on column host_cell.reason is 'Why it failed or was skipped, in the words of the record; why it is out of date or missing; null when it was measured';
comment on column host_cell.cell is 'Id of the record (table cell): of one that is out of date or missing the last under an older release; null where there is none';
comment on column host_cell.recorded_release is 'Release of that record; null where there is none';
comment on column host_cell.made_up is 'True when a test made the records of this host and release';
comment on column host_cell.stand_in is 'True when that record comes from stand-ins, programs that imitate those of macOS, or, where a cell has none, the host''s other records do';
comment on column host_cell.started_utc is 'When that cell started, UTC; null where there is none';
comment on column host_cell.finished_utc is 'When that cell finished, UTC; null where there is none';
comment on column host_cell.comparable is 'Whether the figures of that record may be compared (cell.comparable); null where there is none';
comment on column host_cell.why_not_comparable is 'Why they may not; null when they may, or where there is no record';

-- What the processes that serve an image used while its files were written or read: the articles' "steady 23% CPU".
create table process_use as

with processes as (
    select
        cell,
        "order" as step_order,
        step as op,
        serving.elapsed_ns as elapsed_ns,
        unnest(serving.processes) as process
    from stg_step
)

select
    cell,
    step_order,
    op,
    process.name as process,
    process.count as count,
    process.permitted as permitted,
    process.cpu_ns as cpu_ns,
    100 * cast(process.cpu_ns as hugeint) / nullif(elapsed_ns, 0) as cpu_percent,
    process.read_bytes as read_bytes,
    process.written_bytes as written_bytes,
    process.energy_nj as energy_nj,
    elapsed_ns,
    coalesce(process.ended, 0) as ended
from processes
order by cell, step_order, process;

comment on table process_use is 'CPU time, disk I/O and energy of the processes that serve an image, one row per pass and process name. None where no other process serves the image';
comment on column process_use.step_order is 'Position, within the cell, of the step that wrote or read (step."order")';
comment on column process_use.process is 'Name of the process: diskimages-helper, diskimagesiod, ...';
comment on column process_use.count is 'How many processes of that name ran';
comment on column process_use.permitted is 'False when the system did not allow all of them to be inspected: what they used is then null';
comment on column process_use.cpu_ns is 'Time on processors, user and system, of all of them, in nanoseconds';
comment on column process_use.cpu_percent is '100 * cpu_ns / elapsed_ns: 100 is one core fully used';
comment on column process_use.read_bytes is 'Bytes that they read from disks';
comment on column process_use.written_bytes is 'Bytes that they wrote to disks';
comment on column process_use.energy_nj is 'Energy that they used, in nanojoules, as the system reports it';
comment on column process_use.elapsed_ns is 'Time for which they were observed, in nanoseconds: the pass';
comment on column process_use.ended is 'How many of them ended before their counters were read again: their use is not counted, so the other values are too small';

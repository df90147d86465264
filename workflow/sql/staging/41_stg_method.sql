-- Each measured speed, and how it came about beside what the study varies: two of them are divided by one another only where this
-- is the same. And which runs of a series count: of those that may be compared, if any may, and of those that were measured,
-- if any was, the ones that were done as the newest of them was. So what changed between two nights is never taken for a change of macOS or of the image.
create temp table stg_method as

with methods as (
    select
        measured.*,
        cell.series,
        cell.started_utc,
        {
            'epoch': cell.harness_epoch,
            -- a guest adds that it is virtual
            'chip': trim(replace(record.host.chip, '(Virtual)', '')),
            -- two Macs may have one slug; of a guest's own disk neither is known
            'machine': case
                when cell.format <> 'VM' then record.host.model || format(', {:.0f} GB', record.host.memory_bytes / 1073741824)
            end,
            'disk': case when cell.format <> 'VM' then terabytes(record.host.storage.size_bytes) end,
            -- a guest's own disk is served by what the guest was given; GB as macOS counts memory
            'guest': case
                when cell.format = 'VM' then format('{} cores, {:.0f} GB', list_sum(list_transform(record.host.cores, lambda core: core.count)), record.host.memory_bytes / 1073741824)
            end,
            'cache': cell.cache_reached,
            'durability': cell.durability_reached,
            'block_bytes': cell.block_bytes,
            'sets': cell.sets
        } as method
    from measured_speed as measured
    inner join cell using (cell)
    inner join stg_record as record using (cell)
)

select
    * exclude (started_utc),
    method is not distinct from first_value(method) over newest and comparable = first_value(comparable) over newest as counts
from methods
window newest as (partition by series, op order by comparable desc, status = 'measured' desc, method.epoch desc, started_utc desc, cell)
order by cell, op;

-- How each speed was measured, apart from what the study varies: ratios are formed only if this is the same. Also which runs of
-- a series count: of the comparable ones, or if there are none of the measured ones, those measured like the newest of them. So a
-- changed setting is never taken for a change of macOS or of the image. If some runs are near the harness's limit, the others are
-- the slowest ones, and no sample of the series: they do not count.
create temp table stg_method as

with methods as (
    select
        measured.*,
        cell.series,
        cell.started_utc,
        {
            'epoch': cell.harness_epoch,
            -- without a guest's suffix (Virtual)
            'chip': trim(replace(record.host.chip, '(Virtual)', '')),
            -- two Macs may share a slug; for a guest's own disk neither is known
            'machine': case
                when cell.format <> 'VM' then record.host.model || format(', {:.0f} GB', record.host.memory_bytes / 1073741824)
            end,
            'disk': case when cell.format <> 'VM' then terabytes(record.host.storage.size_bytes) end,
            'disk_model': case when cell.format <> 'VM' then record.host.storage.device_model end,
            'disk_bus': case when cell.format <> 'VM' then record.host.storage.bus end,
            -- of the disk that holds the image or the files; exFAT, for example, has no sparse files
            'file_system': record.host.storage.file_system,
            -- below an image, or of native files on another disk: that of the internal one, or of a guest's, is the cell's
            'disk_encryption': case
                when cell.format not in ('native', 'VM') or (cell.format = 'native' and cell.storage <> 'internal') then record.host.storage.encryption
            end,
            -- a guest's disk depends on its cores and memory; GB as macOS counts memory
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
),

judged as (
    select
        *,
        comparable and not bool_or(coalesce(list_contains(why_not_comparable, 'near-limit'), false)) over (partition by series, op, method) as fair,
        -- as in measured_speed, but of the mean of the runs: one slow file of one run decides nothing
        abs(exp(avg(case when total_gbps > 0 and theil_sen_gbps > 0 then ln(total_gbps / theil_sen_gbps) end) over (partition by series, op, method, comparable)) - 1)
        > tolerance_of('measured_speed', 'statistics') as depends
    from methods
)

select
    * exclude (fair),
    method is not distinct from first_value(method) over newest and comparable = first_value(comparable) over newest as counts
from judged
-- of unfair runs those first that are not comparable
window newest as (partition by series, op order by fair desc, status = 'measured' desc, comparable, method.epoch desc, started_utc desc, cell)
order by cell, op;

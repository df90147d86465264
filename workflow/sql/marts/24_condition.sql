create table condition as

with moments as (
    select cell, 'before' as moment, conditions.before as state from stg_record
    union all
    select cell, 'after' as moment, conditions.after as state from stg_record
)

select
    cell,
    moment,
    state.load_1min_milli / 1000.0 as load_1min,
    state.* exclude (load_1min_milli)
from moments
order by cell, moment desc;

comment on table condition is 'Load, power, heat, free space and memory of the machine before and after each cell, two rows per cell; what disturbed in between is in table warning; null where unknown';
comment on column condition.moment is 'before or after the cell';
comment on column condition.load_1min is 'Load average of the last minute';
comment on column condition.power_source is 'Power source';
comment on column condition.low_power_mode is 'Whether low power mode was on';
comment on column condition.thermal_state is 'Thermal state of the machine';
comment on column condition.free_bytes is 'Free bytes on the storage';
comment on column condition.memory_available_bytes is 'Memory available in bytes';
comment on column condition.memory_pressure is 'Memory pressure as the system reports it';

-- One row per accepted record, typed and still nested. A test compares this list with the schema. Null means that
-- something could not be found out; where the schema lets a key be absent, also that there is nothing to say of it, or
-- that the record is older than the key.
create temp table stg_record as

with parsed as (
    select
        cell,
        from_json(record, '{
            "harness": {"name": "VARCHAR", "version": "VARCHAR", "epoch": "BIGINT"},
            "status": "VARCHAR",
            "reason": "VARCHAR",
            "cell": {
                "host": "VARCHAR", "release": "VARCHAR", "protocol": "VARCHAR", "scale": "VARCHAR",
                "storage": "VARCHAR", "driver": "VARCHAR", "format": "VARCHAR", "encryption": "VARCHAR",
                "repeat": "BIGINT", "phase": "VARCHAR", "seed": "BIGINT", "sets": "BIGINT",
                "sizes_bytes": ["BIGINT"], "nominal_bytes": "BIGINT", "band_bytes": "BIGINT", "io": {"block_bytes": "BIGINT"}},
            "position": "BIGINT",
            "planned": "BIGINT",
            "started_utc": "VARCHAR",
            "finished_utc": "VARCHAR",
            "host": {
                "os": {"name": "VARCHAR", "version": "VARCHAR", "build": "VARCHAR", "kernel": "VARCHAR"},
                "model": "VARCHAR", "chip": "VARCHAR", "architecture": "VARCHAR",
                "cores": [{"kind": "VARCHAR", "count": "BIGINT"}],
                "memory_bytes": "BIGINT", "page_bytes": "BIGINT", "virtual_machine": "BOOLEAN",
                "storage": {"device_model": "VARCHAR", "bus": "VARCHAR", "solid_state": "BOOLEAN",
                    "size_bytes": "BIGINT", "file_system": "VARCHAR", "encryption": "VARCHAR",
                    "description": "VARCHAR"},
                "tools": [{"name": "VARCHAR", "version": "VARCHAR"}],
                "stand_in": "BOOLEAN"},
            "conditions": {
                "before": {"load_1min_milli": "BIGINT", "power_source": "VARCHAR", "low_power_mode": "BOOLEAN",
                    "thermal_state": "VARCHAR", "free_bytes": "BIGINT", "memory_available_bytes": "BIGINT",
                    "memory_pressure": "VARCHAR"},
                "after": {"load_1min_milli": "BIGINT", "power_source": "VARCHAR", "low_power_mode": "BOOLEAN",
                    "thermal_state": "VARCHAR", "free_bytes": "BIGINT", "memory_available_bytes": "BIGINT",
                    "memory_pressure": "VARCHAR"}},
            "quiet": {"sleep_prevented": "BOOLEAN", "qos_class": "VARCHAR", "io_policy": "VARCHAR",
                "indexing_off": "BOOLEAN", "event_log_off": "BOOLEAN", "backup_off": "BOOLEAN"},
            "access": {"cipher_threads": "BIGINT", "ahead_bytes": "BIGINT"},
            "image": {
                "requested": {"on_image": "BOOLEAN", "format": "VARCHAR", "encrypted": "BOOLEAN", "cipher": "VARCHAR",
                    "key_bits": "BIGINT", "band_bytes": "BIGINT", "sector_bytes": "BIGINT", "nominal_bytes": "BIGINT",
                    "file_system": "VARCHAR"},
                "effective": {"on_image": "BOOLEAN", "format": "VARCHAR", "encrypted": "BOOLEAN", "cipher": "VARCHAR",
                    "key_bits": "BIGINT", "band_bytes": "BIGINT", "sector_bytes": "BIGINT", "nominal_bytes": "BIGINT",
                    "file_system": "VARCHAR"}},
            "warnings": ["VARCHAR"],
            "warning_codes": ["VARCHAR"],
            "cache": {"asked": "VARCHAR", "reached": "VARCHAR"},
            "durability": {"asked": "VARCHAR", "reached": "VARCHAR"},
            "ceiling": {"write_bytes_per_second": "BIGINT", "read_bytes_per_second": "BIGINT",
                "null_write_bytes_per_second": "BIGINT", "null_read_bytes_per_second": "BIGINT",
                "content_bytes_per_second": "BIGINT", "clock_ns": "BIGINT"},
            "replayed_phases": ["VARCHAR"],
            "steps": [{"step": "VARCHAR", "elapsed_ns": "BIGINT", "note": "VARCHAR",
                "commands": [{"program": "VARCHAR", "arguments": ["VARCHAR"], "end": "VARCHAR", "code": "BIGINT",
                    "elapsed_ns": "BIGINT"}],
                "serving": {"elapsed_ns": "BIGINT",
                    "processes": [{"name": "VARCHAR", "count": "BIGINT", "ended": "BIGINT", "permitted": "BOOLEAN",
                        "cpu_ns": "BIGINT", "read_bytes": "BIGINT", "written_bytes": "BIGINT",
                        "energy_nj": "BIGINT"}]}}],
            "samples": [{"op": "VARCHAR", "order": "BIGINT", "set": "BIGINT", "size_bytes": "BIGINT",
                "elapsed_ns": "BIGINT", "slept": "BOOLEAN"}],
            "sizes": [{"state": "VARCHAR", "allocated_bytes": "BIGINT", "apparent_bytes": "BIGINT",
                "bands": "BIGINT", "free_bytes": "BIGINT", "volume_free_bytes": "BIGINT"}]
        }') as record
    from raw_record
)

select
    cell,
    record.harness.version as harness_version,
    record.harness.epoch as harness_epoch,
    record.status as status,
    record.reason as reason,
    record.cell as description,
    record.position as position,
    record.planned as planned,
    strptime(record.started_utc, '%Y-%m-%dT%H:%M:%SZ') as started_utc,
    strptime(record.finished_utc, '%Y-%m-%dT%H:%M:%SZ') as finished_utc,
    record.host as host,
    record.conditions as conditions,
    record.quiet as quiet,
    record.access as access,
    record.image as image,
    record.warnings as warnings,
    record.warning_codes as warning_codes,
    record.cache as cache,
    record.durability as durability,
    record.ceiling as ceiling,
    record.replayed_phases as replayed_phases,
    record.steps as steps,
    record.samples as samples,
    record.sizes as sizes
from parsed;

comment on table stg_record is 'One row per accepted record, typed and still nested';
comment on column stg_record.cell is 'Path of the record below data/runs without .json';
comment on column stg_record.harness_version is 'Version of diskbench-core';
comment on column stg_record.harness_epoch is 'Grows when a change of the harness makes old and new results differ';
comment on column stg_record.status is 'measured, skipped or failed';
comment on column stg_record.reason is 'Why it was skipped or failed';
comment on column stg_record.description is 'The description of the cell that was measured';
comment on column stg_record.position is 'Position in the run';
comment on column stg_record.planned is 'Number of cells planned in the run';
comment on column stg_record.started_utc is 'When it started, UTC';
comment on column stg_record.finished_utc is 'When it finished, UTC';
comment on column stg_record.host is 'Facts about the machine';
comment on column stg_record.conditions is 'Load, power, heat and space before and after';
comment on column stg_record.quiet is 'What was done so that nothing disturbs; null where nothing was tried';
comment on column stg_record.access is 'How the host''s files were read and written; null in older records and where macOS does it';
comment on column stg_record.image is 'What the image is, as requested and as read back from it; null in older records, and where none was attached';
comment on column stg_record.warnings is 'What was not quiet';
comment on column stg_record.warning_codes is 'What each of these is about; null in older records';
comment on column stg_record.cache is 'Cache mode asked for and reached';
comment on column stg_record.durability is 'Durability asked for and reached';
comment on column stg_record.ceiling is 'The harness''s own limit on this machine';
comment on column stg_record.replayed_phases is 'Earlier phases that were repeated to bring the image into its state';
comment on column stg_record.steps is 'The steps that were done';
comment on column stg_record.samples is 'One entry per file written or read';
comment on column stg_record.sizes is 'Sizes of the image on disk';

-- One row per accepted record, typed and nested. A test compares this list with the schema. Null means unknown; for optional
-- keys of the schema also not applicable, or a record older than the key.
create temp table stg_record as

with parsed as (
    select
        cell,
        from_json(record, '{
            "harness": {"name": "VARCHAR", "version": "VARCHAR", "epoch": "BIGINT"},
            "sha256": "VARCHAR",
            "status": "VARCHAR",
            "reason": "VARCHAR",
            "cell": {
                "host": "VARCHAR", "release": "VARCHAR", "protocol": "VARCHAR", "scale": "VARCHAR",
                "storage": "VARCHAR", "driver": "VARCHAR", "format": "VARCHAR", "encryption": "VARCHAR",
                "repeat": "BIGINT", "phase": "VARCHAR", "seed": "BIGINT", "sets": "BIGINT",
                "sizes_bytes": ["BIGINT"], "nominal_bytes": "BIGINT", "band_bytes": "BIGINT", "block_bytes": "BIGINT", "io": {"block_bytes": "BIGINT"},
                "phases": [{"phase": "VARCHAR", "steps": [{"step": "VARCHAR"}]}]},
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
    record.cell as description,
    strptime(record.started_utc, '%Y-%m-%dT%H:%M:%SZ') as started_utc,
    strptime(record.finished_utc, '%Y-%m-%dT%H:%M:%SZ') as finished_utc,
    record.* exclude (cell, started_utc, finished_utc)
from parsed;

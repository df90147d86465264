# Published and measured, side by side, in one DuckDB file, and as Parquet beside it.
from database.sources import files_of_rules

PUBLISHED = PROJECT / "data/published"
SQL = PROJECT / "workflow/sql"
SCHEMA = PROJECT / "workflow/schemas/record.schema.json"
PROBES = PROJECT / "data/probes"


rule database:
    input:
        records=str(made.RECORDS.marker),
        # those by whose hash the build decides whether anything is to be done
        sources=[
            os.path.relpath(file)
            for file in files_of_rules(PUBLISHED, SQL, SCHEMA, PROBES, withdrawn.FILE)
        ],
    output:
        made=str(made.DATABASE.marker),
    log:
        LOGS / "database.log",
    conda:
        ENVIRONMENT
    params:
        core=CORE,
        published=lambda wildcards: PUBLISHED,
        sql=lambda wildcards: SQL,
        schema=lambda wildcards: SCHEMA,
        probes=lambda wildcards: PROBES,
        # differs when the database or Parquet is not as this rule left it
        call=made.call_of(made.DATABASE, THIS_CALL),
    shell:
        "python -m database build --runs data/runs --published {params.published:q} --sql {params.sql:q} "
        "--schema {params.schema:q} --probes {params.probes:q} --core {params.core:q} --database data/diskbench.duckdb --parquet data/parquet --log {log} "
        "&& python -m made database --call {params.call}"

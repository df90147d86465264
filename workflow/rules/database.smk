# Published and measured, side by side, in one DuckDB file, and as Parquet beside it.
rule database:
    input:
        records=str(made.RECORDS.marker),
        published=files_below(PROJECT / "data/published", "*.csv"),
        withdrawn=[str(withdrawn.FILE)] if withdrawn.FILE.exists() else [],
        sql=files_below(PROJECT / "workflow/sql", "*.sql"),
        columns=PROJECT / "workflow/sql/columns.yaml",
        scripts=files_below(PROJECT / "workflow/scripts/database", "*.py"),
        statements=PROJECT / "workflow/config/statements.yaml",
        probes=files_below(PROJECT / "data/probes", "*.json"),
        vocabulary=PROJECT / "workflow/config/vocabulary.yaml",
        protocols=files_below(PROJECT / "workflow/config/protocols", "*.yaml"),
        schema=PROJECT / "workflow/schemas/record.schema.json",
    output:
        made=str(made.DATABASE.marker),
    log:
        LOGS / "database.log",
    conda:
        ENVIRONMENT
    params:
        core=CORE,
        published=lambda wildcards: PROJECT / "data/published",
        sql=lambda wildcards: PROJECT / "workflow/sql",
        probes=lambda wildcards: PROJECT / "data/probes",
        # differs when the database or Parquet is not as this rule left it
        call=made.call_of(made.DATABASE, THIS_CALL),
    shell:
        "python -m database build --runs data/runs --published {params.published:q} --sql {params.sql:q} "
        "--schema {input.schema:q} --probes {params.probes:q} --core {params.core:q} --database data/diskbench.duckdb --parquet data/parquet --log {log} "
        "&& python -m made database --call {params.call}"

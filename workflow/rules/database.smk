# Published and measured, side by side, in one DuckDB file, and as Parquet beside it.
rule database:
    input:
        records=str(made.RECORDS.marker),
        published=files_below("data/published", "*.csv"),
        sql=files_below("workflow/sql", "*.sql"),
        scripts=files_below("workflow/scripts/database", "*.py"),
        schema="workflow/schemas/record.schema.json",
    output:
        made=str(made.DATABASE.marker),
    log:
        LOGS / "database.log",
    conda:
        ENVIRONMENT
    params:
        core=CORE,
        # differs when the database or Parquet is not as this rule left it
        call=made.call_of(made.DATABASE, THIS_CALL),
    shell:
        "python -m database build --runs data/runs --published data/published --sql workflow/sql "
        "--schema {input.schema} --core {params.core} --database data/diskbench.duckdb --parquet data/parquet --log {log} "
        "&& python -m made database --call {params.call}"

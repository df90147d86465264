# Published and measured, side by side, in one DuckDB file, and as Parquet beside it.
rule database:
    input:
        records=ALL_RECORDS,
        published=files_below("data/published", "*.csv"),
        sql=files_below("workflow/sql", "*.sql"),
        scripts=files_below("workflow/scripts/database", "*.py"),
        schema="workflow/schemas/record.schema.json",
    output:
        # kept when the step fails: the database and Parquet of before are better than none
        database=update(DATABASE),
        parquet=update(directory(PARQUET)),
        # and this is not: Snakemake gives what it keeps the time of now, so that it would pass for up to date
        made=DATABASE_MADE,
    log:
        LOGS / "database.log",
    conda:
        ENVIRONMENT
    params:
        # a record that is copied here may be older than the database, and one that is taken away has no time at all
        records=digest(ALL_RECORDS, set(PLANNED_RECORDS)),
        core=CORE,
    shell:
        "python -m database build --runs data/runs --published data/published --sql workflow/sql "
        "--schema {input.schema} --core {params.core} --database {output.database} --parquet {output.parquet} --made {output.made} --log {log}"

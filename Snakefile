# diskbench: how fast are macOS disk images? The whole study, from the config to the site.
#
#   workflow/config -> plan -> core -> data/runs -> DuckDB, Parquet -> reports -> site
#
# Each arrow is one rule file below; their helpers are in workflow/scripts, with tests.
from snakemake.utils import min_version

min_version("9.19")


configfile: "workflow/config/study.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/core.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/database.smk"
include: "workflow/rules/reports.smk"


# The study: measures what is missing, brings database and site up to date, and says what became of every cell.
rule study:
    default_target: True
    input:
        database=DATABASE,
        parquet=PARQUET,
        site=SITE,
        made=[DATABASE_MADE, SITE_MADE],
    log:
        LOGS / "study.log",
    conda:
        ENVIRONMENT
    params:
        config=CONFIG_JSON,
    shell:
        "python -m study summary --config {params.config:q} --database {input.database} "
        "--site {input.site} --log {log}"


# Only the measuring: for a Mac whose records are published elsewhere.
rule records:
    input:
        PLANNED_RECORDS,

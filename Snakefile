# diskbench: how fast are macOS disk images? The whole study, from the config to the site.
#
#   workflow/config -> plan -> core -> data/runs -> DuckDB, Parquet -> reports -> site
#
# Each arrow is one rule file below; their helpers are in workflow/scripts, with tests.
from snakemake.utils import min_version

min_version("9.19")


include: "workflow/rules/config.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/core.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/database.smk"
include: "workflow/rules/reports.smk"


# The study: measures what is missing, brings database and site up to date, and says what became of every cell.
rule study:
    default_target: True
    input:
        str(made.DATABASE.marker),
        str(made.SITE.marker),
    output:
        # not kept while a cell is failed or a record damaged: each call says so anew
        summary=report(SUMMARY, caption="workflow/report/summary.rst", category="Study"),
    log:
        LOGS / "study.log",
    conda:
        ENVIRONMENT
    params:
        config=CONFIG_JSON,
        # another plan has another summary
        cells=list(PLAN.cells),
    shell:
        "python -m study summary --config {params.config:q} --database data/diskbench.duckdb "
        "--site reports/_site/index.html --summary {output.summary} --log {log}"

# The site: with Quarto where it is installed, else with the plain renderer.
rule site:
    input:
        database=DATABASE,
        pages=files_below("reports", "*"),
        scripts=files_below("workflow/scripts/publish", "*"),
    output:
        site=update(SITE),
    log:
        LOGS / "site.log",
    conda:
        ENVIRONMENT
    shell:
        "python -m publish --reports reports --log {log}"

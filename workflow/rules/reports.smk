# The site: with Quarto where it is installed, else with the plain renderer.
from publish import quoted
from publish.quarto import program

HERE = PROJECT == Path(".")
PAGES = Path("reports" if HERE else ".diskbench/pages/reports")


rule site:
    input:
        database=str(made.DATABASE.marker),
        pages=files_below(PROJECT / "reports", "*"),
        scripts=files_below(PROJECT / "workflow/scripts/publish", "*"),
        quoted=quoted.files(PROJECT),
    output:
        made=str(made.SITE.marker),
    log:
        LOGS / "site.log",
    conda:
        ENVIRONMENT
    params:
        reports=lambda wildcards: PROJECT / "reports",
        # pages write beside themselves: in another working directory they are copied first
        rendered="" if HERE else f"--copy {PAGES.parent}",
        # adding Quarto renders the site anew
        renderer="Quarto" if program() else "plain",
        # npm's packages are fetched while the pages are made (reports/lib/engine.py)
        engine=missing_engine(PAGES / "engine/engine.json", THIS_CALL),
        call=made.call_of(made.SITE, THIS_CALL),
    shell:
        "python -m publish --reports {params.reports:q} {params.rendered} --log {log} "
        "&& python -m made site --call {params.call}"

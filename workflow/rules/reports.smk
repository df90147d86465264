# The site: with Quarto where it is installed, else with the plain renderer.
from publish.quarto import renderer


rule site:
    input:
        database=str(made.DATABASE.marker),
        pages=files_below("reports", "*"),
        scripts=files_below("workflow/scripts/publish", "*"),
        # what pages quote besides
        config=files_below("workflow/config", "*"),
        proofs=files_below("data/proofs", "*"),
        quoted=[
            "CHANGELOG.md",
            "CITATION.cff",
            "core/diskbench-core/src/exit_code.rs",
            "workflow/schemas/protocol.schema.json",
            "workflow/schemas/study.schema.json",
            "workflow/scripts/database/statistics/estimate.py",
            "workflow/scripts/database/statistics/resampling.py",
            "core/system/src/calls.rs",
        ],
        # the plan of each study, for the manual
        planning=files_below("workflow/scripts/study", "*"),
    output:
        made=str(made.SITE.marker),
    log:
        LOGS / "site.log",
    conda:
        ENVIRONMENT
    params:
        # adding Quarto, or another version of it, renders the site anew
        renderer=renderer(),
        # npm's packages are fetched while the pages are made (reports/lib/engine.py)
        engine=missing_engine(Path("reports/engine/engine.json"), THIS_CALL),
        call=made.call_of(made.SITE, THIS_CALL),
    shell:
        "python -m publish --reports reports --log {log} && python -m made site --call {params.call}"

# The site: with Quarto where it is installed, else with the plain renderer.
rule site:
    input:
        database=DATABASE,
        made=DATABASE_MADE,
        pages=files_below("reports", "*"),
        scripts=files_below("workflow/scripts/publish", "*"),
        # what pages quote besides
        config=files_below("workflow/config", "*"),
        proofs=files_below("data/proofs", "*"),
        quoted=[
            "README.md",
            "CHANGELOG.md",
            "CITATION.cff",
            "workflow/scripts/study/scales.py",
        ],
    output:
        site=update(SITE),
        # see rule database
        made=SITE_MADE,
    log:
        LOGS / "site.log",
    conda:
        ENVIRONMENT
    params:
        # npm's packages are fetched while the pages are made (reports/lib/engine.py)
        engine=missing_engine(Path("reports/engine/engine.json"), THIS_CALL),
    shell:
        "python -m publish --reports reports --log {log} && touch {output.made}"

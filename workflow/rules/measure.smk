# Measuring: one cell at a time, in the shuffled order of the plan, and nothing else of the workflow beside it.


# Only shows the plan: what is measured later goes by a plan of its own.
rule plan:
    input:
        core=CORE,
    log:
        LOGS / "plan.log",
    conda:
        ENVIRONMENT
    params:
        config=CONFIG_JSON,
        forced=FORCED,
    shell:
        "python -m study plan --config {params.config:q} --core {input.core:q} --log {log} "
        "--forced {params.forced:q}"


# Shows the plan that is then measured by.
rule prepare:
    input:
        core=CORE,
    output:
        made=PLAN_MADE,
    log:
        LOGS / "prepare.log",
    conda:
        ENVIRONMENT
    params:
        config=CONFIG_JSON,
        forced=FORCED,
        call=THIS_CALL,
    shell:
        "python -m study prepare --config {params.config:q} --core {input.core:q} --log {log} "
        "--forced {params.forced:q} && touch {output.made}"


rule measure:
    input:
        plan=PLAN_MADE,
        earlier=earlier_phase,
    output:
        # not the record: the core alone writes it, and an older one stays in its place until then
        made=marker("{due_cell}"),
    log:
        workflow=LOGS / "measure/{due_cell}.log",
        core=LOGS / "measure/{due_cell}.core.log",
    priority: place_in_order
    conda:
        ENVIRONMENT
    # while a cell is measured, no other job of the workflow may run
    threads: lambda wildcards: workflow.cores
    params:
        core=CORE,
        options=run_options,
        call=THIS_CALL,
    message:
        "measuring {wildcards.due_cell}"
    shell:
        "python -m study measure --cell {wildcards.due_cell} --core {params.core:q} "
        "--core-log {log.core} --log {log.workflow} -- {params.options:q} && touch {output.made}"


# Only the measuring: for a Mac whose records are published elsewhere.
#
# Notes which records there are. It is a step only while that note is wrong: when a cell is due, or when a record came,
# went or was replaced since. So what is made from records goes by one file, however many they are.
if PLAN.due or not made.is_as_noted(made.RECORDS):

    rule records:
        input:
            [marker(cell) for cell in PLAN.cells if cell in PLAN.due],
        output:
            made=str(made.RECORDS.marker),
        log:
            LOGS / "records.log",
        conda:
            ENVIRONMENT
        params:
            call=THIS_CALL,
        shell:
            "python -m made records --call {params.call} --log {log}"

else:

    rule records:
        input:
            str(made.RECORDS.marker),

# Measuring: one cell at a time, in the shuffled order of the plan, and nothing else of the workflow beside it.
rule plan:
    input:
        core=CORE,
    output:
        plan=update(PLAN_FILE),
    log:
        LOGS / "plan.log",
    conda:
        ENVIRONMENT
    params:
        config=CONFIG_JSON,
        call=THIS_CALL,
    shell:
        "python -m study plan --config {params.config:q} --core {input.core} "
        "--plan {output.plan} --log {log}"


rule measure:
    input:
        plan=PLAN_FILE,
        earlier=earlier_phase,
    output:
        record="data/runs/{due_cell}.json",
    log:
        workflow=LOGS / "measure/{due_cell}.log",
        core=LOGS / "measure/{due_cell}.core.log",
    priority: place_in_order
    conda:
        ENVIRONMENT
    # as many as there are: while a cell is measured, no other job of the workflow may run
    threads: 1024
    params:
        core=CORE,
        options=run_options,
    message:
        "measuring {wildcards.due_cell}"
    shell:
        "python -m study measure --plan {input.plan} --cell {wildcards.due_cell} --core {params.core} "
        "--record {output.record} --core-log {log.core} --log {log.workflow} -- {params.options:q}"

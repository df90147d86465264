# The compiled core. Cargo decides what to build anew; editing it re-measures nothing.
rule core:
    input:
        manifest="core/Cargo.toml",
        lock="core/Cargo.lock",
        sources=sources_of_the_core(),
    output:
        # not kept when a build fails: nothing may be measured with the core of before
        binary=CORE,
    log:
        LOGS / "core.log",
    conda:
        ENVIRONMENT
    shell:
        "python -m study build --manifest {input.manifest} --binary {output.binary} --log {log}"

# The compiled core. Cargo decides what to build anew; editing it re-measures nothing.
rule core:
    input:
        manifest=PROJECT / "core/Cargo.toml",
        lock=PROJECT / "core/Cargo.lock",
        sources=sources_of_the_core(PROJECT / "core"),
        released=released_core(),
    output:
        # not kept when a build fails: nothing may be measured with the core of before
        binary=CORE,
    log:
        LOGS / "core.log",
    conda:
        ENVIRONMENT
    shell:
        "python -m study build --manifest {input.manifest:q} --binary {output.binary:q} --log {log}"

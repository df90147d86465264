#!/usr/bin/env bash
# Runs every test, the quick ones first: formatting and lints, the core, the Python rooms, then the real workflow from
# end to end in a copy. Sets up what is missing. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source workflow/setup.sh

step() { printf '\n== %s\n' "$*"; }

step "formatting and lints of the workflow"
ruff format --check .
ruff check .
snakefmt --check Snakefile workflow/rules
snakemake --lint

step "the core: formatting, lints, tests"
cargo fmt --manifest-path core/Cargo.toml --check
cargo clippy --manifest-path core/Cargo.toml --all-targets --locked -- --deny warnings
cargo test --manifest-path core/Cargo.toml --locked
cargo build --manifest-path core/Cargo.toml --release --locked

step "the workflow, the database, the pages, end to end"
python -m pytest -c workflow/pytest.ini --rootdir workflow "$@"

#!/usr/bin/env bash
# Runs every test, the quick ones first: formatting and lints, the core, the Python rooms, then the real workflow from
# end to end in a copy. Sets up what is missing. Arguments go to pytest; `fleet` alone runs a whole fleet on this machine
# instead, which takes some minutes more.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source workflow/setup.sh
setup_use_fleet

step() { printf '\n== %s\n' "$*"; }

if [ "${1:-}" = fleet ]; then
  shift
  step "a desk and three hosts on this machine, end to end"
  cargo build --manifest-path core/Cargo.toml --release --locked
  python -m pytest -c workflow/pytest.ini --rootdir workflow workflow/tests/fleet/whole "$@"
  exit
fi

step "formatting and lints of the workflow"
# by their modules: the programs of these names stop working when the project is moved
python -m ruff format --check .
python -m ruff check .
python -m snakefmt.snakefmt --check Snakefile workflow/rules
python -m snakemake --lint

step "the core: formatting, lints, tests"
cargo fmt --manifest-path core/Cargo.toml --check
cargo clippy --manifest-path core/Cargo.toml --all-targets --locked -- --deny warnings
cargo test --manifest-path core/Cargo.toml --locked
cargo build --manifest-path core/Cargo.toml --release --locked

step "the workflow, the database, the pages, end to end"
python -m pytest -c workflow/pytest.ini --rootdir workflow --numprocesses 2 "$@"

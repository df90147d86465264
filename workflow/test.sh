#!/usr/bin/env bash
# Runs the tests: formatting and lints, the core, the Python code, and the real workflow from end to end in a copy.
# Sets up what is missing.
# Usage: bash workflow/test.sh                            without those that take long (marked `slow`)
#        bash workflow/test.sh workflow/tests/study       the tests of one folder or file, slow ones too; the core is
#                                                         only compiled, since its own tests take minutes
#        bash workflow/test.sh PYTEST_ARGUMENT ...        such as -k lock; slow ones too
#        bash workflow/test.sh fleet                      a whole fleet on this machine, which takes some minutes
#        bash workflow/test.sh all                        what CI runs: every test, the fleet, the core compiled for a
#                                                         Mac, the fuzz targets
# Exit codes: 0 all passed, 2 no test fits the arguments, anything else: a test or a lint failed.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
unset DISKBENCH_CORE # the core is what is tested
source workflow/setup.sh
setup_use_fleet

step() { printf '\n== %s\n' "$*"; }

if [ "${1:-}" = fleet ]; then
  shift
  step "a coordinator and three hosts on this machine, end to end"
  cargo build --manifest-path core/Cargo.toml --release --locked
  # one fleet for all of them, so after a failure the others would wait for a host that is gone
  python -m pytest -c workflow/pytest.ini --rootdir . --exitfirst workflow/tests/fleet/whole "$@"
  exit
fi

if [ "${1:-}" = all ]; then
  [ "$#" -eq 1 ] || setup_fail "'all' takes no arguments; see \`bash workflow/test.sh --help\`"
  # beside the tests, which mostly use one core; none of them is timed
  mac_log=$(mktemp)
  set -m
  nice bash workflow/prove.sh mac-build check >"$mac_log" 2>&1 &
  mac=$!
  set +m
  trap 'kill -- -"$mac" 2>/dev/null || true; rm -f "$mac_log"' EXIT

  bash workflow/test.sh -m ""

  step "the core as a Mac compiles it"
  mac_code=0
  wait "$mac" || mac_code=$?
  cat "$mac_log"
  [ "$mac_code" -eq 0 ] || exit 1

  bash workflow/test.sh fleet

  # their seeds are fed to the parsers by the core's tests; fuzzing itself is `prove.sh fuzz`
  step "the fuzz targets compile"
  cargo check --manifest-path core/fuzz/Cargo.toml --locked --quiet
  exit
fi

# before the steps that take minutes; pytest's codes for arguments that it does not know, and that no test fits
core_arguments=()
if [ "$#" -eq 0 ]; then
  set -- -m "not slow"
  core_arguments=(--skip slow::)
else
  collected=0
  python -m pytest -c workflow/pytest.ini --rootdir . --collect-only --quiet "$@" >/dev/null 2>&1 || collected=$?
  case $collected in
    4 | 5) setup_fail "no test fits '$*', or pytest does not know it; see \`bash workflow/test.sh --help\`" ;;
  esac
fi

step "formatting and lints of the workflow"
# by their modules: the programs of these names stop working when the project is moved
python -m ruff format --check .
python -m ruff check .
python -m snakefmt.snakefmt --check Snakefile workflow/rules
python -m snakemake --lint

case $1 in
  workflow/*)
    step "the named tests"
    cargo build --manifest-path core/Cargo.toml --release --locked
    exec python -m pytest -c workflow/pytest.ini --rootdir . --numprocesses 3 "$@"
    ;;
esac

step "the core: formatting, lints"
cargo fmt --manifest-path core/Cargo.toml --all --check
cargo clippy --manifest-path core/Cargo.toml --all-targets --locked -- --deny warnings
RUSTDOCFLAGS='--deny warnings' cargo doc --manifest-path core/Cargo.toml --package diskimage --no-deps --locked
cargo build --manifest-path core/Cargo.toml --release --locked

# beside the other tests, of which three at once wait a lot: for disks, programs and a browser; nothing is timed
core_log=$(mktemp)
set -m # a group of its own, to which Ctrl-C means something: some tests send it
cargo test --manifest-path core/Cargo.toml --locked -- ${core_arguments[@]+"${core_arguments[@]}"} >"$core_log" 2>&1 &
core=$!
set +m
trap 'kill -- -"$core" 2>/dev/null || true; rm -f "$core_log"' EXIT

step "the workflow, the database, the pages, end to end (the core's tests run beside it; their output follows)"
python -m pytest -c workflow/pytest.ini --rootdir . --numprocesses 3 "$@"

step "the core: tests"
core_code=0
wait "$core" || core_code=$?
cat "$core_log"
exit "$core_code"

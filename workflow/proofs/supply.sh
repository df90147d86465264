#!/usr/bin/env bash
# Dependencies: known vulnerabilities, as cargo-deny, pip-audit and npm report them; licences and sources of crates.
#
# Usage: bash workflow/prove.sh supply
# Exit codes: 0 nothing found, 1 something found, or a list of vulnerabilities cannot be reached; 2 a tool is missing,
# 3 disk full, 4 no network to fetch it.
#
# The first run installs cargo-deny and pip-audit into .diskbench/tools. Package indexes and licences are tested by
# workflow/tests/study/test_dependencies.py; here again, as those of the tools for auditing are read only when these are
# installed.
set -euo pipefail
source workflow/setup.sh

[ "$#" -eq 0 ] || setup_fail "supply takes no arguments; see \`bash workflow/prove.sh supply --help\`"
command -v npm >/dev/null || setup_fail "npm is missing: install Node.js (nodejs.org), then run again"

CARGO_DENY=0.20.2

tools=$PWD/.diskbench/tools log=.diskbench/logs/audit-install.log
mkdir -p "$tools" .diskbench/logs
if [ "$("$tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $CARGO_DENY" ]; then
  setup_say "installing cargo-deny $CARGO_DENY into .diskbench/tools (once, some minutes)"
  cargo install cargo-deny --locked --quiet --version "$CARGO_DENY" --root "$tools" >"$log" 2>&1 ||
    setup_fail_making cargo-deny "$log"
fi
setup_use_tools audit pip-audit

found=0
python -m pytest -c workflow/pytest.ini --rootdir . --quiet workflow/tests/study/test_dependencies.py || found=1
for manifest in core/Cargo.toml core/fuzz/Cargo.toml; do
  "$tools/bin/cargo-deny" --manifest-path "$manifest" --config core/deny.toml --locked \
    check --hide-inclusion-graph || found=1
done
for lock in workflow/requirements*.txt; do
  PYTHONPATH=$tools/audit python -m pip_audit --strict --require-hashes --disable-pip --progress-spinner=off \
    --requirement "$lock" || found=1
done
(cd reports/assets/query && npm audit --package-lock-only) || found=1
exit "$found"

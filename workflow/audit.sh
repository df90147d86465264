#!/usr/bin/env bash
# What diskbench is made from: that every dependency is held to a hash, comes from its registry and has a licence that
# allows what we do; what is known to be faulty; and a bill of materials, .diskbench/sbom.cdx.json (CycloneDX).
# Usage: bash workflow/audit.sh [--offline] [--rustsec FOLDER] [--save]
#   --offline          nobody is asked for known faults; else RustSec, PyPI and npm are
#   --rustsec FOLDER   a clone of github.com/RustSec/advisory-db, where that cannot be reached
#   --save             keeps the figures for the page of methods, in data/proofs/security.json
# Exit codes: 0 nothing found (who could not be asked is named), 1 something found, 2 a tool is missing, 4 no network
# to fetch it.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh

CARGO_DENY=0.20.2

PYTHONPATH=workflow/scripts:workflow/proofs python -m supply "$@"

tools=$PWD/.diskbench/tools
logs=$PWD/.diskbench/logs
mkdir -p "$tools" "$logs"

if [ "$("$tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $CARGO_DENY" ]; then
  printf 'diskbench: installing cargo-deny %s into .diskbench/tools (once, some minutes)\n' "$CARGO_DENY" >&2
  cargo install cargo-deny --locked --quiet --version "$CARGO_DENY" --root "$tools" >"$logs/audit-install.log" 2>&1 ||
    setup_fail_making cargo-deny .diskbench/logs/audit-install.log
fi

wanted=$(cksum <workflow/requirements-audit.txt)
if [ "$(cat "$tools/audit/made-from" 2>/dev/null)" != "$wanted" ]; then
  printf 'diskbench: installing pip-audit into .diskbench/tools (once)\n' >&2
  rm -rf "$tools/audit"
  python -m uv pip install --system-certs --quiet --no-cache --only-binary :all: --target "$tools/audit" \
    --require-hashes -r workflow/requirements-audit.txt >"$logs/audit-install.log" 2>&1 </dev/null ||
    setup_fail_making pip-audit .diskbench/logs/audit-install.log
  printf '%s' "$wanted" >"$tools/audit/made-from"
fi

PYTHONPATH=workflow/scripts:workflow/proofs:$tools/audit exec python -m supply --deny "$tools/bin/cargo-deny" "$@"

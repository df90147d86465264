#!/usr/bin/env bash
# Installs what `prove.sh supply` asks for known faults, once, into .diskbench/tools: cargo-deny, and pip-audit with
# the library that writes the bill of materials.
set -euo pipefail
source workflow/setup.sh

CARGO_DENY=0.20.2

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

#!/usr/bin/env bash
# Installs what `prove.sh supply` asks for known faults, once, into .diskbench/tools: cargo-deny and pip-audit.
set -euo pipefail
source workflow/setup.sh

CARGO_DENY=0.20.2

tools=.diskbench/tools log=.diskbench/logs/audit-install.log
mkdir -p "$tools" .diskbench/logs
if [ "$("$tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $CARGO_DENY" ]; then
  setup_say "installing cargo-deny $CARGO_DENY into $tools (once, some minutes)"
  cargo install cargo-deny --locked --quiet --version "$CARGO_DENY" --root "$PWD/$tools" >"$log" 2>&1 ||
    setup_fail_making cargo-deny "$log"
fi
setup_use_tools audit pip-audit

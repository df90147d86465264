#!/usr/bin/env bash
# One study over several hosts, from one desk: README, "A fleet of hosts".
# Usage: bash workflow/fleet.sh certificate                 at the desk: a pass for each host of workflow/config/fleet.yaml
#        bash workflow/fleet.sh worker                      on a host: offers it to the desk until Ctrl-C
#        bash workflow/fleet.sh plan [--config KEY=VALUE ...]  at the desk: what the study comes to on each host
#        bash workflow/fleet.sh run [--config KEY=VALUE ...]   at the desk: measures it on all of them, and makes the site
#        bash workflow/fleet.sh status                      at the desk: what every host does
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source workflow/setup.sh

tools=.diskbench/tools/fleet
if ! setup_is_made_from "$tools/made-from" workflow/requirements-fleet.txt; then
  setup_alone
  setup_say "installing Dask into $tools (once)"
  mkdir -p .diskbench/logs
  rm -rf "$tools"
  python -m pip install --quiet --no-deps --only-binary :all: --require-hashes --no-cache-dir --disable-pip-version-check \
    --target "$tools" --requirement workflow/requirements-fleet.txt >.diskbench/logs/fleet-install.log 2>&1 </dev/null ||
    setup_fail "Dask could not be installed ($(tail -n 1 .diskbench/logs/fleet-install.log)): .diskbench/logs/fleet-install.log has the details"
  setup_checksum workflow/requirements-fleet.txt >"$tools/made-from"
  rm -f "$setup_lock"
fi

PYTHONPATH=workflow/scripts:$tools exec python -m fleet "$@"

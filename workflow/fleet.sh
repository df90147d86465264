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

setup_use_fleet
PYTHONPATH=workflow/scripts:$setup_fleet exec python -m fleet "$@"

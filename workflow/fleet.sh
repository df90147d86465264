#!/usr/bin/env bash
# One study over several hosts, from one desk: README, "A fleet of hosts".
# Usage: bash workflow/fleet.sh certificate                    at the desk: a pass for each host of workflow/config/fleet.yaml
#          --anew HOST     makes a host's pass anew
#          --revoke HOST   lets a host in no more; a running desk has to be called again
#          --browser       makes a certificate for your browser, for Dask's dashboard
#        bash workflow/fleet.sh worker                         on a host: offers it to the desk until Ctrl-C
#        bash workflow/fleet.sh plan [--config KEY=VALUE ...]  at the desk: what the study comes to on each host
#        bash workflow/fleet.sh run [--config KEY=VALUE ...]   at the desk: measures it on all of them, and makes the site
#          --wait MINUTES     for hosts that are away when all others are done (30)
#          --minutes MINUTES  stops the hosts so many minutes after the call
#          --no-site          only measures and files
#        bash workflow/fleet.sh status                         at the desk: what every host does
# The first call installs Dask into .diskbench/tools/fleet. Exit codes: those of run.sh.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh

setup_use_fleet
PYTHONPATH=workflow/scripts:$setup_fleet exec python -m fleet "$@"

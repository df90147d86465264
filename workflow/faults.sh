#!/usr/bin/env bash
# Makes every call that a run of the core makes of the system fail once, be short or be slow, for a small cell of each
# kind of image: whatever happens, the exit code has a name, a record is there whole or not at all, and a second run
# completes. One line for each kind of image; the exit code is 1 when something was found.
# Usage: bash workflow/faults.sh [--save] [IMAGE...]   (default: native UDRW UDSP UDSB ASIF, and the four with -AES-256)
#        --save: keep the figures in data/proofs/faults.json, for the page of methods
# For Linux; see core/diskbench-core/examples/faults and core/diskbench-core/tests/faults.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh
PYTHONPATH=workflow/scripts:workflow/proofs exec python -m bench faults "$@"

#!/usr/bin/env bash
# Publishes the site that run.sh left in reports/_site. It replaces an older site of its own, and nothing else.
# Usage: bash workflow/publish.sh [--dry-run]                     to GitHub Pages: branch gh-pages of the remote origin
#        bash workflow/publish.sh [--dry-run] REMOTE [BRANCH]     to another remote (its name or address) or branch
#        bash workflow/publish.sh [--dry-run] --to FOLDER         into a folder, for any web server
#   --dry-run   prints each file that would be added, replaced, removed or kept; changes nothing
#
# The manifest .diskbench-site goes with the site: the SHA-256 checksum of each file, in the form of sha256sum. A
# target with any file that is not in its manifest, or differs from it, is refused, with the names; so is a site that
# shows synthetic or stand-in figures. Two files are kept as they are, whoever wrote them: CNAME (your domain on GitHub
# Pages) and .nojekyll, which is written where there is none.
# A branch gets one commit of ours, which takes the place of the one before; what others committed stays below it. It is
# pushed only if nobody pushed meanwhile. A call that was interrupted
# while it wrote into a folder is completed by calling it again.
# Exit codes: 0 done, 2 refused or no site, 3 disk full, 4 folder or remote cannot be used, 5 another call publishes.
set -euo pipefail
DISKBENCH_CALLED_IN=$PWD
cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
source workflow/help.sh
source workflow/setup.sh
export DISKBENCH_CALLED_IN
PYTHONPATH=workflow/scripts exec python -m upload "$@"

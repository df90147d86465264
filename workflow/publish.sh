#!/usr/bin/env bash
# Publishes the site that run.sh left in reports/_site.
#   bash workflow/publish.sh                     to GitHub Pages: branch gh-pages of the remote origin
#   bash workflow/publish.sh REMOTE [BRANCH]     to another remote (its name or address) or branch
#   bash workflow/publish.sh --to FOLDER         into a folder, for any web server
# A branch gets one commit without a past, since every site is made anew from data that is kept elsewhere. Nothing else in
# the repository is touched. A site of made-up or stand-in figures is refused.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
site=reports/_site

refuse() { # EXIT_CODE LINE
  printf 'diskbench: %s\n' "$2" >&2
  exit "$1"
}

[ -f "$site/index.html" ] || refuse 2 "there is no site in $site yet; run: bash workflow/run.sh"
if grep -rlq --include='*.html' 'class="watermark"' "$site"; then
  refuse 2 "this site shows made-up or stand-in figures, which are no results; take their records out of data/runs and call run.sh"
fi

if [ "${1:-}" = --to ]; then
  folder=${2:-}
  [ -n "$folder" ] || refuse 2 "--to needs a folder: bash workflow/publish.sh --to FOLDER"
  mkdir -p "$folder" || refuse 4 "cannot make the folder $folder; name one that you may write to"
  # only over an older site, never over somebody's files
  if [ -n "$(ls -A "$folder")" ] && [ ! -f "$folder/.diskbench-site" ]; then
    refuse 2 "$folder holds files that are no site of diskbench; name an empty folder"
  fi
  find "$folder" -mindepth 1 -delete
  cp -R "$site/." "$folder/"
  touch "$folder/.diskbench-site"
  printf 'diskbench: the site is in %s\n' "$folder" >&2
  exit 0
fi

remote=${1:-origin}
branch=${2:-gh-pages}
address=$(git remote get-url "$remote" 2>/dev/null || printf '%s' "$remote")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_DIR="$scratch/site.git"
git init --quiet --bare "$GIT_DIR"
# Pages would run the files through Jekyll, which leaves out what begins with _ or .
printf '' >"$scratch/.nojekyll"
git --work-tree="$site" add --all --force .
git --work-tree="$scratch" add --force .nojekyll
commit=$(git -c user.name=diskbench -c user.email=diskbench@localhost commit-tree -m "The site of $(date -u +%Y-%m-%d)" "$(git write-tree)")
git push --quiet --force "$address" "$commit:refs/heads/$branch" ||
  refuse 4 "could not push to $address; see git's message above, and name another remote: bash workflow/publish.sh REMOTE [BRANCH]"
printf 'diskbench: the site is on branch %s of %s\n' "$branch" "$address" >&2

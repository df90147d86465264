#!/usr/bin/env bash
# Publishes the site that run.sh left in reports/_site.
#   bash workflow/publish.sh                     to GitHub Pages: branch gh-pages of the remote origin
#   bash workflow/publish.sh REMOTE [BRANCH]     to another remote (its name or address) or branch
#   bash workflow/publish.sh --to FOLDER         into a folder, for any web server
# A branch gets one commit without a past, since every site is made anew from data that is kept elsewhere. Nothing else in
# the repository is touched, and a branch or folder that holds anything but a site is refused, as is a site of made-up or
# stand-in figures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
site=reports/_site
mark=.diskbench-site # what tells a site of ours from anything else
usage='bash workflow/publish.sh [REMOTE [BRANCH]], or bash workflow/publish.sh --to FOLDER'

refuse() { # EXIT_CODE LINE
  printf 'diskbench: %s\n' "$2" >&2
  exit "$1"
}

case "${1:-}" in
  -h | --help) printf '%s\n' "$usage" && exit 0 ;;
  --to) [ $# -eq 2 ] && [ -n "$2" ] || refuse 2 "--to needs a folder, and nothing else: $usage" ;;
  -*) refuse 2 "there is no option $1: $usage" ;;
  *) [ $# -le 2 ] || refuse 2 "too many words: $usage" ;;
esac
[ -f "$site/index.html" ] || refuse 2 "there is no site in $site yet; run: bash workflow/run.sh"
if grep -rlq --include='*.html' 'class="watermark"' "$site"; then
  refuse 2 "this site shows made-up or stand-in figures, which are no results; take their records out of data/runs and call run.sh"
fi

if [ "${1:-}" = --to ]; then
  folder=$2
  above=$folder
  while [ ! -d "$above" ]; do above=$(dirname "$above"); done
  case "$(cd "$above" && pwd -P)/" in
    "$(cd "$site" && pwd -P)"/*) refuse 2 "$folder is in the site itself; name a folder elsewhere" ;;
  esac
  mkdir -p "$folder" 2>/dev/null || refuse 4 "cannot make the folder $folder; name one that you may write to"
  # only over an older site, never over somebody's files
  if [ -n "$(ls -A "$folder")" ] && [ ! -f "$folder/$mark" ]; then
    refuse 2 "$folder holds files that are no site of diskbench; name an empty folder"
  fi
  find "$folder" -mindepth 1 -delete
  cp -R "$site/." "$folder/"
  touch "$folder/$mark"
  printf 'diskbench: the site is in %s\n' "$folder" >&2
  exit 0
fi

remote=${1:-origin}
branch=${2:-gh-pages}
git check-ref-format "refs/heads/$branch" || refuse 2 "$branch cannot be the name of a branch: $usage"
address=$(git remote get-url "$remote" 2>/dev/null || printf '%s' "$remote")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_DIR="$scratch/site.git"
git init --quiet --bare "$GIT_DIR"
# Pages would run the files through Jekyll, which leaves out what begins with _ or .
touch "$scratch/.nojekyll" "$scratch/$mark"
git --work-tree="$site" add --all --force .
git --work-tree="$scratch" add --force .nojekyll "$mark"
commit=$(git -c user.name=diskbench -c user.email=diskbench@localhost commit-tree -m "The site of $(date -u +%Y-%m-%d)" "$(git write-tree)")
said=$scratch/said
unreached() {
  refuse 4 "could not push to $address ($(tail -n 1 "$said")); mend that, or name another remote: bash workflow/publish.sh REMOTE [BRANCH]"
}
held=$(git ls-remote "$address" "refs/heads/$branch" 2>"$said") || unreached
if [ -n "$held" ]; then
  git fetch --quiet --depth 1 "$address" "refs/heads/$branch" 2>"$said" || unreached
  git cat-file -e "FETCH_HEAD:$mark" 2>/dev/null ||
    refuse 2 "branch $branch of $address holds what is no site of diskbench; name another branch, or remove that one there"
fi
git push --quiet --force "$address" "$commit:refs/heads/$branch" 2>"$said" || unreached
printf 'diskbench: the site is on branch %s of %s\n' "$branch" "$address" >&2

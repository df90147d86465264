#!/usr/bin/env bash
# Random bytes for every parser of the core: no panic, read out of range, or excess of memory or time.
#
# Usage: bash workflow/prove.sh fuzz [SECONDS] [TARGET ...]
#   SECONDS   for each target (20)
#   TARGET    parsers (all); an unknown one is refused with the names of all
# Exit codes: 0 nothing found, 1 something found, 2 bad input or a tool is missing.
#
# It needs cargo and a C++ compiler; the first call installs cargo-fuzz into .diskbench/tools. RUSTC_BOOTSTRAP lets a
# stable Rust use the address sanitizer. The corpus of libFuzzer stays in .diskbench/fuzz/corpus, and the next run
# starts from there and from core/fuzz/seeds. An input that is a finding stays in .diskbench/fuzz/findings: run the
# program, with the target's name in DISKBENCH_FUZZ, on that file to reproduce it.
set -euo pipefail

CARGO_FUZZ=0.13.1
LIMITS=(-rss_limit_mb=512 -malloc_limit_mb=256 -timeout=10)
# large enough for every seed in pieces, small enough to be quick
LONGEST_INPUT=16384

seconds=${1:-20}
[ "$#" -eq 0 ] || shift

fail() {
  printf 'diskbench: %s\n' "$*" >&2
  exit 2
}

case $seconds in
  '' | *[!0-9]* | 0) fail "$seconds is no number of seconds: give a whole one" ;;
esac
command -v cargo >/dev/null || fail "cargo is missing: install Rust, then run again"
command -v c++ >/dev/null || fail "a C++ compiler (c++) is missing: install it with 'xcode-select --install' or 'apt install g++'"

tools=$PWD/.diskbench/tools
logs=$PWD/.diskbench/logs
work=$PWD/.diskbench/fuzz
mkdir -p "$tools" "$logs" "$work"

if [ "$("$tools/bin/cargo-fuzz" --version 2>/dev/null)" != "cargo-fuzz $CARGO_FUZZ" ]; then
  printf 'diskbench: installing cargo-fuzz %s into .diskbench/tools (once, about a minute)\n' "$CARGO_FUZZ" >&2
  cargo install cargo-fuzz --locked --quiet --version "$CARGO_FUZZ" --root "$tools" >"$logs/fuzz-install.log" 2>&1 ||
    fail "cargo-fuzz could not be installed: .diskbench/logs/fuzz-install.log has the details"
fi

export RUSTC_BOOTSTRAP=1

# cargo-fuzz hands nothing on to cargo: a lock file that no longer fits is found here, and not mended in silence
cargo metadata --locked --format-version 1 --manifest-path core/fuzz/Cargo.toml >/dev/null 2>"$logs/fuzz-build.log" ||
  fail "core/fuzz/Cargo.lock does not fit its Cargo.toml or the core's: run 'cargo update --workspace' in core/fuzz, then run again"

printf 'diskbench: building the fuzz targets\n' >&2
"$tools/bin/cargo-fuzz" build --fuzz-dir core/fuzz --target-dir core/target/fuzz >"$logs/fuzz-build.log" 2>&1 ||
  fail "the fuzz targets could not be built: .diskbench/logs/fuzz-build.log has the details"
program=core/target/fuzz/$(rustc --version --verbose | sed -n 's/^host: //p')/release/diskbench-fuzz

all=(core/fuzz/seeds/*)
all=("${all[@]##*/}")
[ "$#" -gt 0 ] || set -- "${all[@]}"

# where the targets that need files (info_plist, disk) keep them
TMPDIR=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/diskbench-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

found=0
for target in "$@"; do
  [ -d "core/fuzz/seeds/$target" ] || fail "$target is no target: give one of ${all[*]}"
  corpus=$work/corpus/$target findings=$work/findings/$target log=$logs/fuzz-$target.log
  mkdir -p "$corpus" "$findings"
  before=$(find "$findings" -type f | wc -l)
  ended=0
  DISKBENCH_FUZZ=$target "$program" "$corpus" "core/fuzz/seeds/$target" -artifact_prefix="$findings/" \
    -max_len="$LONGEST_INPUT" -max_total_time="$seconds" -print_final_stats=1 "${LIMITS[@]}" >"$log" 2>&1 || ended=$?
  new=$(($(find "$findings" -type f | wc -l) - before))
  stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-13s %9s runs %7s a second %6s edges  %s findings\n' "$target" "$(stat number_of_executed_units)" \
    "$(stat average_exec_per_sec)" "${edges:-0}" "$new"
  if [ "$ended" -ne 0 ]; then
    found=1
    printf 'diskbench: %s ended with %s: .diskbench/logs/fuzz-%s.log says why, the input is in .diskbench/fuzz/findings/%s\n' \
      "$target" "$ended" "$target" "$target" >&2
  fi
done
exit "$found"

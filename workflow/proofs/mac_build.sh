#!/usr/bin/env bash
# The core, compiled for Apple silicon on another machine: checks code that only a Mac runs.
#
# Usage: bash workflow/prove.sh mac-build check   type-checks and lints library, program, tests, examples, benchmarks
# Exit codes: 0 done, 2 something is missing, else those of cargo.
#
# It uses the Rust that is there: on a Mac its own; else Debian's packages, which bring the sources of the standard
# library without rustup; else a Rust that has the standard library for Apple silicon.
set -euo pipefail

TARGET=aarch64-apple-darwin
PACKAGES="rustc-web cargo-web rust-web-src rust-web-clippy"

fail() {
  printf 'diskbench: %s\n' "$*" >&2
  exit 2
}

# whether Debian's Rust is there with all that is asked for
has_debian() {
  local sources
  [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo-clippy ] || return 1
  sources=$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library
  [ -f "$sources/Cargo.toml" ]
}

has_target() {
  command -v rustc >/dev/null && [ -d "$(rustc --print sysroot)/lib/rustlib/$TARGET/lib" ]
}

# Sets the arguments that make cargo compile for the Mac, and what they need of the environment.
choose() {
  for_mac=(--target "$TARGET")
  if [ "$(uname -s)" = Darwin ]; then
    command -v cargo >/dev/null || fail "cargo is missing: install it with rustup (rustup.rs) or 'brew install rust', then run again"
  elif has_debian; then
    # rustup's programs of the same names come first by default
    export PATH=/usr/bin:$PATH
    # to build the standard library is unstable; the variable asks a stable Rust for it
    export RUSTC_BOOTSTRAP=1
    for_mac+=(-Zbuild-std=std,panic_abort,test)
  elif has_target; then
    :
  else
    fail "no Rust for the Mac is here: install it with 'apt-get install $PACKAGES', then run again"
  fi
  # its own: what other compilers and flags left would be built again each time
  export CARGO_TARGET_DIR=core/target/mac
}

check() {
  choose
  # Some crates that the tests use compile a little C or assembly for the target. Nothing is linked when checking, so a
  # compiler and an archiver that make nothing will do where there is none for the Mac.
  if [ "$(uname -s)" != Darwin ]; then
    export CC_aarch64_apple_darwin=true AR_aarch64_apple_darwin=true
  fi
  cargo clippy --manifest-path core/Cargo.toml --all-targets --locked --quiet "${for_mac[@]}" -- --deny warnings
  printf 'diskbench: the core compiles for %s without a warning (%s)\n' "$TARGET" "$(rustc --version)" >&2
}

case ${1:-} in
  check) check ;;
  *) fail "name what to do: bash workflow/prove.sh mac-build check" ;;
esac

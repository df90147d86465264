#!/usr/bin/env bash
# Leaves an environment with everything the study needs on PATH. run.sh, test.sh and prove.sh source it; called by
# itself, it makes the environment and nothing else.
# Usage: bash workflow/setup.sh
#
#   1. Programs: Python, Rust, Quarto and node of an activated conda environment that is called diskbench; else, with
#      conda, mamba or micromamba on PATH, of .conda, which is made from environment.yml; else those on PATH.
#   2. Python packages: in .venv, on top of that Python, from the hash-locked workflow/requirements.txt. Where no
#      Python fits, uv brings one into .diskbench/tools.
#   3. With DISKBENCH_CORE=FILE: that released core instead of Rust, if FILE.sha256 fits, and core/ is that of its commit.
#
# Nothing is installed outside the project's folder. With nothing to do it takes well under a second.
# Exit codes: 2 something is missing, or could not be made; 3 the disk is full; 4 no network, or a folder that cannot be
# written; 5 another call makes the environment.

# Written for the bash 3.2 that macOS has.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  cd "${BASH_SOURCE[0]%/*}/.." 2>/dev/null || cd ..
  source workflow/help.sh
fi

setup_say() { printf 'diskbench: %s\n' "$*" >&2; }

setup_fail() {
  setup_say "$*"
  exit 2
}

# What pip, uv, conda, mamba, micromamba and cargo say when they reach no other machine.
setup_unreached='name resolution|name or service not known|nodename nor servname|could not resolve|dns error|no address associated'
setup_unreached="$setup_unreached|network is unreachable|no route to host|connection refused|connection timed out|connect timeout"
setup_unreached="$setup_unreached|newconnectionerror|connection failed|error sending request|failed to connect|could not connect"

# Ends the call for something that could not be fetched or made: WHAT, and the LOG that has the details.
setup_fail_making() {
  # before the network: some say "connection failed" of it, too
  if grep -qi certificate "$2"; then
    setup_say "no trusted certificate: $1 could not be fetched ($2 has the details); if a proxy replaces certificates, set SSL_CERT_FILE and REQUESTS_CA_BUNDLE to a file with its own, then run again"
    exit 4
  fi
  if grep -Eqi "$setup_unreached" "$2"; then
    setup_say "no network: $1 could not be fetched ($2 has the details); connect this machine, or set HTTPS_PROXY, then run again"
    exit 4
  fi
  if grep -Eqi 'no space left on device|disk quota exceeded' "$2"; then
    setup_say "the disk is full, so $1 could not be installed ($2 names the place): free some space, then run again"
    exit 3
  fi
  setup_fail "$1 could not be installed ($(tail -n 1 "$2")): $2 has the details; fix that and run again"
}

# A file's checksum, to see whether an environment was made from it as it is now.
setup_checksum() { cksum <"$1" | tr -d ' '; }

setup_is_made_from() { [ -f "$1" ] && [ "$(cat "$1")" = "$(setup_checksum "$2")" ]; }

setup_refuse_a_bare_path() {
  local tool
  for tool in cat cksum tr mkdir rm tail grep awk; do
    command -v "$tool" >/dev/null 2>&1 ||
      setup_fail "PATH (${PATH:-empty}) has no $tool: set it as in a new terminal, for example PATH=/usr/bin:/bin, then run again"
  done
}

setup_find_conda() {
  local tool
  for tool in micromamba mamba conda; do
    if command -v "$tool" >/dev/null 2>&1; then
      printf '%s' "$tool"
      return 0
    fi
  done
  return 1
}

setup_use_conda() { # TOOL; succeeds when .conda can be used
  local tool=$1 log=.diskbench/logs/conda.log
  local made=.conda/made-from failed=.diskbench/conda-failed-on
  if ! setup_is_made_from "$made" environment.yml; then
    # not tried again until environment.yml changes: a failing solve can take minutes
    if ! setup_is_made_from "$failed" environment.yml; then
      setup_alone
      setup_say "making the environment in .conda from environment.yml with $tool (once, some minutes)"
      mkdir -p .diskbench/logs
      rm -rf .conda
      # with `/`: micromamba and mamba take a prefix without one for a name, and put it into their own folder of environments
      case $tool in
        micromamba) set -- micromamba create --yes --prefix ./.conda --file environment.yml ;;
        mamba) set -- mamba env create --yes --prefix ./.conda --file environment.yml ;;
        # asks nothing where the folder is new, and older ones do not know --yes here
        *) set -- conda env create --prefix ./.conda --file environment.yml ;;
      esac
      if "$@" >"$log" 2>&1 </dev/null; then
        setup_checksum environment.yml >"$made"
      else
        rm -rf .conda
        # without a network nothing else could be made either, and the next call is to try conda again
        if grep -Eqi "$setup_unreached" "$log"; then setup_fail_making "environment.yml" "$log"; fi
        setup_checksum environment.yml >"$failed"
      fi
      rm -f "$setup_lock"
    fi
    if [ ! -f "$made" ]; then
      setup_say "without Quarto, so the plain renderer makes the pages: $tool could not make .conda ($log says why); to try again: rm $failed"
      return 1
    fi
  fi
  export CONDA_PREFIX="$PWD/.conda"
  export PATH="$PWD/.conda/bin:$PATH"
  # what activating does beyond PATH: compilers and Quarto are told where their parts are
  local script options=$-
  set +u
  for script in .conda/etc/conda/activate.d/*.sh; do
    if [ -f "$script" ]; then source "$script"; fi
  done
  # a terminal that sources this file may be without it
  case $options in *u*) set -u ;; esac
}

# The first Python that fits a condition and can make virtual environments: Debian's own cannot without python3-venv.
setup_find_python() { # CONDITION; sys is there
  local python
  for python in python3.12 python3.13 python3.11 python3 python python3.14 python3.10 python3.9; do
    # Apple's own is a window that asks to install Xcode's tools, where these are missing
    case $(command -v "$python") in /usr/bin/*) setup_has_xcode || continue ;; esac
    # a name on PATH may be a shim without a Python behind it, so each is asked
    if "$python" -c "import sys, venv, ensurepip; sys.exit(not ($1))" >/dev/null 2>&1; then
      printf '%s' "$python"
      return 0
    fi
  done
  return 1
}
# those for which the lock is made
setup_fitting='(3, 11) <= sys.version_info[:2] <= (3, 13)'
# those for which uv is made
setup_any='(3, 8) <= sys.version_info[:2]'

# Where Python may write no bytecode, each program would compile all that it imports.
setup_compile=${PYTHONDONTWRITEBYTECODE:+--compile-bytecode}

setup_use_packages() {
  local python="" made=.venv/made-from log=.diskbench/logs/venv.log
  # the Python below it may be gone
  if setup_is_made_from "$made" workflow/requirements.txt && [ -x .venv/bin/python ]; then
    setup_refuse_what_is_missing
  else
    python=$(setup_find_python "$setup_fitting") || command -v uv >/dev/null 2>&1 || setup_find_python "$setup_any" >/dev/null ||
      setup_misses "Python 3.11, 3.12 or 3.13" "$(setup_python_of_a_mac)" "sudo apt install python3 python3-venv"
    setup_refuse_what_is_missing
    setup_alone
    setup_say "making the environment in .venv from workflow/requirements.txt (once, under a minute)"
    mkdir -p .diskbench/logs
    setup_begin_core
    rm -rf .venv
    awk '/^uv==/ {ours = 1; print; next} /^[^ ]/ {ours = 0} ours' workflow/requirements.txt >.diskbench/uv.txt
    if [ -n "$python" ]; then
      setup_bootstrap "$python" .venv >"$log" 2>&1 </dev/null || setup_fail_making "workflow/requirements.txt" "$log"
    else
      setup_bring_python >"$log" 2>&1 </dev/null || setup_fail_making "Python 3.12" "$log"
    fi
    .venv/bin/uv pip sync --system-certs --no-cache ${setup_compile:+"$setup_compile"} --python .venv/bin/python \
      --require-hashes workflow/requirements.txt >>"$log" 2>&1 </dev/null || setup_fail_making "workflow/requirements.txt" "$log"
    setup_checksum workflow/requirements.txt >"$made"
    rm -f "$setup_lock"
  fi
  export VIRTUAL_ENV="$PWD/.venv"
  export PATH="$PWD/.venv/bin:$PATH"
}

# The core is compiled while packages are fetched, for a caller that sets setup_needs_core. Nobody waits here: the
# workflow's own build waits for cargo's lock, finds it done, or says what is wrong. Ctrl-C during set-up and a failed
# set-up end it; after them it comes to its end, and the next call finds it done.
setup_begin_core() {
  [ -n "${setup_needs_core:-}" ] && [ -z "${DISKBENCH_CORE:-}" ] && [ ! -e core/target/release/diskbench ] || return 0
  # in a group of its own, which ends as a whole; in the shell's, bash 3.2 has it ignore Ctrl-C for good
  set -m
  cargo build --release --locked --manifest-path core/Cargo.toml --target-dir core/target \
    >.diskbench/logs/core-ahead.log 2>&1 </dev/null &
  setup_core=$!
  set +m
  trap 'kill -- -"$setup_core" 2>/dev/null || true' EXIT # not when `exec` hands over
}

# A virtual environment with the uv of the lock in it.
setup_bootstrap() { # PYTHON FOLDER
  "$1" -m venv --clear "$2" &&
    "$2/bin/python" -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r .diskbench/uv.txt
}

# The same by a uv that is there, or that any Python gets: it fetches the Python of .venv.
setup_bring_python() {
  local uv=uv
  if ! command -v uv >/dev/null 2>&1; then
    setup_bootstrap "$(setup_find_python "$setup_any")" .diskbench/tools/uv || return 1
    uv=.diskbench/tools/uv/bin/uv
  fi
  # --system-certs, for a uv that may be too old to have the option: it takes the variable that it knows
  local -x UV_SYSTEM_CERTS=true UV_NATIVE_TLS=true
  UV_PYTHON_INSTALL_DIR=$PWD/.diskbench/tools/python "$uv" venv --no-cache --python 3.12 .venv &&
    "$uv" pip install --no-cache --python .venv/bin/python --require-hashes -r .diskbench/uv.txt
}

# One call at a time makes an environment: two would take it away from under each other. What was killed holds nothing, also
# when its number belongs to some other program by now.
setup_is_a_call() { # PROCESS
  kill -0 "$1" 2>/dev/null || return 1
  command -v ps >/dev/null 2>&1 || return 0
  case $(ps -o command= -p "$1") in
    *workflow/*) return 0 ;;
    *) return 1 ;;
  esac
}
setup_lock=.diskbench/setup.lock
setup_alone() {
  local holder
  mkdir -p .diskbench 2>/dev/null || true
  for _ in 1 2; do
    if (set -o noclobber && printf '%s' "$$" >"$setup_lock") 2>/dev/null; then
      return 0
    fi
    holder=$(cat "$setup_lock" 2>/dev/null || true)
    if [ -n "$holder" ] && setup_is_a_call "$holder"; then
      setup_say "another call (process $holder) makes the environment of this folder: wait for it, then run again"
      exit 5
    fi
    rm -f "$setup_lock" 2>/dev/null || true
  done
  setup_say "$PWD/.diskbench cannot be written: make it a folder that can, then run again"
  exit 4
}

# Everything that is missing is named at once, each with the one command that mends it, before anything is installed.
setup_missing=""
setup_misses() { # WHAT ON_A_MAC ELSEWHERE
  local mend=$3
  if setup_is_mac; then mend=$2; fi
  setup_missing="${setup_missing:+$setup_missing; }$1 is missing: $mend"
}

setup_is_mac() { case $OSTYPE in darwin*) true ;; *) false ;; esac }

# Apple's tools have a Python that is old, but enough for uv, which brings one that fits.
setup_python_of_a_mac() {
  if setup_has_xcode; then echo "install it from python.org, or brew install python@3.12"; else setup_mend_xcode; fi
}

# Where there are none, xcrun is a window that asks to install them; after an upgrade of macOS they may be there,
# and not work.
setup_has_xcode() { ! setup_is_mac || { xcode-select -p >/dev/null 2>&1 && xcrun cc --version >/dev/null 2>&1; }; }

setup_mend_xcode() {
  if ! xcode-select -p >/dev/null 2>&1; then
    echo "xcode-select --install"
    return
  fi
  case $(xcrun cc --version 2>&1) in
    *license*) echo "sudo xcodebuild -license accept" ;;
    *) echo "xcode-select --install, or if that finds nothing to install, sudo xcode-select --reset" ;;
  esac
}

setup_refuse_what_is_missing() {
  if [ -z "${DISKBENCH_CORE:-}" ]; then setup_miss_rust; fi
  [ -z "$setup_missing" ] || setup_fail "$setup_missing; then run again"
}

setup_miss_rust() {
  command -v cargo >/dev/null 2>&1 ||
    setup_misses "cargo (Rust 1.89 or later)" "install it with rustup (rustup.rs), or brew install rust" "install it with rustup (rustup.rs)"
  if setup_is_mac; then
    # without them `cc` is there, and is a window that asks to install them
    setup_has_xcode || setup_misses "a working linker (Xcode's command line tools)" "$(setup_mend_xcode)" ""
  elif ! command -v cc >/dev/null 2>&1 && ! setup_use_linker_of_conda; then
    setup_misses "a linker (cc)" "" "sudo apt install gcc"
  fi
}

# rustup puts it on the path of new terminals alone.
setup_use_rustup() {
  local folder=${CARGO_HOME:-${HOME:-}/.cargo}/bin
  if ! command -v cargo >/dev/null 2>&1 && [ -x "$folder/cargo" ]; then export PATH="$PATH:$folder"; fi
}

# conda's Rust brings a gcc of another name, and tells cargo alone; crates that compile C ask for CC.
setup_use_linker_of_conda() {
  local name
  for name in ${!CARGO_TARGET_*}; do
    case $name in
      *_LINKER)
        if command -v "${!name}" >/dev/null 2>&1; then
          export CC="${CC:-${!name}}"
          return 0
        fi
        ;;
    esac
  done
  return 1
}

# A released core instead of a compiled one: whole, and of this folder's core/. Leaves DISKBENCH_CORE naming a copy.
setup_released=.diskbench/tools/core/diskbench
setup_use_released_core() {
  local file=$DISKBENCH_CORE own="or unset DISKBENCH_CORE to compile the core with Rust" commit said
  [ -f "$file" ] || setup_fail "DISKBENCH_CORE is $file, which is no file: download a diskbench of the release, $own"
  [ -f "$file.sha256" ] || setup_fail "$file.sha256 is missing: download it from the release of $file into the same folder"
  [ "$(setup_first_word <"$file.sha256")" = "$(setup_sha256 "$file")" ] ||
    setup_fail "$file does not fit its checksum $file.sha256: download both again"
  commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null) ||
    setup_fail "the commit of this folder is unknown, so $file may be of another one: clone the project with git, $own"
  git diff --quiet HEAD -- core || setup_fail "core/ differs from its commit, so $file does not: undo that (git diff core), $own"
  mkdir -p "${setup_released%/*}"
  # a new file: macOS kills a program that was written over one that has run
  rm -f "$setup_released.partial"
  # read, not copied: a copy would keep the mark of macOS that a browser fetched it, and would not start
  cat "$file" >"$setup_released.partial"
  chmod +x "$setup_released.partial"
  said=$("$setup_released.partial" --version 2>/dev/null) ||
    setup_fail "$file does not run on this machine: download the one for its system and processor, $own"
  case $said in
    *"+"*) ;;
    *) setup_fail "$file is no released core, as it names no commit ($said): download one, $own" ;;
  esac
  # later commits may have added records, or changed pages
  git diff --quiet "${said##*+}" HEAD -- core 2>/dev/null ||
    setup_fail "$file is of commit ${said##*+}, this folder of $commit: git checkout ${said##*+}, $own"
  # left alone where it is the same: a newer file would be taken for a new core
  if cmp -s "$setup_released.partial" "$setup_released"; then
    rm -f "$setup_released.partial"
  else
    mv -f "$setup_released.partial" "$setup_released"
  fi
  export DISKBENCH_CORE="$PWD/$setup_released"
}

setup_first_word() { awk '{print $1; exit}'; }

setup_sha256() { # FILE
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | setup_first_word
}

# For tests: programs that stand in for those of macOS come before all others (workflow/scripts/study/machine.py).
setup_use_stand_in() {
  [ -n "${DISKBENCH_STAND_IN:-}" ] || return 0
  [ -d "$DISKBENCH_STAND_IN" ] || setup_fail "DISKBENCH_STAND_IN is $DISKBENCH_STAND_IN, which is no folder: give the one with the stand-ins for the programs of macOS, or unset it"
  DISKBENCH_STAND_IN=$(cd "$DISKBENCH_STAND_IN" && pwd)
  export DISKBENCH_STAND_IN PATH="$DISKBENCH_STAND_IN:$PATH"
}

# Packages with a lock of their own, workflow/requirements-NAME.txt: in a folder that nothing else has on its path.
setup_use_tools() { # NAME WHAT
  local folder=.diskbench/tools/$1 lock=workflow/requirements-$1.txt log=.diskbench/logs/$1-install.log
  if setup_is_made_from "$folder/made-from" "$lock"; then
    return 0
  fi
  setup_alone
  setup_say "installing $2 into $folder (once)"
  mkdir -p .diskbench/logs
  rm -rf "$folder"
  python -m uv pip install --system-certs --quiet --no-cache ${setup_compile:+"$setup_compile"} --only-binary :all: --target "$folder" \
    --require-hashes -r "$lock" >"$log" 2>&1 </dev/null || setup_fail_making "$2" "$log"
  setup_checksum "$lock" >"$folder/made-from"
  rm -f "$setup_lock"
}

setup_fleet=.diskbench/tools/fleet
setup_use_fleet() { setup_use_tools fleet Dask; }

setup() {
  local tool
  # packages stop at warnings as errors, and without docstrings; with the last one, macOS tells every program
  # (sw_vers, pip) that it is 10.16 or 16.0
  unset PYTHONHOME PYTHONPATH PYTHONWARNINGS PYTHONOPTIMIZE SYSTEM_VERSION_COMPAT
  setup_refuse_a_bare_path
  setup_use_rustup
  if [ -n "${DISKBENCH_CORE:-}" ]; then setup_use_released_core; fi
  if [ -n "${CONDA_PREFIX:-}" ] && [ "${CONDA_DEFAULT_ENV:-}" = diskbench ]; then
    :
  elif tool=$(setup_find_conda); then
    setup_use_conda "$tool" || true
  fi
  # cargo would put the core elsewhere; conda's packages with compilers set it
  unset CARGO_BUILD_TARGET
  setup_use_packages
  setup_use_stand_in
}

setup

# Sourced by run.sh, test.sh, bench.sh and the others: leaves an environment with everything the study needs on PATH.
#
#   1. an activated conda environment made from environment.yml is used as it is;
#   2. else, with conda, mamba or micromamba at hand, one is made in .conda;
#   3. else a virtual environment in .venv, from the hash-locked workflow/requirements.txt.
#
# Nothing is installed outside the project's folder. With nothing to do it takes well under a second.
# Written for the bash 3.2 that macOS has.

setup_say() { printf 'diskbench: %s\n' "$*" >&2; }

setup_fail() {
  setup_say "$*"
  exit 2
}

# A file's checksum, to see whether an environment was made from it as it is now.
setup_checksum() { cksum <"$1" | tr -d ' '; }

setup_is_made_from() { [ -f "$1" ] && [ "$(cat "$1")" = "$(setup_checksum "$2")" ]; }

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
    if setup_is_made_from "$failed" environment.yml; then
      return 1
    fi
    setup_alone
    setup_say "making the environment in .conda from environment.yml with $tool (once, some minutes)"
    mkdir -p .diskbench/logs
    rm -rf .conda
    case $tool in
      micromamba) set -- micromamba create --yes --prefix .conda --file environment.yml ;;
      mamba) set -- mamba env create --yes --prefix .conda --file environment.yml ;;
      # asks nothing where the folder is new, and older ones do not know --yes here
      *) set -- conda env create --prefix .conda --file environment.yml ;;
    esac
    if ! "$@" >"$log" 2>&1 </dev/null; then
      setup_say "$tool could not make it ($log says why); going on with a virtual environment in .venv"
      rm -rf .conda
      setup_checksum environment.yml >"$failed"
      rm -f "$setup_lock"
      return 1
    fi
    setup_checksum environment.yml >"$made"
    rm -f "$setup_lock"
  fi
  export CONDA_PREFIX="$PWD/.conda"
  export PATH="$PWD/.conda/bin:$PATH"
  # what activating does beyond PATH: compilers and Quarto are told where their parts are
  local script
  set +u
  for script in .conda/etc/conda/activate.d/*.sh; do
    if [ -f "$script" ]; then source "$script"; fi
  done
  set -u
}

setup_find_python() {
  local python
  for python in python3.12 python3.13 python3.11 python3 python; do
    # a name on PATH may be a shim without a Python behind it, so each is asked
    if "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; then
      printf '%s' "$python"
      return 0
    fi
  done
  return 1
}

setup_use_venv() {
  local python="" made=.venv/made-from log=.diskbench/logs/venv.log
  if setup_is_made_from "$made" workflow/requirements.txt; then
    setup_refuse_what_is_missing
  else
    python=$(setup_find_python) || setup_missing="Python 3.11, 3.12 or 3.13 is missing (3.14 does not work yet): install one, for example with 'brew install python@3.12' or 'apt install python3 python3-venv'"
    setup_refuse_what_is_missing
    setup_alone
    setup_say "making the environment in .venv from workflow/requirements.txt (once, under a minute)"
    mkdir -p .diskbench/logs
    {
      "$python" -m venv --clear .venv &&
        awk '/^uv==/ {ours = 1; print; next} /^[^ ]/ {ours = 0} ours' workflow/requirements.txt >.venv/uv.txt &&
        .venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r .venv/uv.txt &&
        .venv/bin/uv pip sync --system-certs --no-cache --python .venv/bin/python --require-hashes workflow/requirements.txt
    } >"$log" 2>&1 </dev/null || setup_fail "the environment could not be made ($(tail -n 1 "$log")): $log has the details; mend that and call again"
    setup_checksum workflow/requirements.txt >"$made"
    rm -f "$setup_lock"
  fi
  export VIRTUAL_ENV="$PWD/.venv"
  export PATH="$PWD/.venv/bin:$PATH"
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
  mkdir -p .diskbench
  for _ in 1 2; do
    if (set -o noclobber && printf '%s' "$$" >"$setup_lock") 2>/dev/null; then
      return 0
    fi
    holder=$(cat "$setup_lock" 2>/dev/null || true)
    if [ -n "$holder" ] && setup_is_a_call "$holder"; then
      setup_say "another call (process $holder) makes the environment of this folder: wait for it, then call again"
      exit 5
    fi
    rm -f "$setup_lock"
  done
  setup_fail "$PWD/.diskbench cannot be written: make it writable, then call again"
}

# Everything that is missing is named at once, before anything is installed.
setup_missing=""
setup_refuse_what_is_missing() {
  command -v cargo >/dev/null 2>&1 || setup_missing="${setup_missing:+$setup_missing; }cargo (Rust 1.89 or later) is missing: install it with rustup (rustup.rs) or 'brew install rust', or install conda, which brings it"
  command -v cc >/dev/null 2>&1 || setup_missing="${setup_missing:+$setup_missing; }a linker (cc) is missing: install it with 'xcode-select --install' or 'apt install gcc'"
  [ -z "$setup_missing" ] || setup_fail "$setup_missing; then call again"
}

# For tests: programs that stand in for those of macOS come before all others (workflow/scripts/study/machine.py).
setup_use_stand_in() {
  [ -n "${DISKBENCH_STAND_IN:-}" ] || return 0
  [ -d "$DISKBENCH_STAND_IN" ] || setup_fail "DISKBENCH_STAND_IN is $DISKBENCH_STAND_IN, which is no folder: give the one with the programs that stand in for those of macOS, or unset it"
  DISKBENCH_STAND_IN=$(cd "$DISKBENCH_STAND_IN" && pwd)
  export DISKBENCH_STAND_IN PATH="$DISKBENCH_STAND_IN:$PATH"
}

# Dask and what belongs to it, for a fleet alone: in a folder of its own, which nothing else has on its path.
setup_fleet=.diskbench/tools/fleet
setup_use_fleet() {
  local made=$setup_fleet/made-from log=.diskbench/logs/fleet-install.log
  if setup_is_made_from "$made" workflow/requirements-fleet.txt; then
    return 0
  fi
  setup_alone
  setup_say "installing Dask into $setup_fleet (once)"
  mkdir -p .diskbench/logs
  rm -rf "$setup_fleet"
  # conda's environment has no uv, which is quicker
  set -- python -m uv pip install --system-certs
  "$@" --help >/dev/null 2>&1 || set -- python -m pip install --no-deps --disable-pip-version-check
  "$@" --quiet --no-cache-dir --only-binary :all: --target "$setup_fleet" --require-hashes -r workflow/requirements-fleet.txt \
    >"$log" 2>&1 </dev/null || setup_fail "Dask could not be installed ($(tail -n 1 "$log")): $log has the details; mend that and call again"
  setup_checksum workflow/requirements-fleet.txt >"$made"
  rm -f "$setup_lock"
}

setup() {
  local tool
  unset PYTHONHOME PYTHONPATH
  if [ -n "${CONDA_PREFIX:-}" ] && [ "${CONDA_DEFAULT_ENV:-}" = diskbench ]; then
    :
  elif tool=$(setup_find_conda) && setup_use_conda "$tool"; then
    :
  else
    setup_use_venv
  fi
  setup_refuse_what_is_missing
  setup_use_stand_in
}

setup

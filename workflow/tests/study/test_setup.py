"""Set-up uses existing programs, installs the locked packages, and names missing programs."""

import shutil
import signal
import subprocess
from contextlib import contextmanager

import pytest
from bare_machine import PYTHON, BareMachine

from proofs.support.waiting import wait_until

# What each says when it reaches no other machine: captured from pip 25 and uv 0.13 without a network, and quoted from
# the issues of conda and mamba.
UNREACHED = [
    (
        "python3",
        "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(...: Failed to establish a "
        "new connection: [Errno -3] Temporary failure in name resolution')': /simple/uv/",
    ),
    (
        "uv",
        "  Caused by: dns error: failed to lookup address information: Temporary failure in name resolution",
    ),
    ("conda", "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <...>"),
    ("mamba", "error    libmamba Download error (6) Could not resolve hostname [...]"),
]


@pytest.fixture
def machine(tmp_path):
    """A machine with Rust: a project folder, and a PATH with basic tools and what a test adds."""
    machine = BareMachine(tmp_path, ("cc", "ps"))
    machine.has("cargo")
    return machine


# What is done with a Python: the environment, uv of the lock in it, and all that is locked by that uv.
MADE_WITH_PYTHON = [
    "python -m venv --clear .venv",
    "python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r .diskbench/uv.txt",
    "uv pip sync --system-certs --no-cache --python .venv/bin/python --require-hashes workflow/requirements.txt",
]


def test_an_activated_environment_of_that_name_gives_the_python_and_is_not_changed(machine):
    machine.has("conda", "exit 1")
    machine.has("python3", PYTHON)
    first = machine.made(CONDA_PREFIX="/somewhere", CONDA_DEFAULT_ENV="diskbench")
    assert first == str(machine.project / ".venv" / "bin")
    assert machine.calls() == MADE_WITH_PYTHON
    assert not (machine.project / ".conda").exists()


def test_a_made_virtual_environment_is_used_without_a_word_and_no_python_is_started(machine):
    # starting one costs more than everything else that set-up does then
    machine.has("python3", "touch started")
    machine.has_made_venv()
    done = machine.set_up(CONDA_PREFIX="/base", CONDA_DEFAULT_ENV="base")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(machine.project / ".venv" / "bin")
    assert not (machine.project / "started").exists()


def test_an_environment_whose_python_is_gone_is_made_anew(machine):
    machine.has("python3", PYTHON)
    machine.has_made_venv()
    (machine.project / ".venv" / "bin" / "python").unlink()
    # where Python writes no bytecode, packages are compiled when they are installed
    machine.made(PYTHONDONTWRITEBYTECODE="1")
    *made, sync = machine.calls()
    assert made == MADE_WITH_PYTHON[:-1]
    assert sync == MADE_WITH_PYTHON[-1].replace("--no-cache", "--no-cache --compile-bytecode")


def test_an_environment_that_lacks_its_packages_is_made_anew(machine):
    machine.has("python3", PYTHON.replace('make uv "$4" ""', 'make uv "$4" "exit 1"'))
    assert machine.set_up().returncode == 2
    machine.has("python3", PYTHON)
    machine.made()
    assert machine.calls() == MADE_WITH_PYTHON * 2


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        ("conda", "env create --prefix ./.conda --file environment.yml"),
        ("mamba", "env create --yes --prefix ./.conda --file environment.yml"),
        ("micromamba", "create --yes --prefix ./.conda --file environment.yml"),
    ],
)
def test_with_conda_at_hand_its_programs_and_the_same_packages_are_used(machine, tool, call):
    (machine.bin / "cargo").unlink()
    machine.has(
        tool,
        # as micromamba does, a prefix without `/` is a name
        'echo "$@" >>calls; words=$*; made=${words#*--prefix }; made=${made%% *}; '
        "case $made in */*) ;; *) made=envs/$made ;; esac; "
        'mkdir -p "$made/bin"; printf "#!/bin/sh\\n. %s/a-python\\n" "${0%/*}" >"$made/bin/python3"; '
        'echo exit 0 >"$made/bin/cargo"; chmod +x "$made"/bin/*',
    )
    # what .conda's Python does; there is no other
    machine.has("a-python", PYTHON)
    for _ in range(2):
        assert machine.made() == str(machine.project / ".venv" / "bin")
    assert machine.calls() == [call, *MADE_WITH_PYTHON]


def test_a_mac_that_was_told_to_call_itself_older_says_its_own_release(machine):
    # pip's users set it for their terminals; the workflow would plan for a release that the core does not find
    machine.has_made_venv()
    show = "${SYSTEM_VERSION_COMPAT-none}"
    assert machine.made(show, SYSTEM_VERSION_COMPAT="1") == "none"


def test_python_of_a_terminal_with_strict_warnings_or_without_docstrings_renders_the_site(machine):
    # Snakemake prints a traceback for a warning as an error; altair stops without its docstrings
    machine.has_made_venv()
    show = "${PYTHONWARNINGS-none} ${PYTHONOPTIMIZE-none}"
    assert machine.made(show, PYTHONWARNINGS="error", PYTHONOPTIMIZE="2") == "none none"


def test_a_set_up_with_conda_leaves_the_core_where_it_is_looked_for(machine):
    # what conda-forge's rust_linux-64 sets
    sets = (
        "echo export CARGO_BUILD_TARGET=x86_64-unknown-linux-gnu >.conda/etc/conda/activate.d/a.sh"
    )
    machine.has("conda", f"mkdir -p .conda/bin .conda/etc/conda/activate.d; {sets}")
    machine.has_made_venv()
    assert machine.made("${CARGO_BUILD_TARGET-none}") == "none"


@pytest.mark.parametrize("option", ["-u", "+u"])
def test_a_terminal_that_sources_the_set_up_with_conda_keeps_its_own_options(machine, option):
    machine.has("conda", "mkdir -p .conda/bin")
    machine.has_made_venv()
    done = machine.set_up(show="$-", options=option)
    assert (done.returncode, "u" in done.stdout) == (0, option == "-u")


def test_the_linker_that_rust_of_conda_brings_serves_where_there_is_no_cc(machine):
    (machine.bin / "cc").unlink()
    machine.has("x86_64-conda-linux-gnu-gcc")
    machine.has_made_venv()
    names = {"CARGO_TARGET_DIR": "/x", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER": "nosuch"}
    done = machine.set_up(**names)
    assert done.returncode == 2
    assert "a linker (cc) is missing" in done.stderr
    names["CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER"] = "x86_64-conda-linux-gnu-gcc"
    done = machine.set_up(show="$CC", **names)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "x86_64-conda-linux-gnu-gcc"


def test_where_conda_cannot_solve_each_call_says_what_is_lost_and_how_to_try_again(machine):
    machine.has("conda", "echo called >>calls; echo no such package; exit 1")
    machine.has_made_venv()
    for _ in range(2):
        done = machine.set_up()
        assert done.returncode == 0
        assert "without Quarto" in done.stderr.splitlines()[-1]
        assert "conda could not make .conda" in done.stderr
        assert "to try again: rm .diskbench/conda-failed-on" in done.stderr
        assert done.stdout.strip() == str(machine.project / ".venv" / "bin")
    assert machine.calls() == ["called"]
    assert "no such package" in (machine.project / ".diskbench/logs/conda.log").read_text()
    (machine.project / ".diskbench/conda-failed-on").unlink()
    machine.set_up()
    assert machine.calls() == ["called", "called"]


@pytest.mark.parametrize(("maker", "said"), UNREACHED)
def test_without_a_network_that_is_said_and_the_next_call_tries_again(machine, maker, said):
    fails = (
        f"cat >&2 <<'E'\n{said}\nERROR: No matching distribution found for uv==0.13.8\nE\nexit 1"
    )
    machine.has(maker, fails if maker != "python3" else f'[ "$1" != -c ] || exit 0\n{fails}')
    for _ in range(2):
        done = machine.set_up()
        assert done.returncode == 4
        line = done.stderr.splitlines()[-1]
        assert line.startswith("diskbench: no network: ")
        assert "connect this machine, or set HTTPS_PROXY, then run again" in line
    machine.has(maker)
    (machine.bin / maker).unlink()
    machine.has("python3", PYTHON)
    machine.made()


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        # quoted from the issues of uv, pip and conda behind a proxy that replaces certificates
        (
            "  Caused by: error sending request for url (https://x/cpython-3.12.tar.gz)\n"
            "  Caused by: client error (Connect)\n"
            "  Caused by: invalid peer certificate: UnknownIssuer",
            *(4, "no trusted certificate: Python 3.12 could not be fetched"),
        ),
        (
            "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate "
            "verify failed: self-signed certificate in certificate chain (_ssl.c:1000)'))",
            *(4, "set SSL_CERT_FILE and REQUESTS_CA_BUNDLE"),
        ),
        (
            "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <...>\n"
            "... CERTIFICATE_VERIFY_FAILED ...",
            *(4, "no trusted certificate: "),
        ),
        ("one\nno room", 2, "could not be installed (no room)"),
        (
            "failed to write to file '/tmp/x': No space left on device (os error 28)",
            *(3, "free some space, then run again"),
        ),
    ],
)
def test_a_certificate_that_a_proxy_replaced_a_full_disk_and_any_other_failure_are_told_apart(
    machine, said, code, told
):
    machine.has("uv", f"cat >&2 <<'E'\n{said}\nE\nexit 1")
    done = machine.set_up()
    assert (done.returncode, told in done.stderr.splitlines()[-1]) == (code, True), done.stderr


MADE_WITH_UV = [
    "uv venv --no-cache --python 3.12 .venv",
    "uv pip install --no-cache --python .venv/bin/python --require-hashes -r .diskbench/uv.txt",
    "uv pip sync --system-certs --no-cache --python .venv/bin/python --require-hashes workflow/requirements.txt",
]
UV = (
    'echo "uv $*" >>calls; echo "$UV_PYTHON_INSTALL_DIR" >>folders\n'
    'echo "$1 ${UV_SYSTEM_CERTS:-} ${UV_NATIVE_TLS:-}" >>certificates\n'
    '[ "$1" != venv ] || { mkdir -p .venv/bin; cp "$0" .venv/bin/uv; cp "$0" .venv/bin/python; }'
)


def test_where_no_python_fits_uv_brings_one_into_the_project(machine):
    machine.has("cp", f'exec {shutil.which("cp")} "$@"')
    machine.has("uv", UV)
    machine.made()
    assert machine.calls() == MADE_WITH_UV
    folders = (machine.project / "folders").read_text().splitlines()
    assert folders[0] == str(machine.project / ".diskbench" / "tools" / "python")
    # an older uv has only the second, and refuses the option of the third call
    trusted = (machine.project / "certificates").read_text().splitlines()
    assert trusted[:2] == ["venv true true", "pip true true"]


def test_a_python_that_does_not_fit_gets_the_uv_that_brings_one(machine):
    machine.has("cp", f'exec {shutil.which("cp")} "$@"')
    machine.has("the-uv", UV)
    # too new, so it fits the second question alone
    machine.has(
        "python3.14",
        '[ "$1" != -c ] || case "$2" in *"(3, 11)"*) exit 1 ;; *) exit 0 ;; esac\n'
        'echo "python3.14 $*" >>calls; mkdir -p "$4/bin"\n'
        'printf "#!/bin/sh\\necho python of its own \\$2 \\$3 >>calls\\n" >"$4/bin/python"\n'
        'cp "${0%/*}/the-uv" "$4/bin/uv"; chmod +x "$4/bin/python"',
    )
    machine.made()
    assert machine.calls() == [
        "python3.14 -m venv --clear .diskbench/tools/uv",
        "python of its own pip install",
        *MADE_WITH_UV,
    ]


def test_rust_that_was_installed_after_the_terminal_was_opened_is_found(machine):
    (machine.bin / "cargo").unlink()
    cargo = machine.project.parent / ".cargo" / "bin" / "cargo"
    cargo.parent.mkdir(parents=True)
    cargo.write_text("#!/bin/sh\n")
    cargo.chmod(0o755)
    machine.has("python3", PYTHON)
    assert machine.made("$(command -v cargo)") == str(cargo)


def test_programs_that_stand_in_for_those_of_macos_come_first(machine):
    machine.has_made_venv()
    (machine.project / "stand-in").mkdir()
    assert machine.made(DISKBENCH_STAND_IN="stand-in") == str(machine.project / "stand-in")
    line = machine.refusal(DISKBENCH_STAND_IN="/no/such/folder")
    assert "DISKBENCH_STAND_IN is /no/such/folder" in line


@pytest.mark.parametrize("maker", ["conda", "python3"])
def test_a_second_call_while_the_environment_is_made_is_refused_and_touches_nothing(machine, maker):
    machine.has(maker)
    lock = machine.project / ".diskbench" / "setup.lock"
    lock.parent.mkdir()
    with running("bash", "-c", "read", "workflow/run.sh") as holder:
        lock.write_text(str(holder))
        line = machine.refusal(5)
    assert "makes the environment of this folder: wait for it, then run again" in line
    assert not (machine.project / ".conda").exists()
    assert not (machine.project / ".venv").exists()
    assert lock.exists()


def test_tools_are_installed_once_from_the_hashes_of_their_own_lock(machine):
    machine.has_made_venv()
    lock = machine.project / "workflow" / "requirements-audit.txt"
    lock.write_text("a lock")
    # .venv's python is a shell here
    (machine.project / ".venv" / "bin" / "python").unlink()
    machine.has("python", 'echo "$@" >>calls; mkdir -p .diskbench/tools/audit')
    (machine.project / ".venv" / "bin" / "python").symlink_to(machine.bin / "python")
    for text in ("a lock", "a lock", "another lock"):
        lock.write_text(text)
        machine.made("; setup_use_tools audit pip-audit")
    first, second = machine.calls()
    assert first == second
    assert "--require-hashes -r workflow/requirements-audit.txt" in first
    assert "--target .diskbench/tools/audit" in first
    assert not (machine.project / ".diskbench" / "setup.lock").exists()


BUILD = "cargo build --release --locked --manifest-path core/Cargo.toml --target-dir core/target"


def test_the_core_is_compiled_while_packages_are_fetched_if_the_caller_needs_it(machine):
    machine.has("cargo", 'echo "cargo $*" >>calls')
    machine.has("python3", PYTHON)
    machine.made("; wait")
    assert machine.calls() == MADE_WITH_PYTHON
    (machine.project / "calls").unlink()
    (machine.project / ".venv" / "made-from").unlink()
    machine.made("; wait", setup_needs_core="yes")
    assert sorted(machine.calls()) == sorted([BUILD, *MADE_WITH_PYTHON])
    # the workflow's own rule knows when a core is to be built anew
    (machine.project / ".venv" / "made-from").unlink()
    (machine.project / "calls").unlink()
    made = machine.project / "core" / "target" / "release" / "diskbench"
    made.parent.mkdir(parents=True)
    made.touch()
    machine.made("; wait", setup_needs_core="yes")
    assert machine.calls() == MADE_WITH_PYTHON


# a terminal sends Ctrl-C to the shell and to what it waits for
@pytest.mark.parametrize(("end", "code"), [("kill -INT $PPID $$", -signal.SIGINT), ("exit 1", 2)])
def test_ctrl_c_and_a_failed_set_up_end_the_compiling_with_its_compilers(machine, end, code):
    machine.has("sleep", f'exec {shutil.which("sleep")} "$@"')
    machine.has(
        "rustc", "trap 'true >ended; exit' TERM; echo $$ >runs; while :; do sleep 0.1; done"
    )
    machine.has("cargo", "rustc & wait")
    machine.has("python3", f'[ "$1" != -c ] || exit 0\nuntil [ -s runs ]; do :; done\n{end}')
    assert machine.set_up(setup_needs_core="yes").returncode == code
    wait_until((machine.project / "ended").exists, "rustc to end")


@contextmanager
def running(*command):
    """The number of a process that runs meanwhile; its stdin is open and has no line."""
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize("another", [True, False], ids=["another program", "nobody"])
def test_a_process_with_the_number_of_a_killed_call_is_no_obstacle(machine, another):
    machine.has("conda", "mkdir -p .conda/bin")
    machine.has_made_venv()
    lock = machine.project / ".diskbench" / "setup.lock"
    lock.parent.mkdir()
    with running("sleep", "3600") as number:
        lock.write_text(str(number))
        done = machine.set_up() if another else None
    # it has ended meanwhile
    done = done or machine.set_up()
    assert done.returncode == 0, done.stderr
    assert not lock.exists()


def test_a_folder_of_our_own_that_cannot_be_written_is_one_line_and_code_4(machine):
    machine.has("python3", PYTHON)
    (machine.project / ".diskbench").touch()
    line = f"diskbench: {machine.project}/.diskbench cannot be written: make it a folder that can, "
    assert machine.refusal(4) == f"{line}then run again"
    assert machine.calls() == []

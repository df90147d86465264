"""Host and release slugs, from captured outputs of the systems' own tools; never anything that identifies a machine."""

import json
import plistlib
from pathlib import Path

import pytest

from console import StudyError
from study.machine import (
    facts,
    host_slug,
    image_driver,
    is_guest,
    linux_release,
    linux_slug,
    mac_slug,
    native_encryption,
    place,
    release_slug,
)


@pytest.fixture(autouse=True)
def no_stand_in(monkeypatch):
    monkeypatch.delenv("DISKBENCH_STAND_IN", raising=False)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A way to say what the programs of macOS answer: name -> lines of a shell script."""
    monkeypatch.setenv("DISKBENCH_STAND_IN", str(tmp_path))
    # nothing of this machine may answer instead
    monkeypatch.setattr("study.machine.PLACES", "/nowhere")

    def answer(**programs):
        for name, script in programs.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)

    answer.folder = tmp_path
    return answer


def profile(**facts):
    identifying = {
        "serial_number": "C02XXXXXXXXX",
        "platform_UUID": "11111111-2222",
        "chip_type": "",
    }
    return json.dumps({"SPHardwareDataType": [identifying | facts]})


@pytest.mark.parametrize(
    ("name", "chip", "expected"),
    [
        # the hosts of the articles, with the slugs that the design gives them
        ("Mac mini", "Apple M4 Pro", "mac-mini-m4-pro"),
        ("iMac Pro", "", "imac-pro"),
    ],
)
def test_a_mac_is_called_by_its_name_and_chip(name, chip, expected):
    assert mac_slug(profile(machine_name=name, chip_type=chip)) == expected


def test_a_linux_machine_is_called_by_its_processor():
    cpuinfo = (
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\n\n"
        "processor\t: 1\nmodel name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\n"
    )
    assert linux_slug(cpuinfo) == "linux-intel-xeon-platinum-8481c-2-cores"


def test_a_linux_release_is_distribution_version_and_kernel():
    os_release = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n'
    assert linux_release(os_release, "6.1.147-cloud-amd64") == "debian-12-6.1.147"
    assert linux_release("ID=arch\n", "6.12.1-arch1-1") == "arch-rolling-6.12.1"


def test_disk_images_are_served_by_macos_on_a_mac_and_by_our_own_code_elsewhere(monkeypatch):
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert image_driver() == "apple"
    # no program is asked there
    monkeypatch.setattr("platform.system", lambda: "FreeBSD")
    monkeypatch.setattr("study.machine.PLACES", "/nowhere")
    assert image_driver() == "portable"
    assert facts() == {}
    assert not is_guest()


def mounted(at):
    return f"printf '%s\\n' 'Filesystem Capacity Mounted on' '/dev/disk3s5 1 1 1 50%   {at}'"


MAC_MINI = {
    "system_profiler": f"echo '{profile(machine_name='Mac mini', chip_type='Apple M4 Pro')}'",
    "sw_vers": "case $1 in -productVersion) echo 26.4 ;; -buildVersion) echo 25E241 ;; esac",
    "sysctl": "echo 0",
    "df": mounted("/System/Volumes/Data"),
    "diskutil": "exit 1",
    "fdesetup": "echo FileVault is On.",
}
# sysctl's answers in a guest: research notes of this project, after public captures
GUEST = {
    "sysctl": """case $2 in
    kern.hv_vmm_present) echo 1 ;;
    hw.model) echo VirtualMac2,1 ;;
    hw.memsize) echo 8589934592 ;;
    machdep.cpu.brand_string) echo 'Apple M4 Pro (Virtual)' ;;
    esac"""
}


def test_what_stands_in_for_a_mac_is_taken_for_one_and_says_so(stand_in):
    stand_in(**MAC_MINI)
    assert host_slug() == "stand-in-mac-mini-m4-pro"
    assert release_slug() == "macos-26.4-25E241"
    assert image_driver() == "apple"
    assert native_encryption(Path("/Users/jane")) == "FileVault"
    assert not is_guest()


@pytest.mark.parametrize(("said", "encryption"), [(True, "FileVault"), (False, "none")])
def test_another_volume_is_encrypted_as_diskutil_says_of_it_whatever_the_system_is(
    stand_in, said, encryption
):
    folder = stand_in.folder / "made-later" / "work"
    told = plistlib.dumps({"FileVault": said}).decode()
    system = "On" if encryption == "none" else "Off"
    stand_in(
        df=f'[ -e "$2" ] && {mounted("/Volumes/Code here")}',
        diskutil=f"[ \"$3\" = '/Volumes/Code here' ] && cat <<'END'\n{told}\nEND",
        fdesetup=f"echo FileVault is {system}.",
    )
    assert native_encryption(folder) == encryption


def test_a_machine_is_called_as_the_user_names_it_and_a_stand_in_never_as_a_mac(
    stand_in, monkeypatch
):
    stand_in(**MAC_MINI)
    assert host_slug("mac-mini-m4-pro") == "stand-in-mac-mini-m4-pro"
    assert host_slug("stand-in-mine") == "stand-in-mine"
    monkeypatch.delenv("DISKBENCH_STAND_IN")
    assert host_slug("my-mac") == "my-mac"


def test_a_guest_is_called_by_its_model_and_the_chip_beneath_it(stand_in):
    stand_in(**MAC_MINI | GUEST)
    assert is_guest()
    assert host_slug() == "stand-in-virtual-mac2-1-m4-pro"
    # its memory is a setting
    assert facts() == {"model": "VirtualMac2,1", "chip": "Apple M4 Pro (Virtual)"}


def test_a_release_that_does_not_report_a_fact_is_no_guest_and_compared_without(stand_in):
    stand_in(**MAC_MINI | {"sysctl": "echo unknown oid >&2; exit 1"})
    assert not is_guest()
    assert host_slug() == "stand-in-mac-mini-m4-pro"
    assert facts() == {}


@pytest.mark.parametrize(
    ("script", "complaint"), [("exit 3", "failed with 3"), (None, "cannot identify this machine")]
)
def test_a_program_that_does_not_answer_is_one_line(stand_in, tmp_path, script, complaint):
    stand_in(**MAC_MINI)
    if script:
        stand_in(sw_vers=script)
    else:
        (tmp_path / "sw_vers").unlink()
    with pytest.raises(StudyError) as caught:
        release_slug()
    assert complaint in caught.value.line
    assert "\n" not in caught.value.line


def test_a_program_of_macos_is_not_taken_from_an_environment_of_ones_own(tmp_path, monkeypatch):
    # conda, for example, may have others of the same names
    (tmp_path / "df").write_text("#!/bin/sh\n")
    (tmp_path / "df").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert place("df") in {"/bin/df", "/usr/bin/df"}
    with pytest.raises(FileNotFoundError):
        place("no-program-of-macos")

"""Host and release slugs, from captured outputs of the systems' own tools; never anything that identifies a machine."""

import json

import pytest

from study.machine import image_driver, linux_release, linux_slug, mac_slug, slug


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
        ("Mac Studio", "Apple M1 Max", "mac-studio-m1-max"),
        ("MacBook Pro", "Apple M3 Pro", "macbook-pro-m3-pro"),
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


def test_a_rolling_distribution_has_a_release_too():
    assert linux_release("ID=arch\n", "6.12.1-arch1-1") == "arch-rolling-6.12.1"


def test_a_slug_is_lower_case_words_joined_by_hyphens():
    assert slug("  AMD Ryzen 9 (7950X) ") == "amd-ryzen-9-7950x"


@pytest.mark.parametrize(
    ("system", "driver"), [("Darwin", "apple"), ("Linux", "portable"), ("FreeBSD", "portable")]
)
def test_disk_images_are_served_by_macos_on_a_mac_and_by_our_own_code_elsewhere(
    monkeypatch, system, driver
):
    monkeypatch.setattr("platform.system", lambda: system)
    assert image_driver() == driver

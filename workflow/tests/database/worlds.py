"""Synthetic worlds for the articles' conclusions, written from the articles' sentences.

Each article has a world in which it is right: its cells with read and write speed in GB/s, sizes in
GB, and so on. A conclusion has what to change in it so that it is right (where the article is at
odds with itself), so that it is wrong, and so that nobody can tell: just at the edge of what its
word can mean, or without a figure that it needs.

A cell: format, `+` encryption, `/` phase or state, `@` another macOS, `#` another Mac, `~` bytes of
a band, ` on ` its storage (else all). A list has the size of each run.
"""

Cells = dict[str, tuple | float | list[float] | None]

STUDIO, MINI = "mac-studio-m1-max", "mac-mini-m4-pro"
# Mac, macOS, protocol, scale, storages
PLACES = {
    "slow-writes-2022": (STUDIO, "12.4", "as-created", "half", ["internal"]),
    "performance-2024": (STUDIO, "15.0.1", "remounted", "gold", ["internal", "usb4-980pro"]),
    "bands-2024": (STUDIO, "15.0.1", "churn", "gold", ["usb4-980pro"]),
    "encryption-2026": (MINI, "26.3.1 (a)", "usage-phases", "gold", ["internal"]),
    "vm-2026": (MINI, "26.4", "usage-phases", "gold", ["internal"]),
}

SPREADS = {
    f"{name} spread": 4.0 for name in ("UDSB", "UDRW", "UDSP", "UDRW+AES-256", "UDSP+AES-256")
}
RIGHT: dict[str, Cells] = {
    "slow-writes-2022": {
        "native": (7, 7), "UDSB": (5.6, 3.1), "UDRW": (5.8, 1.2), "UDSP": (5.9, 0.9),
        "UDRW+AES-256": (5.7, 0.060), "UDSP+AES-256": (5.7, 0.055),
        "UDRW+AES-256#imac-pro": (4, 0.071), "UDSP+AES-256#imac-pro": (4, 0.071),
        "UDRW+AES-256#macbook-pro-m1-pro": (4, 0.052), "UDSP+AES-256#macbook-pro-m1-pro": (4, 0.052),
        "native spread": 1.5, "UDRW+AES-256 relation": 0.0, "UDSP+AES-256 relation": 0.0, **SPREADS,
    },
    "performance-2024": {
        "native on internal": (6.5, 6), "UDSB on internal": (5.6, 5.3), "UDSB+AES-256 on internal": (4.6, 4.3),
        "UDRW on internal": (5.9, 1.0), "UDRW+AES-256 on internal": (4.9, 1.0),
        "UDSP on internal": (2.2, 2.0), "UDSP+AES-256 on internal": (0.4, 0.1), "UDSP@12.4 on internal": (2.2, 0.9),
        "native on usb4-980pro": (3.6, 3.2), "UDSB on usb4-980pro": (3.2, 3.2), "UDSB+AES-256 on usb4-980pro": (3.2, 3.2),
        "UDRW on usb4-980pro": (3.4, 1.0), "UDRW+AES-256 on usb4-980pro": (3.4, 1.0),
        "UDSP on usb4-980pro": (2.2, 1.5), "UDSP+AES-256 on usb4-980pro": (0.5, 0.08),
    },
    "bands-2024": {
        "UDSB": (None, 3.2), "UDRW": (None, 1.0), "UDSB~1048576": (None, 3.1), "UDSB~67108864": (None, 3.3),
        "UDSB/churned": 104, "UDRW/churned": 92, "UDSB/emptied": 1.12, "UDRW/emptied": 0.94, "UDSB/compacted": 1.06,
        "UDSB rounds": 0.97, "UDRW rounds": 0.97,
    },
    "encryption-2026": {
        "native": (7, 7.7), "UDSB": (6.1, 7.8), "UDRW": (5.9, 7.0), "ASIF": (5.8, 6.5),
        "UDSB/partly-filled": (6.1, 8.0), "UDRW/partly-filled": (6.1, 7.0), "ASIF/partly-filled": (5.9, 6.4),
        "UDSB/emptied": (6.2, 7.7), "UDRW/emptied": (6.0, 7.1), "ASIF/emptied": (5.8, 6.4),
        "UDSB+AES-256": (5.1, 5.2), "UDRW+AES-256": (2.84, 1.58), "ASIF+AES-256": (2.82, 1.6),
        "UDSB@26.0": (6.0, 7.7), "UDRW@26.0": (6.1, 7.1), "ASIF@26.0": (5.9, 6.6),
        "UDSB+AES-256@26.0": (5.6, 6.5), "UDRW+AES-256@26.0": (4.5, 4.3), "ASIF+AES-256@26.0": (4.4, 3.9),
        "ASIF+AES-256#macbook-pro-m3-pro": (2.63, 1.52),
        "UDSB/emptied-again": 3.99, "UDRW/emptied-again": 0.62, "ASIF/emptied-again": 0.95,
    },
    "vm-2026": {
        "native": (6.6, 7.6), "VM": (6.6, 6.0), "VM+FileVault": (4.7, 3.0), "VM@12": (4.4, 0.7), "VM@13": (5.4, 0.7),
        "UDRW+AES-256": (2.8, 1.6), "ASIF+AES-256": (2.85, 1.7),
        "UDRW+AES-256@26.3.1(a)": (2.84, 1.58), "ASIF+AES-256@26.3.1(a)": (2.82, 1.72),
    },
}  # fmt: skip

INNER, OUTER = " on internal", " on usb4-980pro"
LATER = {f"UDSP{INNER}": (2.2, 0.9), f"UDSP{OUTER}": (2.2, 0.9)}
SLOWER = {f"UDRW{INNER}": (5.4, 1.0), f"UDRW+AES-256{INNER}": (4.5, 1.0), f"UDRW{OUTER}": (3.1, 1.0), f"UDRW+AES-256{OUTER}": (3.1, 1.0)}  # fmt: skip

# article and number, whose world, then the changes: right, wrong, open
WORLDS: list[tuple[str, int, str, Cells, Cells, Cells]] = [
    # "almost as fast as from the SSD": 70 % is not almost
    ("slow-writes-2022", 1, "", {}, {"UDSP": (4.9, 0.9)}, {"UDSP": (5.25, 0.9)}),
    # "just under half": above half is not under
    ("slow-writes-2022", 2, "", {}, {"UDSB": (5.6, 3.7)}, {"UDSB": (5.6, 3.5)}),
    # "less than 20%"
    ("slow-writes-2022", 3, "", {}, {"UDRW": (5.8, 1.5)}, {"UDRW": (5.8, 1.4)}),
    # "less than 1%": of one of the two encrypted images, the article does not say which
    ("slow-writes-2022", 4, "", {}, {"UDRW+AES-256": (5.7, 0.08), "UDSP+AES-256": (5.7, 0.08)}, {"UDRW+AES-256": (5.7, 0.09)}),
    # "wasn't an anomaly": as slow on two other Macs
    ("slow-writes-2022", 5, "", {}, {"UDRW+AES-256#imac-pro": (4, 0.2), "UDSP+AES-256#imac-pro": (4, 0.2)}, {"UDRW+AES-256#imac-pro": None}),
    ("slow-writes-2022", 6, "", {}, {"UDSB spread": 1.2}, {"UDSB spread": 1.5}),
    # "severely degraded"
    ("slow-writes-2022", 8, "", {}, {"UDSB": (5.6, 5.5)}, {"UDSB": (5.6, 7 / 1.5)}),
    # "at only 57 MB/s"
    ("slow-writes-2022", 10, "", {}, {"UDRW+AES-256": (5, 0.08), "UDSP+AES-256": (5, 0.08)}, {"UDRW+AES-256": (5, 0.0684), "UDSP+AES-256": (5, 0.0684)}),
    # "absurdly bad"
    ("slow-writes-2022", 11, "", {}, {"UDSB": (5.6, 0.07)}, {"UDSB": (5.6, 0.09)}),
    ("slow-writes-2022", 13, "", {}, {"UDRW+AES-256 relation": 0.9, "UDSP+AES-256 relation": 0.9}, {"UDRW+AES-256 relation": 0.5}),
    ("slow-writes-2022", 14, "", {}, {"UDRW": (5.8, 3.5)}, {"UDRW": (5.8, 3.1)}),
    # "high"
    ("performance-2024", 1, "", {}, {f"UDRW+AES-256{OUTER}": (1.5, 1.0)}, {f"UDRW+AES-256{OUTER}": (1.8, 1.0)}),
    # "about 1 GB/s lower": 1.3 is printed as 1, too
    ("performance-2024", 2, "", {f"UDRW+AES-256{INNER}": (4.6, 1.0)}, {f"UDRW+AES-256{INNER}": (4.2, 1.0)}, {f"UDRW+AES-256{INNER}": (4.4, 1.0)}),
    ("performance-2024", 3, "", {f"UDRW{OUTER}": (3.4, 1.4)}, {f"UDRW{OUTER}": (3.4, 1.6)}, {f"UDRW{OUTER}": (3.4, 1.5)}),
    # "by far the worst"
    ("performance-2024", 4, "", {}, {f"UDSP+AES-256{INNER}": (0.4, 0.8)}, {f"UDSP+AES-256{INNER}": (0.4, 1 / 1.5)}),
    ("performance-2024", 6, "", SLOWER, {f"UDSP{INNER}": (2.2, 5.6)}, {f"UDRW{INNER}": (5.6, 1.0)}),
    # "no such reduction"
    ("performance-2024", 7, "", {}, {f"UDSB+AES-256{OUTER}": (3.2, 2.8)}, {f"UDSB+AES-256{OUTER}": (3.2, 2.88)}),
    # "slightly faster"
    ("performance-2024", 8, "", {}, {f"UDRW{OUTER}": (3.0, 1.0)}, {f"UDRW{OUTER}": (3.2, 1.0)}),
    ("performance-2024", 9, "", {}, {f"UDSP@12.4{INNER}": (2.2, 2.2)}, {f"UDSP@12.4{INNER}": (2.2, 2.0)}),
    ("performance-2024", 10, "", {}, {f"UDSB+AES-256{INNER}": (4.6, 2.8)}, {f"UDSB+AES-256{INNER}": (4.6, 3.0)}),
    # "10 Gb/s and no faster": 1.25 GB/s
    ("performance-2024", 11, "", {}, {f"UDRW{INNER}": (5.9, 1.5)}, {f"UDRW{INNER}": (5.9, 1.25 / 0.9)}),
    ("performance-2024", 12, "", LATER, {f"UDSP{INNER}": (2.2, 1.2)}, {f"UDSP{INNER}": (2.2, 1.0)}),
    # "little if any performance overhead"
    ("performance-2024", 13, "", {}, {f"UDSB+AES-256{INNER}": (4.0, 4.3)}, {f"UDSB+AES-256{INNER}": (4.2, 4.3)}),
    ("performance-2024", 14, "", {}, {f"UDRW{OUTER}": (2.2, 1.0)}, {f"UDRW{OUTER}": (2.4, 1.0)}),
    # "around 2.2 GB/s for both"
    ("performance-2024", 15, "", {}, {f"UDSP{OUTER}": (3.0, 1.5)}, {f"UDSP{OUTER}": (2.64, 1.5)}),
    ("performance-2024", 16, "", {}, {f"UDSP{INNER}": (2.2, 0.9)}, {f"UDSP{INNER}": (2.2, 1.0)}),
    # "small" differences on the external SSD
    ("performance-2024", 17, "", {}, {f"UDSB+AES-256{OUTER}": (2.2, 3.2)}, {f"UDSB+AES-256{OUTER}": (2.4, 3.2)}),
    ("bands-2024", 2, "", {}, {"UDSB~67108864": (None, 4.0)}, {"UDSB~67108864": (None, 3.2 / 0.9)}),
    # "only small differences"
    ("bands-2024", 3, "", {}, {"UDRW/churned": 70}, {"UDRW/emptied": 0.84}),
    # "unlikely to be significant": of the 103 GB that are freed in all, half, and 0, 10 and 20 GB in three runs
    ("bands-2024", 4, "", {}, {"UDSB/emptied": 52}, {"UDSB/emptied": [1.1, 11.3, 21.5]}),
    # "they remained constant"
    ("bands-2024", 5, "", {}, {"UDRW rounds": 0.8}, {"UDRW rounds": 0.9}),
    ("bands-2024", 6, "", {}, {"UDSB~1048576": (None, 4.0)}, {"UDSB~1048576": (None, 3.2 / 0.9)}),
    # "remarkably small"
    ("bands-2024", 8, "", {}, {"UDSB/emptied": 104}, {"UDSB/emptied": [1.1, 11.3, 21.5]}),
    ("bands-2024", 9, "", {}, {"UDRW": (None, 2.5)}, {"UDRW": (None, 3.2 / 1.5)}),
    ("explainer-2026", 4, "encryption-2026", {}, {"ASIF": (5.9, 8.5)}, {"ASIF": (5.9, 7.8)}),
    ("explainer-2026", 5, "encryption-2026", {}, {"UDRW": (6.0, 3.0)}, {"UDRW": (6.0, 3.85)}),
    ("explainer-2026", 6, "encryption-2026", {}, {"ASIF": (3.0, 6.5)}, {"ASIF": (3.5, 6.5)}),
    ("explainer-2026", 7, "performance-2024", LATER, {f"UDSP{INNER}": (2.2, 1.2)}, {f"UDSP{INNER}": (2.2, 1.0)}),
    ("explainer-2026", 8, "bands-2024", {}, {"UDRW/churned": 150}, {"UDRW/churned": 104 / 0.75}),
    ("explainer-2026", 9, "encryption-2026", {"UDSB/emptied-again": 0.5}, {"UDSB/emptied-again": 3.99}, {"UDSB/emptied-again": 0.62}),
    # "close to that native speed"
    ("encryption-2026", 1, "", {}, {"UDSB": (4.9, 7.8)}, {"UDSB": (5.25, 7.8)}),
    ("encryption-2026", 2, "", {}, {"ASIF": (5.9, 8.5)}, {"ASIF": (5.9, 7.8)}),
    ("encryption-2026", 3, "", {}, {"ASIF/emptied": (5.8, 5.5)}, {"ASIF/emptied": (5.8, 5.85)}),
    # "disappointing"
    ("encryption-2026", 4, "", {}, {"UDRW+AES-256": (4.5, 1.58)}, {"UDRW+AES-256": (4.0, 1.58)}),
    # "no better than" the other
    ("encryption-2026", 5, "", {}, {"ASIF+AES-256": (2.82, 1.9)}, {"ASIF+AES-256": (2.82, 1.58 / 0.9)}),
    ("encryption-2026", 6, "", {}, {"ASIF+AES-256#macbook-pro-m3-pro": (2.63, 1.0)}, {"ASIF+AES-256#macbook-pro-m3-pro": None}),
    # "this dramatic reduction"
    ("encryption-2026", 7, "", {}, {"ASIF+AES-256@26.0": (4.4, 2.0)}, {"ASIF+AES-256@26.0": (4.4, 2.4)}),
    ("encryption-2026", 8, "", {}, {"UDSB@26.0": (9, 7.7)}, {"UDSB@26.0": None}),
    ("encryption-2026", 11, "", {}, {"UDSB+AES-256": (5.1, 3.5)}, {"UDSB+AES-256": (5.1, 3.85)}),
    # "little to choose"
    ("encryption-2026", 12, "", {}, {"UDRW+AES-256": (2.84, 2.4)}, {"UDRW+AES-256": (2.84, 1.6 / 0.75)}),
    ("encryption-2026", 13, "", {}, {"ASIF+AES-256": (5.5, 1.6)}, {"ASIF+AES-256": (5.1, 1.6)}),
    ("encryption-2026", 14, "", {}, {"UDRW/emptied-again": 4.5}, {"UDRW/emptied-again": 3.99}),
    ("encryption-2026", 16, "", {}, {"UDSB+AES-256@26.0": (4.8, 6.5)}, {"UDSB+AES-256@26.0": (5.1, 6.5)}),
    # "pedestrian in the extreme"
    ("encryption-2026", 17, "", {}, {"ASIF+AES-256": (2.82, 6.0)}, {"ASIF+AES-256": (2.82, 7.7 / 1.5)}),
    # "surprisingly close"
    ("vm-2026", 1, "", {}, {"VM": (6.6, 5.3)}, {"VM": (6.6, 5.7)}),
    # "almost ten times": less than seven times is not almost ten
    ("vm-2026", 2, "", {}, {"VM@12": (4.4, 0.9)}, {"VM@12": (4.4, 0.8)}),
    ("vm-2026", 3, "", {}, {"VM+FileVault": (6.3, 3.0)}, {"VM+FileVault": (6.6 * 0.9, 3.0)}),
    # "No significant change"
    ("vm-2026", 4, "", {}, {"UDRW+AES-256@26.3.1(a)": (2.84, 1.9)}, {"UDRW+AES-256@26.3.1(a)": (2.84, 1.6 / 0.9)}),
    # "substantially slower than the VM"
    ("vm-2026", 5, "", {}, {"ASIF+AES-256": (2.85, 2.5)}, {"ASIF+AES-256": (2.85, 2.0)}),
    # "fell to about half"
    ("vm-2026", 9, "", {}, {"VM+FileVault": (4.7, 4.2)}, {"VM+FileVault": (4.7, 3.6)}),
]  # fmt: skip

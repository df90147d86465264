"""Hostile records: valid, with an attack in each free text."""

from typing import Any

import made_up

# In each attack that would run a script: the script sets it.
RAN = "window.hostile = 1"
# A host that no page may ask for anything (RFC 2606: it can never exist).
ELSEWHERE = "hostile.invalid"

ATTACKS = {
    "script": f"<script>{RAN}</script>",
    "element": f'"><img src=x onerror="{RAN}">',
    "attribute": f"' onmouseover='{RAN}' onfocus='{RAN}' autofocus='",
    "ends a script": f"</script></title></style></textarea><svg onload='{RAN}'>",
    "opens a comment in a script": "<!--<script>",
    "template": "${" + RAN + "} {{" + RAN + "}} `{python} 6*7` {{< include /etc/passwd >}} #{1+1} %{x} $x $$x^2$$",
    "Markdown link": f"[go](javascript:{RAN.replace(' ', '')}) ![see](https://{ELSEWHERE}/a.png) <https://{ELSEWHERE}/b>",
    "raw HTML in Markdown": f"`<img src=x onerror='{RAN}'>`{{=html}}",
    "attributes in Markdown": f'`go`{{onclick="{RAN}" style="position:fixed"}} [go]{{onclick="{RAN}"}}',
    "fenced block": f"x\n```\n\n```{{=html}}\n<script>{RAN}</script>\n```\n\n::: {{onclick='{RAN}'}}\n# head\n:::\n\n```{{python}}\n6*7\n```",
    "carriage return": f"x\r\r```\r\r`<script>{RAN}</script>`{{=html}}",
    "line separator": f"x\u2028\u2029\x0b\x0c\x85`<b onclick='{RAN}'>`{{=html}}",
    "table": "a | b | c\n|---|---|\n| d",
    "SQL": "'; drop table cell; copy (select 42) to 'hostile.csv'; --",
    "SQL comment": "*/ \"; attach 'hostile.db'; /* $host $1 ?",
    "formula": "=1+1",
    "formulas": "@SUM(1+1)\t+1\t-1\t|cmd",
    "terminal": "\x1b[2J\x1b]0;hostile\x07\x1b[31m\x9b2J\b\b\b\x7f",
    "direction": "\u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "nothing": "\x00 a \x00",
    "path": "../../../../etc/passwd",
    "long": "x" * 9_900,
    "longest word of marks": "`*_~^[<&" * 200,
    "half a letter": "\ud800",
    "empty": "",
}  # fmt: skip

# As text of a record that was made by the core: these names become parts of paths, addresses and commands.
NAMES = [
    "<script>", '"><img src=x onerror=alert(1)>', "a b", "$(touch hostile)", "'; drop table cell; --", "..", ".hidden",
    "a/b", "../../x", "-rf", "a\n", "\x1b[2J", "x" * 65, "`x`", "=1", "é", "",
]  # fmt: skip


def record(attack: str, **cell: Any) -> dict[str, Any]:
    """A measured record with this text wherever a record may say what it likes."""
    made = made_up.served(made_up.record(scale="tenth", **cell))
    _everywhere(made, attack)
    return made


def failed(attack: str, **cell: Any) -> dict[str, Any]:
    """A record of a cell that failed for that reason."""
    made = made_up.without_figures(made_up.record(scale="tenth", **cell), "failed", attack)
    _everywhere(made, attack)
    return made


def _everywhere(made: dict[str, Any], attack: str) -> None:
    host = made["host"]
    made["harness"]["version"] = attack
    for key in ("model", "chip", "architecture"):
        host[key] = attack
    for key in ("name", "version", "build", "kernel"):
        host["os"][key] = attack
    for core in host["cores"]:
        core["kind"] = attack
    for key in ("device_model", "bus", "file_system", "encryption", "description"):
        host["storage"][key] = attack
    host["tools"] = [{"name": attack, "version": attack}]
    made["warnings"] = [attack, f"load was 1.20 {attack}"]
    if made.get("quiet"):
        made["quiet"] |= {"qos_class": attack, "io_policy": attack}
    if made.get("image"):
        made["image"]["effective"] |= {"cipher": attack, "file_system": attack}
    for step in made["steps"]:
        step["note"] = attack
        for run in step.get("commands") or []:
            run |= {"program": attack, "arguments": [attack, *run["arguments"]]}
        for process in (step.get("serving") or {}).get("processes", []):
            process["name"] = f"{process['count']}{attack}"


def records() -> list[dict[str, Any]]:
    """One measured and one failed record of each attack, each on a storage of its own."""
    found = []
    for number, attack in enumerate(ATTACKS.values(), start=1):
        place = {"host": f"made-up-{number % 3}", "storage": f"attack-{number}"}
        apple = {"driver": "apple", "format": "UDSB"}
        found.append(record(attack, **place, **apple))
        found.append(failed(attack, **place, **apple, protocol="remounted"))
    return found

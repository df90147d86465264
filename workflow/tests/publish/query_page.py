"""The page `query` in a browser, as a person uses it: written to, run, read."""

from pathlib import Path

from chromium import Watched


class Used(Watched):
    """The page as it is used."""

    def open(self, address: str) -> "Used":
        self.page.goto(address)
        self.page.wait_for_selector(".cm-editor")
        return self

    def write(self, sql: str) -> "Used":
        """Type a query over the one that stands there, as from a keyboard."""
        self.page.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(sql)
        return self

    def run(self, sql: str | None = None) -> "Used":
        if sql is not None:
            self.write(sql)
        self.page.keyboard.press("Control+Enter")
        return self.done()

    def done(self) -> "Used":
        ready = """() => !document.querySelector('#query-run').disabled
            && (!document.querySelector('#query-error').hidden || !document.querySelector('#query-result').hidden)"""
        self.page.wait_for_function(ready)
        return self

    @property
    def rows(self) -> list[tuple]:
        """What the table shows; null where it says so."""
        return [
            tuple(row)
            for row in self.page.evaluate(
                """() => [...document.querySelectorAll('#query-result tbody tr:not(:has([colspan]))')].map(row =>
                    [...row.cells].map(cell => cell.querySelector('.missing') ? null : cell.textContent))"""
            )
        ]

    @property
    def columns(self) -> list[str]:
        return self.page.locator("#query-result thead th").all_inner_texts()

    @property
    def error(self) -> str:
        box = self.page.locator("#query-error")
        return box.locator("pre").inner_text() if box.is_visible() else ""

    @property
    def status(self) -> str:
        return self.page.locator("#query-status").inner_text()

    def csv(self) -> str:
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Download all rows as CSV").click()
        assert download.value.suggested_filename.endswith("diskbench.csv")
        return Path(download.value.path()).read_text(encoding="utf-8")

    def marks(self) -> int:
        self.page.wait_for_selector("#chart-result.drawn")
        return self.page.evaluate(
            "document.querySelectorAll('#chart-result .role-mark:is(.mark-rect, .mark-symbol) path').length"
        )


def new_page(browser, address: str, **options) -> Used:
    context = browser.new_context(**{"accept_downloads": True} | options)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return Used(context.new_page(), address.rpartition("/")[0]).open(address)

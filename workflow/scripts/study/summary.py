"""The summary of a study: measured cells, others with reasons, and where to look."""

from dataclasses import dataclass, field
from pathlib import Path

from study import records


@dataclass
class Summary:
    """The planned cells by result.

    measured: how many. skipped, failed: cell id and reason. missing, damaged: cell ids.
    """

    planned: int = 0
    measured: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)

    def failures(self) -> list[str]:
        """A line for each cell that failed."""
        return [f"failed: {cell}: {reason}" for cell, reason in self.failed]

    def lines(self) -> list[str]:
        """The lines of the summary, problems first."""
        if not self.planned:
            return ["nothing to measure: the site shows the records that exist"]
        told = self.failures()
        told += [f"skipped: {cell}: {reason}" for cell, reason in self.skipped]
        told += [f"not measured: {cell}" for cell in self.missing]
        told.append(
            f"{self.measured} of {self.planned} cells measured, {len(self.skipped)} skipped, "
            f"{len(self.failed)} failed"
        )
        if self.failed:
            told.append(
                "to measure the failed cells again: the same command, with 'retry=[failed]' among "
                "the settings behind --config"
            )
        return told


def summarise(cells: dict[str, Path], root: Path) -> Summary:
    """Count the planned cells (id -> record, below `root`) by the status of their last result."""
    summary = Summary(planned=len(cells))
    for cell, path in cells.items():
        last = records.last_result(path, root)
        record = records.read(last, root)
        if record is None:
            (summary.damaged if path.exists() else summary.missing).append(cell)
        elif record["status"] == "measured":
            summary.measured += 1
        else:
            list_of_status = summary.failed if record["status"] == "failed" else summary.skipped
            reason = record.get("reason") or "no reason given"
            earlier = "" if last == path else " (its earlier measurement still counts)"
            list_of_status.append((cell, f"{reason}{earlier}"))
    return summary

//! The plan as a table for people.

use crate::plan::{CellOutlook, Outlook};
use crate::units::{duration, gigabytes};

/// The columns: name, and whether they are aligned to the right.
const COLUMNS: [(&str, bool); 9] = [
    ("#", true),
    ("protocol", false),
    ("storage", false),
    ("image", false),
    ("repeat", true),
    ("phase", false),
    ("write", true),
    ("read", true),
    ("time", true),
];

/// The whole table with its sums.
pub(crate) fn text(outlook: &Outlook) -> String {
    let mut rows: Vec<Vec<String>> =
        vec![COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()];
    let due: Vec<&CellOutlook> = outlook.cells.iter().filter(|cell| cell.due).collect();
    rows.extend(due.iter().map(|cell| row(cell)));
    let mut text = format!("study {}, seed {}\n\n", outlook.study, outlook.seed);
    if due.is_empty() {
        text.push_str("nothing to measure: every cell has its record\n");
        return text + &counts(outlook);
    }
    text.push_str(&aligned(&rows));
    text.push('\n');
    for cell in &due {
        if let Some(reason) = &cell.skipped {
            text.push_str(&format!("#{} will be skipped: {reason}\n", cell.position));
        }
        if cell.after_restart {
            text.push_str(&format!("#{} resumes after a restart of this machine\n", cell.position));
        }
        if !cell.replayed_phases.is_empty() {
            text.push_str(&format!(
                "#{} runs {} again first\n",
                cell.position,
                cell.replayed_phases.join(", ")
            ));
        }
    }
    text.push_str(&counts(outlook));
    text.push_str(&format!(
        "{:<11}{} to write, {} to read\n",
        "bytes",
        gigabytes(outlook.bytes_to_write),
        gigabytes(outlook.bytes_to_read)
    ));
    for storage in outlook.storages.iter().filter(|storage| storage.needed_bytes > 0) {
        let free = storage.free_bytes.map_or_else(|| "unknown".to_owned(), gigabytes);
        text.push_str(&format!(
            "{:<11}{} needed on {}, {free} free\n",
            "free space",
            gigabytes(storage.needed_bytes),
            storage.slug
        ));
    }
    text.push_str(&format!(
        "{:<11}about {}, at {}/s ({})\n",
        "time",
        duration(outlook.estimated_seconds),
        gigabytes(outlook.assumed_bytes_per_second),
        outlook.assumed_from
    ));
    text
}

fn counts(outlook: &Outlook) -> String {
    let there = outlook.cells_planned - outlook.cells_due;
    format!("{:<11}{} to measure, {there} already measured\n", "cells", outlook.cells_due)
}

fn row(cell: &CellOutlook) -> Vec<String> {
    let driver =
        if cell.driver == "native" { String::new() } else { format!(" ({})", cell.driver) };
    vec![
        cell.position.to_string(),
        cell.protocol.clone(),
        cell.storage.clone(),
        format!("{}{driver}", cell.image),
        cell.repeat.to_string(),
        cell.phase.clone(),
        gigabytes(cell.bytes_to_write),
        gigabytes(cell.bytes_to_read),
        duration(cell.estimated_seconds),
    ]
}

fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).zip(COLUMNS).map(|((cell, width), (_, right))| {
            if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

//! Doing what was resolved: each command a few lines that print what its module found.

pub(crate) mod image;

use std::path::Path;

use serde::Serialize;

use crate::ceiling;
use crate::conditions;
use crate::error::Result;
use crate::exit_code::ExitCode;
use crate::host;
use crate::interrupt::Stop;
use crate::json;
use crate::plan::{self, Plan};
use crate::preflight::Preflight;
use crate::record::{Host, Snapshot};
use crate::resolve::{Shape, Task};
use crate::run;
use crate::schema;
use crate::sweep;
use crate::terminal::{out, say};
use crate::verify;

/// Does it.
///
/// # Errors
/// One line and an exit code.
pub(crate) fn perform(task: Task) -> Result<ExitCode> {
    match task {
        Task::Host(folder) => show_host(&folder),
        Task::Plan(plan, shape, preflights) => show_plan(&plan, shape, &preflights),
        Task::Run(task) => run::run(&task, &Stop::on_signals()?),
        Task::Verify(paths, shape) => show_verify(&paths, shape),
        Task::Ceiling(shape) => show_ceiling(shape),
        Task::Sweep(folder) => show_sweep(&folder),
        Task::Image(task) => image::perform(task),
        Task::Schema(what) => out(&schema::text(what)?).map(|()| ExitCode::Done),
    }
}

/// What `host` prints.
#[derive(Serialize)]
struct HostReport {
    /// As in a cell's description and in paths.
    release: String,
    #[serde(flatten)]
    host: Host,
    conditions: Snapshot,
}

fn show_host(folder: &Path) -> Result<ExitCode> {
    crate::space::existing_folder(folder)?;
    let host = host::discover(folder);
    let report =
        HostReport { release: host.os.release(), host, conditions: conditions::now(folder) };
    out(&json::pretty(&json::tree(&report)?)).map(|()| ExitCode::Done)
}

fn show_plan(plan: &Plan, shape: Shape, preflights: &[Preflight]) -> Result<ExitCode> {
    let outlook = plan::outlook(plan)?;
    match shape {
        Shape::Table => out(&plan::table::text(&outlook))?,
        Shape::Json => out(&json::pretty(&json::tree(&outlook)?))?,
    }
    // After the table, so that a refusal comes with its reason.
    plan::refuse(&outlook)?;
    plan::refuse_unquiet(&outlook, preflights)?;
    Ok(ExitCode::Done)
}

/// Most findings of `verify` that a terminal shows.
const MOST_LINES: u64 = 10;

fn show_verify(paths: &[std::path::PathBuf], shape: Shape) -> Result<ExitCode> {
    let mut told = 0_u64;
    let findings = verify::verify(paths, &mut |finding| match shape {
        Shape::Table => {
            if let Some(line) = finding.line() {
                told += 1;
                if told <= MOST_LINES {
                    say(&line);
                }
            }
            Ok(())
        }
        Shape::Json => out(&json::canonical(&json::tree(finding)?)),
    })?;
    if matches!(shape, Shape::Table) {
        if told > MOST_LINES {
            let more = told.saturating_sub(MOST_LINES);
            say(&format!("and {more} more: all of them with `diskbench verify --json`"));
        }
        out(&findings.summary())?;
    }
    let all_whole = findings.damaged == 0 && findings.newer == 0;
    Ok(if all_whole { ExitCode::Done } else { ExitCode::Damaged })
}

fn show_ceiling(shape: Shape) -> Result<ExitCode> {
    let found = ceiling::full()?;
    match shape {
        Shape::Table => out(&found.text())?,
        Shape::Json => out(&json::pretty(&json::tree(&found)?))?,
    }
    Ok(ExitCode::Done)
}

fn show_sweep(folder: &Path) -> Result<ExitCode> {
    let swept = sweep::sweep(folder)?;
    for kept in &swept.kept {
        say(kept);
    }
    out(&swept.summary())?;
    Ok(ExitCode::Done)
}

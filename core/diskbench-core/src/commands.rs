//! Runs commands: files are read and checked first; then each command is a few lines that print the results of its
//! module.

pub(crate) mod image;

use std::path::Path;

use crate::ceiling;
use crate::cli::Command;
use crate::error::Result;
use crate::exit_code::ExitCode;
use crate::interrupt::Stop;
use crate::json;
use crate::plan::{self, Plan};
use crate::preflight::Preflight;
use crate::run::{self, RunTask};
use crate::schema;
use crate::sweep;
use crate::terminal::{out, say};
use crate::verify;

/// Does it.
///
/// # Errors
/// One line and an exit code: 2 when a file that it names cannot be read or makes no sense.
pub(crate) fn perform(command: Command) -> Result<ExitCode> {
    match command {
        Command::Plan { plan, json, refuse } => show_plan(&Plan::load(&plan)?, json, &refuse),
        Command::Run(arguments) => run::run(&RunTask::of(arguments)?, &Stop::on_signals()?),
        Command::Verify { paths, json } => show_verify(&paths, json),
        Command::Ceiling { json } => show_ceiling(json),
        Command::Sweep { folder } => show_sweep(&folder),
        Command::Image(command) => image::perform(command),
        Command::Schema { what } => out(&schema::text(what)?).map(|()| ExitCode::Done),
    }
}

fn show_plan(plan: &Plan, json: bool, preflights: &[Preflight]) -> Result<ExitCode> {
    let outlook = plan::outlook(plan)?;
    if json {
        out(&json::pretty(&json::tree(&outlook)?))?;
    } else {
        out(&plan::table::text(&outlook))?;
    }
    // After the table, so that a refusal comes with its reason.
    plan::refuse(&outlook)?;
    plan::refuse_other_disks(plan, &outlook)?;
    plan::refuse_unquiet(&outlook, preflights)?;
    for complaint in plan::unquiet(&outlook, preflights) {
        say(&format!("{complaint} (this is not refused)"));
    }
    Ok(ExitCode::Done)
}

/// Most findings of `verify` that a terminal shows.
const MOST_LINES: u64 = 10;

fn show_verify(paths: &[std::path::PathBuf], json: bool) -> Result<ExitCode> {
    let mut told = 0_u64;
    let findings = verify::verify(paths, &mut |finding| {
        if json {
            return out(&json::canonical(&json::tree(finding)?));
        }
        if let Some(line) = finding.line() {
            told += 1;
            if told <= MOST_LINES {
                say(&line);
            }
        }
        Ok(())
    })?;
    if !json {
        if told > MOST_LINES {
            let more = told.saturating_sub(MOST_LINES);
            say(&format!("and {more} more: all of them with `diskbench verify --json`"));
        }
        out(&findings.summary())?;
    }
    let all_whole = findings.damaged == 0 && findings.newer == 0;
    Ok(if all_whole { ExitCode::Done } else { ExitCode::Damaged })
}

fn show_ceiling(json: bool) -> Result<ExitCode> {
    let found = ceiling::full()?;
    if json {
        out(&json::pretty(&found.tree()))?;
    } else {
        out(&found.text())?;
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

//! The command line as it was typed. What it means is found in [`crate::commands`].

pub(crate) mod image;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::cli::image::ImageCommand;
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::preflight::Preflight;
use crate::progress::Style;

/// What `--version` prints. `.ci/release` adds the commit to it, by which `workflow/setup.sh` takes or refuses a
/// program.
const VERSION: &str = match option_env!("DISKBENCH_VERSION") {
    Some(released) => released,
    None => env!("CARGO_PKG_VERSION"),
};

/// Measures the cells of a study, checks their records, and reads and writes disk images.
#[derive(Debug, Parser)]
#[command(name = "diskbench", version = VERSION, after_help = ExitCode::table(), disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what a study measures, writes and needs; fail if it cannot be measured here
    Plan {
        /// The plan, as the workflow wrote it
        #[arg(long, value_name = "FILE")]
        plan: PathBuf,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        /// Fail with exit code 9 if the machine is in one of these states; see `run`
        #[arg(long, value_name = "REASON,...", value_enum, value_delimiter = ',')]
        refuse: Vec<Preflight>,
    },
    /// Measure one cell and write its record; Ctrl-C, SIGTERM or a closed terminal (SIGHUP) stops it, unless under
    /// nohup
    Run(RunArguments),
    /// Check records: form, checksum, and whether their content matches their cell
    Verify {
        /// Records, or folders of records; `-` for paths on standard input, one a line
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Print a line of JSON for each record: its path, its cell, and what is wrong with it
        #[arg(long)]
        json: bool,
    },
    /// Measure how fast the harness itself is on this machine, without a disk
    Ceiling {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Remove what interrupted runs left in a work folder
    Sweep {
        /// The folder
        #[arg(long, value_name = "DIR")]
        folder: PathBuf,
    },
    /// Create, inspect, check, convert, serve or change disk images, without macOS's tools
    #[command(subcommand)]
    Image(ImageCommand),
    /// Print the JSON Schema of a record or of a cell's description
    Schema {
        /// What the schema describes
        what: SchemaOf,
    },
}

/// What `run` takes.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The cell's description
    #[arg(long, value_name = "FILE")]
    pub cell: PathBuf,
    /// Folder to work in, on the storage that is measured
    #[arg(long, value_name = "DIR")]
    pub folder: PathBuf,
    /// Where the record goes; an older one is set aside
    #[arg(long, value_name = "FILE")]
    pub record: PathBuf,
    /// Write a detailed log
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Position of this cell in the study's order, from 1
    #[arg(long, value_name = "N", requires = "planned", value_parser = clap::value_parser!(u32).range(1..))]
    pub position: Option<u32>,
    /// Number of cells that are planned
    #[arg(long, value_name = "M", requires = "position", value_parser = clap::value_parser!(u32).range(1..))]
    pub planned: Option<u32>,
    /// Fail with exit code 9, before anything is created, if the machine is in one of these states; else warn
    #[arg(long, value_name = "REASON,...", value_enum, value_delimiter = ',')]
    pub refuse: Vec<Preflight>,
    /// Description of the storage for the record, such as its case and cable
    #[arg(long, value_name = "TEXT", value_parser = description)]
    pub storage_description: Option<String>,
    /// Compare what is read with what was written; read times then include it
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub progress: ProgressArguments,
}

/// A description is one short line.
fn description(text: &str) -> std::result::Result<String, String> {
    /// In characters. A line that describes a disk has some 60.
    const LONGEST: usize = 200;
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST || text.chars().any(char::is_control) {
        return Err(format!("give one line of 1 to {LONGEST} characters"));
    }
    Ok(text.to_owned())
}

/// What every command takes that shows progress.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ProgressArguments {
    /// How progress is shown on stderr
    #[arg(long, value_name = "HOW", value_enum, default_value_t = ProgressMode::Auto)]
    pub progress: ProgressMode,
}

impl ProgressArguments {
    /// How progress is shown here.
    pub(crate) fn style(self) -> Style {
        match self.progress {
            ProgressMode::Auto if io::stderr().is_terminal() => Style::Line,
            ProgressMode::Auto | ProgressMode::Lines => Style::Lines,
            ProgressMode::None => Style::Silent,
        }
    }

    /// The default style of commands that are mostly quick: plain lines only on request, so that scripts see none.
    pub(crate) fn style_at_terminal(self) -> Style {
        match (self.progress, self.style()) {
            (ProgressMode::Auto, Style::Lines) => Style::Silent,
            (_, style) => style,
        }
    }
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// One line that changes on a terminal, plain lines elsewhere
    Auto,
    /// Plain lines
    Lines,
    /// No progress
    None,
}

/// What there is a schema of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A record
    Record,
    /// A cell's description
    Cell,
}

/// What a command line turned out to be.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// Something to do.
    Command(Command),
    /// Help or the version, to be printed.
    Text(String),
}

/// Parses a command line, the program's name included.
///
/// # Errors
/// Exit code 2, one line.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => Ok(Parsed::Command(cli.command)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Parsed::Text(error.to_string()))
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Error::input(format!(
                "no command is given; see `{} --help`",
                named(&arguments)
            ))),
            _ => Err(Error::input(format!(
                "{}; see `{} --help`",
                first_paragraph(&error.to_string()),
                named(&arguments)
            ))),
        },
    }
}

/// The command that the arguments name, such as `diskbench image convert`.
fn named(arguments: &[OsString]) -> String {
    let root = Cli::command();
    let (mut command, mut names) = (&root, root.get_name().to_owned());
    for argument in arguments.iter().skip(1) {
        let Some(next) = command.find_subcommand(argument) else { break };
        names = format!("{names} {}", next.get_name());
        command = next;
    }
    names
}

/// The first paragraph of clap's long message, which has the error.
fn first_paragraph(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Cli, description, parse};
    use crate::exit_code::ExitCode;
    use clap::CommandFactory as _;
    use std::ffi::OsString;

    fn words(text: &str) -> impl Iterator<Item = OsString> {
        text.split(' ').map(OsString::from)
    }

    #[test]
    fn a_description_is_one_short_line() {
        assert_eq!(
            description(" Samsung 980 Pro, USB4 case "),
            Ok("Samsung 980 Pro, USB4 case".into())
        );
        assert!(description(&"x".repeat(200)).is_ok());
        for wrong in ["", " ", "two\nlines", &"x".repeat(201)] {
            assert!(description(wrong).unwrap_err().contains("one line of 1 to 200"), "{wrong:?}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_wrong_command_line_is_one_line_that_leads_to_the_help() {
        let cases = [
            ("diskbench", "", "no command is given"),
            ("diskbench", " frobnicate", "unrecognized subcommand 'frobnicate'"),
            ("diskbench run", " --cell x", "required arguments were not provided: --folder <DIR>"),
            ("diskbench ceiling", " --jsn", "unexpected argument '--jsn' found"),
            ("diskbench schema", " xml", "invalid value 'xml' for '<WHAT>'"),
            ("diskbench verify", "", "required arguments were not provided: <PATH>"),
            ("diskbench image", "", "no command is given"),
            ("diskbench image create", " x --size 1x", "invalid value '1x' for '--size <BYTES>'"),
            (
                "diskbench run",
                " --cell a --folder b --record c --position 0 --planned 1",
                "invalid value '0' for '--position <N>'",
            ),
            ("diskbench run", " --cell a --folder b --record c --position 1", "--planned <M>"),
            (
                "diskbench run",
                " --cell a --folder b --record c --refuse noise",
                "invalid value 'noise' for '--refuse <REASON,...>'",
            ),
        ];
        for (command, rest, expected) in cases {
            let line = format!("{command}{rest}");
            let error = parse(words(&line)).expect_err(&line);
            assert_eq!(error.exit(), ExitCode::BadInput);
            assert!(error.line().contains(expected), "{line}: {error}");
            let help = format!("see `{command} --help`");
            assert!(error.line().ends_with(&help), "{line}: {error}");
        }
    }
}

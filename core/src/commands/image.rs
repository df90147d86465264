//! Doing what was resolved of `diskbench image`.

use crate::cell::Format;
use crate::error::{Error, Result, one_line};
use crate::exit_code::ExitCode;
use crate::image::portable::convert::{self, Failure, Zeros};
use crate::image::portable::draft::Draft;
use crate::image::portable::failure::failure;
use crate::image::portable::info::info;
use crate::image::portable::open::{self, Opened};
use crate::image::portable::packed;
use crate::image::portable::store::Access::{self, Read, Write};
use crate::interrupt::Stop;
use crate::json;
use crate::meter::Meter;
use crate::progress::{Progress, Totals};
use crate::resolve::Shape;
use crate::resolve::image::{ConvertTask, ExistingImage, ImageTask, NewImage};
use crate::terminal::{out, say};

/// Does it.
///
/// # Errors
/// One line and an exit code.
pub fn perform(task: ImageTask) -> Result<ExitCode> {
    match task {
        ImageTask::Create(new, len_bytes) => create(&new, len_bytes, &Stop::on_signals()?),
        ImageTask::Info(image, shape) => show_info(&image, shape),
        ImageTask::Check(image) => check(&image),
        ImageTask::Convert(task) => convert(&task, &Stop::on_signals()?),
        ImageTask::Compact(image) => compact(&image),
    }
}

fn create(new: &NewImage, len_bytes: u64, stop: &Stop) -> Result<ExitCode> {
    advise_on_name(new);
    let draft = begin(new, len_bytes)?;
    publish(draft, new, stop)?;
    out(&format!("{}: {}, {len_bytes} bytes", new.path.display(), new.format))?;
    Ok(ExitCode::Done)
}

fn show_info(image: &ExistingImage, shape: Shape) -> Result<ExitCode> {
    let found = info(&image.path, image.passphrase.as_ref())
        .map_err(|error| failure(&image.path, Read, &error))?;
    match shape {
        Shape::Table => out(&found.text())?,
        Shape::Json => out(&json::pretty(&json::tree(&found)?))?,
    }
    Ok(ExitCode::Done)
}

fn check(image: &ExistingImage) -> Result<ExitCode> {
    let damaged = open::check(&image.path, image.passphrase.as_ref())
        .map_err(|error| failure(&image.path, Read, &error))?;
    if damaged.is_empty() {
        // A packed image passes for a raw one, of which nothing can be said.
        opened(image, Read)?;
        out("no damage found")?;
        return Ok(ExitCode::Done);
    }
    let lines: Vec<String> = damaged.iter().map(|damage| one_line(&damage.0)).collect();
    out(&lines.join("\n"))?;
    Ok(ExitCode::Damaged)
}

fn convert(task: &ConvertTask, stop: &Stop) -> Result<ExitCode> {
    let (source, new) = (&task.source, &task.destination);
    advise_on_name(new);
    let mut from = opened(source, Read)?;
    let len_bytes = from.image.len_bytes();
    let mut draft = begin(new, len_bytes)?;
    let to = draft.image().map_err(|error| failure(&new.path, Write, &error))?;
    let zeros = Zeros::of(new.format, new.is_encrypted());
    let label = format!("{} to {}", from.format, new.format);
    let (meter, totals) = (Meter::new(), Totals { files: None, bytes: len_bytes });
    let progress = Progress::start(task.progress, label, totals, meter.clone());
    convert::copy(from.image.as_mut(), to, zeros, &meter, stop).map_err(|reason| match reason {
        Failure::Source(error) => failure(&source.path, Read, &error),
        Failure::Destination(error) => failure(&new.path, Write, &error),
        Failure::Stopped => interrupted(),
    })?;
    publish(draft, new, stop)?;
    progress.finish("done");
    Ok(ExitCode::Done)
}

fn compact(image: &ExistingImage) -> Result<ExitCode> {
    let failed = |error| failure(&image.path, Write, &error);
    let mut opened = opened(image, Write)?;
    let before = opened.image.allocated_bytes().map_err(failed)?;
    opened.image.compact().map_err(failed)?;
    let after = opened.image.allocated_bytes().map_err(failed)?;
    out(&format!("allocated: {before} -> {after} bytes"))?;
    Ok(ExitCode::Done)
}

fn opened(image: &ExistingImage, access: Access) -> Result<Opened> {
    let failed = |error| failure(&image.path, access, &error);
    let mut opened = open::open(&image.path, access, image.passphrase.as_ref()).map_err(failed)?;
    if opened.format == Format::Udrw {
        packed::refuse(opened.image.as_mut()).map_err(failed)?;
    }
    Ok(opened)
}

fn begin(new: &NewImage, len_bytes: u64) -> Result<Draft> {
    Draft::create(&new.path, &new.spec(len_bytes))
        .map_err(|error| failure(&new.path, Write, &error))
}

fn publish(draft: Draft, new: &NewImage, stop: &Stop) -> Result<()> {
    if stop.requested() {
        return Err(interrupted());
    }
    draft.publish().map_err(|error| failure(&new.path, Write, &error))
}

fn interrupted() -> Error {
    Error::new(
        ExitCode::Interrupted,
        "interrupted: the half-made image is removed; run the same command again",
    )
}

/// A new image is called what its user says, but macOS goes by the end of a name.
fn advise_on_name(new: &NewImage) {
    let usual: &[&str] = match new.format {
        Format::Udsp => &["sparseimage"],
        Format::Udsb => &["sparsebundle"],
        Format::Asif => &["asif"],
        _ => &["dmg", "img", "raw"],
    };
    let extension = new.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if let Some(first) = usual.first()
        && !usual.contains(&extension.as_str())
    {
        say(&one_line(&format!(
            "note: {} is made under this name, but macOS expects {} to end with .{first}",
            new.path.display(),
            new.format
        )));
    }
}

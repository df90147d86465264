//! `hdiutil`.

mod attach;
mod compact;
mod create;
mod detach;
mod facts;

use crate::arguments::{Given, Known};
use crate::release::Words;
use crate::said::{Failure, Outcome, Reason, Said};
use crate::world::World;

/// Does what a call asks for.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let Some((verb, rest)) = arguments.split_first() else {
        return Ok(Said::refused(1, "Usage: hdiutil <verb> <options>"));
    };
    let outcome = world.heed("hdiutil", verb).and_then(|()| match verb.as_str() {
        "create" => create::run(world, rest),
        "attach" => attach::run(world, rest),
        "detach" => detach::run(world, rest),
        "info" => facts::info(world, rest),
        "imageinfo" => facts::image_info(world, rest),
        "isencrypted" => facts::is_encrypted(world, rest),
        "compact" => compact::run(world, rest),
        _ => Ok(Said::refused(
            1,
            format!("hdiutil: verb {verb} is not known to the stand-in: see its module docs"),
        )),
    });
    let words = world.words();
    let outcome = match outcome {
        Err(Failure::For(reason)) => Ok(failed(verb, reason, words, world)),
        Err(Failure::With(said)) => Ok(said),
        other => other,
    };
    Ok(outcome?.warned(warning(world, verb, rest)))
}

/// `hdiutil: <verb> failed - <text>` (1.9).
fn failed(verb: &str, reason: Reason, words: Words, world: &World) -> Said {
    let code = match reason {
        Reason::Again => world.release().again_code(),
        _ => 1,
    };
    let failed = match words {
        Words::English => "failed",
        // Made up.
        Words::German => "fehlgeschlagen",
    };
    Said::refused(code, format!("hdiutil: {verb} {failed} - {}", reason.words(words)))
}

/// Sorts a verb's options; one that is not known is refused. The text is made up.
fn sort(verb: &str, arguments: &[String], known: &Known) -> Outcome<Given> {
    Given::sort(arguments, known).map_err(|option| {
        Failure::With(Said::refused(
            1,
            format!(
                "hdiutil: {verb}: unrecognized option `{option}'\nUsage: hdiutil {verb} [options]"
            ),
        ))
    })
}

/// What macOS 27 warns of, on stderr and without any other effect. The texts of attach, create, detach and convert are
/// quoted in section 0; that of imageinfo is composed of the verb that Apple names there. Of the others no replacement is
/// named, and nothing is said.
fn warning(world: &World, verb: &str, arguments: &[String]) -> Option<String> {
    if !world.release().deprecates_hdiutil() {
        return None;
    }
    let (old, new) = match verb {
        "attach" => attach::named(arguments),
        "create" => (
            "create -size -volname ...".to_owned(),
            "diskutil image create from/blank -size --volumeName ...".to_owned(),
        ),
        "detach" => ("detach ...".to_owned(), "diskutil eject ...".to_owned()),
        "imageinfo" => ("imageinfo ...".to_owned(), "diskutil image info ...".to_owned()),
        _ => return None,
    };
    Some(format!("hdiutil: WARNING: 'hdiutil {old}' is deprecated. Please use '{new}' instead."))
}

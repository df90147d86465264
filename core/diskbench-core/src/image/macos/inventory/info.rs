//! `hdiutil info -plist`.

use std::path::PathBuf;
use std::time::Duration;

use plist::{Dictionary, Value};

use super::Listed;
use crate::image::macos::{answer, command_error, entities};
use crate::program::{Call, End, Programs};

/// Under load such calls were seen to take 8 seconds (smoothbricks/codebase, specs/cowshed).
const LIMIT: Duration = Duration::from_secs(30);

/// What `hdiutil` says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// These images.
    Listed(Vec<Listed>),
    /// It did not answer.
    None,
    /// This macOS has no `hdiutil`.
    Missing,
}

/// Asks `hdiutil`.
pub(super) fn ask(programs: &mut Programs) -> Answer {
    let said = programs.run(&call());
    if said.is_good() {
        return images(&said.stdout).map_or(Answer::None, Answer::Listed);
    }
    let is_missing = matches!(said.end, End::NotStarted(_))
        && command_error::of(&said).kind == command_error::Kind::Unsupported;
    if is_missing { Answer::Missing } else { Answer::None }
}

pub(super) fn call() -> Call {
    Call::new("hdiutil").args(["info", "-plist"]).limit(LIMIT)
}

fn images(stdout: &[u8]) -> Option<Vec<Listed>> {
    let root = answer::dictionary(stdout).ok()?;
    let Some(images) = root.get("images") else {
        // Then none is attached, if this is that list at all.
        return (root.contains_key("framework") || root.contains_key("vendor")).then(Vec::new);
    };
    Some(images.as_array()?.iter().filter_map(Value::as_dictionary).filter_map(listed).collect())
}

fn listed(image: &Dictionary) -> Option<Listed> {
    // Others are in memory (`ram://4194304`).
    let path = answer::text(image, "image-path").filter(|path| path.starts_with('/'))?;
    let disk = entities::of(image).ok().map(|attachment| attachment.disk);
    Some(Listed { image: PathBuf::from(path), disk })
}

#[cfg(test)]
mod tests {
    use super::{Answer, Listed, ask};
    use crate::program::End;
    use crate::program::script::{Script, ended, exited, good};

    const THREE: &str = include_str!("../fixtures/hdiutil-info.plist");
    const NONE: &str = include_str!("../fixtures/hdiutil-info-none.plist");

    fn answered(answer: crate::program::Answer) -> Answer {
        ask(&mut Script::default().then("hdiutil info -plist", answer).programs().0)
    }

    fn said(stdout: &str) -> Answer {
        answered(good(stdout))
    }

    #[test]
    fn every_image_is_listed_with_its_own_disk() {
        let expected =
            [("work.sparseimage", "disk10"), ("plain.dmg", "disk6"), ("raw.dmg", "disk4")];
        let expected = expected.map(|(name, disk)| Listed {
            image: format!("/private/tmp/brdetect/{name}").into(),
            disk: Some(disk.into()),
        });
        assert_eq!(said(THREE), Answer::Listed(expected.into()));
    }

    #[test]
    fn without_the_key_none_is_attached() {
        assert_eq!(said(NONE), Answer::Listed(Vec::new()));
    }

    #[test]
    fn images_in_memory_are_passed_over_and_unclear_ones_are_listed_without_a_disk() {
        let image =
            |path: &str| format!("<dict><key>image-path</key><string>{path}</string></dict>");
        let list = format!(
            "<plist><dict><key>images</key><array>{}{}</array></dict></plist>",
            image("ram://4194304"),
            image("/tmp/a.dmg")
        );
        let listed = vec![Listed { image: "/tmp/a.dmg".into(), disk: None }];
        assert_eq!(said(&list), Answer::Listed(listed));
    }

    #[test]
    fn what_is_no_inventory_says_nothing() {
        for answer in
            ["", "framework : 683.100.3", "<plist><dict/></plist>", "<plist><dict><key>ima"]
        {
            assert_eq!(said(answer), Answer::None, "{answer}");
        }
        for answer in [exited(1, NONE, ""), ended(End::TimedOut, NONE, "")] {
            assert_eq!(answered(answer), Answer::None);
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_not_one_that_does_not_answer() {
        for (reason, expected) in [
            ("no such file or directory", Answer::Missing),
            ("resource temporarily unavailable", Answer::None),
        ] {
            let answer = ended(End::NotStarted(reason.into()), "", "");
            assert_eq!(answered(answer), expected, "{reason}");
        }
    }
}

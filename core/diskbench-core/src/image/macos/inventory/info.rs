//! `hdiutil info -plist`.

use std::path::PathBuf;
use std::time::Duration;

use plist::{Dictionary, Value};

use super::Listed;
use crate::image::macos::{answer, entities};
use crate::program::{Call, Programs};

/// Under load such calls were seen to take 8 seconds (smoothbricks/codebase, specs/cowshed).
const LIMIT: Duration = Duration::from_secs(30);

/// What `hdiutil` lists; nothing when it does not answer.
pub(super) fn ask(programs: &mut Programs) -> Option<Vec<Listed>> {
    let said = programs.run(&call());
    let root = answer::dictionary(&said.stdout).ok().filter(|_| said.is_good())?;
    let Some(images) = root.get("images") else {
        // Then none is attached, if this is that list at all.
        return (root.contains_key("framework") || root.contains_key("vendor")).then(Vec::new);
    };
    Some(images.as_array()?.iter().filter_map(Value::as_dictionary).filter_map(listed).collect())
}

pub(super) fn call() -> Call {
    Call::new("hdiutil").args(["info", "-plist"]).limit(LIMIT)
}

fn listed(image: &Dictionary) -> Option<Listed> {
    // Others are in memory (`ram://4194304`).
    let path = answer::text(image, "image-path").filter(|path| path.starts_with('/'))?;
    let disk = entities::of(image).ok().map(|attachment| attachment.disk);
    Some(Listed { image: PathBuf::from(path), disk })
}

#[cfg(test)]
mod tests {
    use super::{Listed, ask};
    use crate::program::End;
    use crate::program::script::{Script, ended, exited, good};

    const THREE: &str = include_str!("../fixtures/hdiutil-info.plist");
    const NONE: &str = include_str!("../fixtures/hdiutil-info-none.plist");

    fn said(stdout: &str) -> Option<Vec<Listed>> {
        ask(&mut Script::default().then("hdiutil info -plist", good(stdout)).programs().0)
    }

    #[test]
    fn every_image_is_listed_with_its_own_disk() {
        let expected =
            [("work.sparseimage", "disk10"), ("plain.dmg", "disk6"), ("raw.dmg", "disk4")];
        let expected = expected.map(|(name, disk)| Listed {
            image: format!("/private/tmp/brdetect/{name}").into(),
            disk: Some(disk.into()),
        });
        assert_eq!(said(THREE).unwrap(), expected);
    }

    #[test]
    fn without_the_key_none_is_attached() {
        assert_eq!(said(NONE), Some(Vec::new()));
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
        assert_eq!(said(&list), Some(vec![Listed { image: "/tmp/a.dmg".into(), disk: None }]));
    }

    #[test]
    fn what_is_no_inventory_says_nothing() {
        for answer in
            ["", "framework : 683.100.3", "<plist><dict/></plist>", "<plist><dict><key>ima"]
        {
            assert_eq!(said(answer), None, "{answer}");
        }
        for answer in [exited(1, NONE, ""), ended(End::TimedOut, NONE, "")] {
            let (mut programs, _) =
                Script::default().then("hdiutil info -plist", answer).programs();
            assert_eq!(ask(&mut programs), None);
        }
    }
}

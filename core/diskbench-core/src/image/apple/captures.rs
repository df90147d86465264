//! What Macs answered to a probe, as `run.sh take-probe` keeps it: the driver must be able to read it.

use std::fs;
use std::path::{Path, PathBuf};

use plist::Value as List;
use serde_json::Value;

use super::identify::{of_diskutil, of_hdiutil};
use crate::image::macos::inventory::tests::is_list;
use crate::image::macos::{answer, command_error, entities};
use crate::program::{Answer, End};
use crate::record::ImageFacts;

/// A folder for each release, in it one for each report.
const PROBES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/probes");

/// What was read of reports: how many answers, and those that could not be.
#[derive(Debug, Default)]
struct Found {
    read: usize,
    unread: Vec<String>,
}

/// The folders in a folder; empty if it does not exist.
fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

/// Reads all reports below a folder.
fn reports(below: &Path) -> Found {
    let mut found = Found::default();
    for report in folders(below).iter().flat_map(|release| folders(release)) {
        let Ok(text) = fs::read(report.join("probe.json")) else { continue };
        let document: Value = serde_json::from_slice(&text).unwrap();
        for told in document["answers"].as_array().unwrap() {
            match answered(&report, told).map(|answer| read(told, &answer)) {
                Some(Some(Ok(()))) => found.read += 1,
                Some(Some(Err(wrong))) => {
                    found.unread.push(format!("{} {}: {wrong}", report.display(), told["name"]));
                }
                // Left out, not ended by itself, or nothing that the driver reads.
                Some(None) | None => {}
            }
        }
    }
    found
}

/// The answer of a program that ended by itself; none if a part of it was left out.
fn answered(report: &Path, told: &Value) -> Option<Answer> {
    let stream = |name: &str| match (&told[name]["file"], &told[name]["left_out"]) {
        (Value::String(file), _) => Some(fs::read(report.join(file)).unwrap()),
        (_, Value::Null) => Some(Vec::new()),
        _ => None,
    };
    let stderr = String::from_utf8_lossy(&stream("stderr")?).into_owned();
    let code = i32::try_from(told["code"].as_i64()?).unwrap();
    Some(Answer { end: End::Exited(code), stdout: stream("stdout")?, stderr, elapsed_ns: 1 })
}

/// Parses an answer as the driver does; nothing for queries that the driver does not make.
fn read(told: &Value, answer: &Answer) -> Option<Result<(), String>> {
    let arguments = told["arguments"].as_array().unwrap();
    let words: Vec<&str> = arguments.iter().map(|word| word.as_str().unwrap()).collect();
    let program = told["program"].as_str().unwrap();
    if !answer.is_good() {
        return ["hdiutil", "diskutil"].contains(&program).then(|| complaint(answer));
    }
    let list = || answer::dictionary(&answer.stdout);
    Some(match (program, words.as_slice()) {
        ("hdiutil", ["attach", "-plist", ..])
        | ("diskutil", ["image", "attach", "--plist", ..]) => {
            entities::read(&answer.stdout).map(drop)
        }
        ("hdiutil", ["imageinfo", ..]) => list().and_then(|list| whole(&of_hdiutil(&list))),
        ("diskutil", ["image", "info", ..]) => list().and_then(|list| whole(&of_diskutil(&list))),
        ("hdiutil", ["isencrypted", ..]) => list().and_then(|list| {
            let known = list.get("encrypted").and_then(List::as_boolean).is_some();
            known.then_some(()).ok_or_else(|| "it does not say whether it is encrypted".into())
        }),
        ("hdiutil", ["info", ..]) | ("ioreg", _) => {
            let is_list = is_list(program, &answer.stdout);
            is_list.then_some(()).ok_or_else(|| "no list of images".into())
        }
        ("diskutil", ["info", "-plist", ..]) => list().map(drop),
        _ => return None,
    })
}

/// Whether a program that said something has a message.
fn complaint(answer: &Answer) -> Result<(), String> {
    let silent =
        command_error::of(&Answer { stdout: Vec::new(), stderr: String::new(), ..answer.clone() });
    let said = !answer.stderr.trim().is_empty();
    if said && command_error::of(answer).message == silent.message {
        return Err("its output contains no message".into());
    }
    Ok(())
}

/// Whether a program said which format an image has, and how long it is.
fn whole(facts: &ImageFacts) -> Result<(), String> {
    if facts.format.is_some() && facts.nominal_bytes.is_some() {
        return Ok(());
    }
    Err(format!("format {:?}, length {:?}", facts.format, facts.nominal_bytes))
}

/// There are no captures before a Mac was probed.
#[test]
fn every_answer_of_a_mac_that_was_taken_in_is_read() {
    let found = reports(Path::new(PROBES));
    assert!(found.unread.is_empty(), "{:#?}", found.unread);
    let reports = folders(Path::new(PROBES)).len();
    assert_eq!(found.read == 0, reports == 0, "{reports} releases");
}

#[test]
fn an_answer_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("26.4-25E241/0123456789ab");
    fs::create_dir_all(report.join("captures")).unwrap();
    let attached = include_str!("../macos/fixtures/hdiutil-attach-apfs.plist");
    let cut = &attached[..attached.len() / 2];
    let raw = "<plist><dict><key>Format</key><string>UDRW</string></dict></plist>";
    let answers: Vec<Value> = [
        ("good", 0, "attach -plist", attached),
        ("cut", 0, "attach -plist", cut),
        ("short", 0, "imageinfo -plist", raw),
        ("list", 0, "info -plist", raw),
        ("refused", 1, "attach -plist", ""),
        ("unasked", 0, "create", "created"),
    ]
    .into_iter()
    .map(|(name, code, words, said)| {
        let file = format!("captures/{name}.stdout");
        fs::write(report.join(&file), said).unwrap();
        let words: Vec<&str> = words.split(' ').collect();
        serde_json::json!({
            "name": name, "program": "hdiutil", "arguments": words, "code": code,
            "stdout": {"file": file, "left_out": null}, "stderr": {"file": null, "left_out": null},
        })
    })
    .collect();
    let document = serde_json::json!({ "answers": answers }).to_string();
    fs::write(report.join("probe.json"), document).unwrap();
    let found = reports(folder.path());
    assert_eq!((found.read, found.unread.len()), (2, 3), "{found:#?}");
    for (line, (name, wrong)) in found.unread.iter().zip([
        ("cut", "it is cut short"),
        ("short", "format Some(\"UDRW\"), length None"),
        ("list", "no list of images"),
    ]) {
        assert!(line.contains(name) && line.ends_with(wrong), "{line}");
    }
}

//! What the program prints for others: records, schemas, plans.

#![expect(clippy::indexing_slicing, reason = "a helper of tests may stop")]

use crate::common::{Study, cell};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything on this machine that tells which one it is, or who uses it.
fn secrets() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for program in [&["hostname"][..], &["uname", "-n"], &["id", "-un"], &["whoami"]] {
        if let Ok(output) = Command::new(program[0]).args(&program[1..]).output() {
            found.insert(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
    }
    for name in ["USER", "LOGNAME", "HOME", "HOSTNAME"] {
        found.extend(std::env::var(name));
    }
    let mut files: Vec<PathBuf> = vec![
        "/etc/hostname".into(),
        "/etc/machine-id".into(),
        "/proc/sys/kernel/random/boot_id".into(),
    ];
    for name in
        ["product_serial", "product_uuid", "board_serial", "chassis_serial", "chassis_asset_tag"]
    {
        files.push(Path::new("/sys/class/dmi/id").join(name));
    }
    for (folder, names) in [
        (
            "/sys/block",
            &["serial", "device/serial", "device/wwid", "wwid", "device/vpd_pg80", "dm/uuid"][..],
        ),
        ("/sys/class/net", &["address"]),
    ] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            files.extend(names.iter().map(|name| entry.path().join(name)));
        }
    }
    for file in files {
        let text = fs::read(file).unwrap_or_default();
        found.insert(String::from_utf8_lossy(&text).trim().to_owned());
    }
    // Nothing, or what many machines have.
    found.retain(|secret| !secret.is_empty() && secret != "00:00:00:00:00:00" && secret != "/");
    found
}

/// Whether a text gives a secret away: long ones anywhere, short ones (a user called `vm`) as a word.
fn gives_away(text: &str, secret: &str) -> bool {
    if secret.chars().count() > 5 {
        return text.contains(secret);
    }
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == secret)
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(items) => items.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

#[test]
fn a_record_does_not_tell_which_machine_or_whose_it_is() {
    let secrets = secrets();
    assert!(secrets.len() >= 2, "a test that looks for nothing finds nothing: {secrets:?}");
    let study = Study::new();
    let work = study.work();
    study.run(&cell()).done();
    let record = study.record("fresh").to_string();
    for secret in &secrets {
        assert!(!gives_away(&record, secret), "`{secret}` in {record}");
    }
    let mut texts = Vec::new();
    strings(&study.record("fresh"), &mut texts);
    for text in texts {
        assert!(!text.contains(work.to_str().unwrap()) && !text.starts_with('/'), "a path: {text}");
    }
}

#[test]
fn the_search_for_secrets_finds_what_is_there() {
    assert!(gives_away("{\"model\": \"C02XY123ABCD\"}", "C02XY123ABCD"));
    assert!(gives_away("the machine vm is", "vm"));
    assert!(!gives_away("the kvm module", "vm"));
}

#[test]
fn the_schemas_in_the_workflow_are_those_of_the_types() {
    let study = Study::new();
    for what in ["record", "cell"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../workflow/schemas/{what}.schema.json"));
        let printed = study.call(&["schema", what]).done().stdout.clone();
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            printed == stored,
            "workflow/schemas/{what}.schema.json is stale: write it anew with `diskbench schema {what}`"
        );
        let schema: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_closed(&schema, what);
    }
}

/// Every object of a schema says that it knows all its keys.
fn assert_closed(schema: &Value, place: &str) {
    if let Some(items) = schema.as_object() {
        if items.contains_key("properties") {
            assert_eq!(items.get("additionalProperties"), Some(&json!(false)), "{place}");
        }
        for (key, value) in items {
            assert_closed(value, &format!("{place}/{key}"));
        }
    } else if let Some(items) = schema.as_array() {
        for (index, value) in items.iter().enumerate() {
            assert_closed(value, &format!("{place}/{index}"));
        }
    }
}

#[test]
fn a_plan_is_shown_for_people_and_for_machines() {
    let study = Study::new();
    let plan = study.write_plan(&study.work(), &cell());
    let shown = study.call(&["plan", "--plan", &plan]);
    assert!(shown.done().stdout.contains("1 to measure, 0 already measured"), "{shown:?}");
    let shown = study.call(&["plan", "--json", "--plan", &plan]);
    let outlook: Value = serde_json::from_str(&shown.done().stdout).unwrap();
    assert_eq!(outlook["bytes_to_write"], 168_194);
    assert_eq!(outlook["estimated_seconds"], 4);
    assert!(study.left().is_empty(), "a plan writes nothing");
}

#[test]
fn the_ceiling_is_there_for_people_and_for_machines() {
    let study = Study::new();
    assert!(study.call(&["ceiling"]).done().stdout.contains("memory"));
    let found: Value =
        serde_json::from_str(&study.call(&["ceiling", "--json"]).done().stdout).unwrap();
    assert!(found["memory_write_bytes_per_second"].as_u64().unwrap() > 0);
}

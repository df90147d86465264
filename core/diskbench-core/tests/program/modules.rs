//! Modules do not depend on each other in a cycle, so that each can be read, moved and tested without the others.
//!
//! A module may name its parents and its children; what is asked of are siblings, on every level: of `a::b::c` that names
//! `a::d::e`, `b` knows `d`. Tests may know anything.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may stop")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by the names from the crate's root to it.
type Module = Vec<String>;
/// Siblings by their parent: who names whom.
type Knows = BTreeMap<Module, BTreeMap<String, BTreeSet<String>>>;

#[test]
fn no_two_modules_know_each_other_directly_or_by_others() {
    for folder in ["src", "../diskimage/src", "../system/src"] {
        let sources = production(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        assert!(sources.len() > 10, "{folder}: {} modules", sources.len());
        for (parent, siblings) in knows(&sources) {
            let found = in_circles(&siblings);
            let place = format!("{folder}: crate::{}", parent.join("::"));
            assert!(found.is_empty(), "{place}: {found:?}: move what one needs of the other");
        }
    }
}

/// Every module of the production code with its text.
fn production(src: &Path) -> BTreeMap<Module, String> {
    let mut files = Vec::new();
    files_below(src, &mut files);
    let mut sources: BTreeMap<Module, String> = files
        .iter()
        .filter(|file| !file.ends_with("main.rs"))
        .map(|file| {
            let name = file.strip_prefix(src).unwrap().with_extension("");
            let mut names: Module =
                name.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            names.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
            (names, fs::read_to_string(file).unwrap())
        })
        .collect();
    let tests: Vec<Module> =
        sources.iter().flat_map(|(name, text)| test_modules(name, text)).collect();
    sources.retain(|name, _| !tests.iter().any(|test| name.starts_with(test)));
    sources
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules in files of their own that this one has for tests only.
fn test_modules(name: &[String], text: &str) -> Vec<Module> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .windows(2)
        .filter(|pair| pair[0] == "#[cfg(test)]")
        .filter_map(|pair| {
            let test = pair[1].rsplit_once("mod ")?.1.strip_suffix(';')?;
            Some([name, &[test.to_owned()]].concat())
        })
        .collect()
}

/// For every parent, which of its children names which other one, by themselves or by what lies below them.
fn knows(sources: &BTreeMap<Module, String>) -> Knows {
    let mut knows = Knows::new();
    for (name, text) in sources {
        for named in named(name, text) {
            // the longest part of the path that is a module; the rest is an item of it
            let Some(target) = (1..=named.len())
                .rev()
                .map(|length| &named[..length])
                .find(|path| sources.contains_key(*path))
            else {
                continue;
            };
            let shared = name.iter().zip(target).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (name.get(shared), target.get(shared)) {
                let siblings = knows.entry(name[..shared].to_vec()).or_default();
                siblings.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    knows
}

/// Every path that begins with `crate`, `self` or `super`, from the root.
fn named(name: &[String], text: &str) -> Vec<Module> {
    let code: String = text
        .lines()
        .take_while(|line| *line != "mod tests {")
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert!(!code.contains("crate::{"), "{name:?}: name each module by itself");
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (start, _) in code.match_indices("::") {
        let before = code[..start].rsplit(|c| !is_name(c)).next().unwrap();
        let first = !code[..start - before.len()].ends_with("::");
        let mut path = match before {
            "crate" => Module::new(),
            "self" => name.to_vec(),
            "super" => name[..name.len() - 1].to_vec(),
            _ => continue,
        };
        if !first {
            continue;
        }
        let mut rest = &code[start..];
        while let Some(next) = rest.strip_prefix("::") {
            let end = next.find(|c| !is_name(c)).unwrap_or(next.len());
            match &next[..end] {
                "super" => drop(path.pop()),
                part => path.push(part.to_owned()),
            }
            rest = &next[end..];
        }
        found.push(path);
    }
    found
}

/// Modules that import each other in a circle, or lie between two circles: what remains when modules are left out, again
/// and again, that import none of the others or that none of them imports.
fn in_circles(siblings: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&String> {
    let mut rest: BTreeSet<&String> = siblings.keys().collect();
    loop {
        let before = rest.clone();
        rest.retain(|name| {
            siblings[*name].iter().any(|known| before.contains(known))
                && before.iter().any(|other| siblings[*other].contains(*name))
        });
        if rest == before {
            return rest;
        }
    }
}

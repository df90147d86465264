//! A Mac imitated by the cargo example `stand_in`; its documentation lists what it can do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use plist::{Dictionary, Value};

use super::Ended;

/// The example; cargo builds examples before tests, into a folder beside the program's.
pub fn program() -> PathBuf {
    let place = Path::new(env!("CARGO_BIN_EXE_diskbench"));
    place.parent().unwrap().join("examples/stand_in")
}

/// A Mac with a folder of its own, programs and all.
pub struct Mac {
    root: tempfile::TempDir,
}

impl Mac {
    /// A Mac set up with these options of `stand_in install`.
    pub fn new(options: &[&str]) -> Self {
        let mac = Self { root: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() };
        let mut arguments = vec!["install", mac.folder_text()];
        arguments.extend(options);
        manage(&arguments);
        mac
    }

    /// The folder of its programs.
    pub fn folder(&self) -> &Path {
        self.root.path()
    }

    fn folder_text(&self) -> &str {
        self.folder().to_str().unwrap()
    }

    /// A place in the same file system, for images and mount points.
    pub fn place(&self, name: &str) -> String {
        let desk = self.folder().canonicalize().unwrap().join("desk");
        fs::create_dir_all(&desk).unwrap();
        desk.join(name).to_str().unwrap().to_owned()
    }

    /// A new folder there.
    pub fn new_folder(&self, name: &str) -> String {
        let place = self.place(name);
        fs::create_dir(&place).unwrap();
        place
    }

    /// Gives an order.
    pub fn order(&self, name: &str, times: u32) {
        manage(&["order", self.folder_text(), name, &times.to_string()]);
    }

    /// The images that are attached, as `stand_in attached` tells.
    pub fn attached(&self) -> Vec<serde_json::Value> {
        let text = manage(&["attached", self.folder_text()]);
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A call, with nothing on its stdin.
    pub fn call(&self, program: &str, arguments: &[&str]) -> Ended {
        let mut command = Command::new(self.folder().join(program));
        command.args(arguments).env_remove("LC_ALL").env_remove("LANG");
        Ended::of(&command.stdin(Stdio::null()).output().unwrap())
    }
}

fn manage(arguments: &[&str]) -> String {
    let output = Command::new(program()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

impl Ended {
    /// What it printed, after making sure that it ended well and said nothing else.
    pub fn good(&self) -> &str {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        &self.stdout
    }

    /// The property list that it printed.
    pub fn keys(&self) -> Dictionary {
        assert_eq!(self.code, 0, "{self:?}");
        let value = Value::from_reader_xml(self.stdout.as_bytes()).unwrap();
        value.into_dictionary().unwrap()
    }
}

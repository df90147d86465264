//! Programs of a few lines that stand in for those of a Mac.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::Study;

impl Study {
    /// The folder of these programs.
    pub fn programs(&self) -> PathBuf {
        self.path("programs")
    }

    /// Lets a program be this script of a shell, in which `$here` is the programs' folder.
    pub fn answer(&self, program: &str, script: &str) {
        fs::create_dir_all(self.programs()).unwrap();
        let path = self.programs().join(program);
        fs::write(&path, format!("#!/bin/sh\nhere=${{0%/*}}\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A command on the Mac whose programs these are.
    pub fn on_the_mac(&self, mut command: Command) -> Command {
        command.env("DISKBENCH_STAND_IN", self.programs());
        command
    }
}

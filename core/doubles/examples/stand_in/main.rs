//! Imitates the programs of macOS that the study uses, so that all of it runs in tests, on any machine.
//!
//! One program that acts by the name it is called by. `install` makes a folder of links, `hdiutil -> stand_in` and so
//! on, with a folder `state` beside them; name it in `DISKBENCH_STAND_IN` (and put it first on PATH). What the programs take
//! and print is that of their manual pages (hdiutil(1), diskutil(8) of macOS 13 to 27) and of captured outputs in the issues
//! of create-dmg, dmgbuild, Lima, autopkg and Homebrew.
//!
//! ```text
//! stand_in install FOLDER [--macos 26.4] [--build 25E241] [--mac mac-mini-m4-pro|guest]
//!     [--language en|de]     texts of errors; German even under LC_ALL=C, the harder case
//!     [--on-battery] [--memory-pressure 1|2|4]
//!     [--file-vault on|off]  on, but for a guest
//!     [--without-udsp]       hdiutil makes no UDSP any more
//!     [--without-hdiutil]    there is no hdiutil: 27 deprecates it
//! stand_in order FOLDER NAME [TIMES]             a misbehaviour, once unless TIMES is given; 0 takes it back
//! stand_in attached FOLDER                       what is attached: a JSON object a line
//! stand_in attach-foreign FOLDER PATH            somebody else's image, made when it is not there
//! stand_in reboot FOLDER                         everything is detached, kern.bootsessionuuid is another one
//! stand_in upgrade FOLDER --macos 15             the same, and the release is another one
//! ```
//!
//! `--macos` takes a version, or the first number of one in `release.rs`. `state/orders.json` is an object of names and times and may be
//! written by others; `state/calls.jsonl` has every call so far, and never what came through stdin.
//!
//! # What each program can do
//!
//! * `hdiutil create`: UDIF, SPARSE, SPARSEBUNDLE; sizes in sectors; `-imagekey sparse-band-size`, `-encryption`,
//!   `-stdinpass`, `-fs APFS`, `-plist`; `File exists` (1.1).
//! * `hdiutil attach`: four or five entities of APFS, two of HFS+, an EFI slice from 1 GiB on; mount points, `-nomount`;
//!   an attached image is given as it is; no ASIF (1.3).
//! * `hdiutil info`: without `images` when there are none; resolved paths (1.4).
//! * `hdiutil imageinfo`, `isencrypted` (1.5, 1.8).
//! * `hdiutil detach`: by device or mount point, `-force`; a container's volume is only unmounted, which is how 1.3 and
//!   1.6 are understood here.
//! * `hdiutil compact`: UDSP and UDSB that are detached; not on battery (1.7).
//! * `diskutil image attach`, `info`, `create blank`: what the release knows; before that `did not recognize verb`; sizes
//!   in bytes, of ASIF rounded up to 4 KiB; 27 makes mount points; `--help` (2.1, 2.2, 2.4).
//! * `diskutil eject`, `unmountDisk force`, `mount`: stdout says which process holds a volume (2.5).
//! * `diskutil info`: `Error` inside, exit code 1 from 26 on, 0 before; internal disk, images (2.6).
//! * `ioreg -r -c AppleDiskImageDevice`: the image as `DiskImageURL`, its devices nested below; `-c IOHDIXHDDrive` the
//!   same of images of the older engine, as `image-path`; nothing at all when there is none (1.4, 3).
//! * `sw_vers`, `sysctl`, `system_profiler -json SPHardwareDataType`, `vm_stat`, `df -P`, `pmset`, `fdesetup`: facts of
//!   the Mac that is played (3).
//! * `tmutil`, `caffeinate`: exclusions are remembered; `caffeinate -w` waits for its process (3, 4.8).
//!
//! On 27 the verbs of `hdiutil` warn on stderr and do what they did (0). Passphrases: `hdiutil` takes all of stdin, a
//! line feed included, up to NUL; `diskutil` one line (1.2, 2.4). A wrong one, or none, is an `Authentication error`.
//!
//! # Orders
//!
//! Each is used up as it happens, but for those that stay until they are taken back.
//!
//! * `busy-detach`: `hdiutil detach` ends with 16, `diskutil eject` tells who holds the volume; not when forced (1.6,
//!   6).
//! * `always-busy-hdiutil-detach` (stays): so does every `hdiutil detach`, forced or not; `diskutil eject` works
//!   (0: autopkg's report).
//! * `eject-dissent`: `diskutil eject` says which process holds the volume (2.5).
//! * `gone-after-detach`: detaching fails as busy, and the device goes away all the same: the next call finds none
//!   (1.6).
//! * `detach-timeout`: `hdiutil detach` ends with 1 and `timeout for DiskArbitration expired`; it stays attached (1.6).
//! * `reuse-numbers`: when an image is detached, somebody else's gets its device's number at once (2.3).
//! * `locked-attach`: attaching says `Resource temporarily unavailable`; the exit code is 1, or 35 from 26 on (1.9, 6).
//! * `leave-attached`: attaching fails as busy, and the device stays, not mounted (2.1, 2.3).
//! * `helper-error`: `diskutil image attach` (whose device stays) or `create`: `Couldn’t communicate with a helper
//!   application.` (2.1).
//! * `resource-busy-create`: `hdiutil create` fails as busy, and leaves an image (1.9, 6).
//! * `info-stays-attached`: the device of `diskutil image info` is there until it was listed once. StorageKit attaches the
//!   image for it, and leaves it to the system to remove the device when the program has ended.
//! * `names-other-device`, `unsaid-mount-point`: an attach names the devices of a disk that is not its own, or no mount point.
//! * `not-mounted`, `mounts-elsewhere`: it leaves the volume unmounted, or mounts it in `state/Volumes`, whatever is asked.
//! * `tells-other-volume`, `tells-no-volume`: `diskutil info` of a mount point tells of the system's own volume, or of none.
//! * `shuffle-entities`: an attach gives its entities in another order; with `hdiutil` the first lacks its hint (1.3).
//! * `truncate-info`: `hdiutil info` leaves out the newer half of the images, at least one (1.4).
//! * `removes-mount-point` (stays): the mount point goes with the volume.
//! * `keeps-in-memory` (stays): a detached image stays in memory.
//! * `makes-nothing`: `hdiutil create` says that it has made a UDIF image, and none is there.
//! * `makes-other-cipher`, `makes-plain`, `makes-raw`, `makes-other-bands`, `makes-other-length`, `makes-hfs`: the next
//!   image that is made has the other size of key, no encryption, the format UDRW, bands or a disk twice as large, or HFS+
//!   on it. `tells-large-sectors` (stays): devices of images have sectors of 4096 bytes.
//! * `registry-empty` (stays): `ioreg` lists no image.
//! * `stingy-compact`: `hdiutil compact` reclaims nothing (1.7).
//! * `ask-password` (stays): an encrypted image without a passphrase opens a dialog: the call never returns (1.2).
//! * `hang VERB`: the next such call never returns (until whoever started it has gone); `hang hdiutil info` is
//!   `hdiutil`'s alone, `hang diskutil-image attach` that of `diskutil image`, `hang ioreg` that of another program,
//!   `hang kern.bootsessionuuid` that of `sysctl` when it is asked for just this (6).
//! * `hold VERB` (stays): such a call does nothing until the order is taken back; the others go on meanwhile. For tests
//!   that interfere at this moment.
//! * `no-space VERB`: the next such call says `No space left on device`, and does nothing (1.9).
//!
//! # What it cannot do
//!
//! * Volumes are plain folders, renamed onto their mount point, which must be empty and on the same file system. Files
//!   that are held open keep them busy on Linux only. What is free on a volume `diskutil` tells (its length less its content),
//!   `statfs` does not.
//! * An image is made by `diskimage`, but its volume is not in it: only a label that says which
//!   volume is its own, and from detach on one page for each MiB that was in use (fewer in encrypted ones), so that its
//!   bands and allocated bytes grow; compacting gives back what the content does not need. Two copies of an image share
//!   one volume.
//! * A volume that is not named a mount point is mounted in `state/Volumes`, not in `/Volumes`.
//! * While an encrypted image is attached its passphrase lies in `state/state.json`, not in the clear: a helper process
//!   keeps it on a Mac.
//! * What neither the core nor the probe calls is not played, and answers are property lists alone; volumes are nobody's in particular (2.3: root's on a Mac, with owners).
//! * Texts and codes that nobody has captured are made up, and the code says so where they stand: German ones but
//!   "Ressource ist belegt", refusals of unknown options, of `compact`, of ASIF by `hdiutil`, of formats by `diskutil`,
//!   the frameworks' versions but 15's, and from which size on there is an EFI slice.

mod arguments;
mod device;
mod diskutil;
mod facts;
mod foreign;
mod hdiutil;
mod ioreg;
mod label;
mod mac;
mod manage;
mod passphrase;
mod quiet;
mod release;
mod said;
mod serve;
mod volumes;
mod world;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diskbench_core::program::tools;

use crate::said::{Failure, Outcome, Said};
use crate::world::World;

/// How a program is played.
#[derive(Clone, Copy)]
pub enum Player {
    /// It has verbs, and heeds orders for each of them.
    Verbs(fn(&mut World, &[String]) -> Outcome),
    /// It tells a fact, without verbs.
    Fact(fn(&World, &[String]) -> Outcome),
    /// It runs beside all others.
    Beside(fn(&[String]) -> Outcome),
}

/// The programs that are played, and by what.
pub const PROGRAMS: [(&str, Player); 12] = [
    ("caffeinate", Player::Beside(quiet::caffeinate)),
    ("df", Player::Fact(facts::df)),
    ("diskutil", Player::Verbs(diskutil::run)),
    ("fdesetup", Player::Fact(|world, words| Ok(quiet::fdesetup(world, words)))),
    ("hdiutil", Player::Verbs(hdiutil::run)),
    ("ioreg", Player::Verbs(ioreg::run)),
    ("pmset", Player::Fact(|world, words| Ok(quiet::pmset(world, words)))),
    ("sw_vers", Player::Fact(|world, words| Ok(facts::sw_vers(world, words)))),
    ("sysctl", Player::Fact(|world, words| Ok(facts::sysctl(world, words)))),
    ("system_profiler", Player::Fact(|world, words| Ok(facts::system_profiler(world, words)))),
    ("tmutil", Player::Verbs(quiet::tmutil)),
    ("vm_stat", Player::Fact(|world, _| Ok(facts::vm_stat(world)))),
];

/// Exit code when the stand-in itself is at a loss: sysexits' EX_SOFTWARE.
const AT_A_LOSS: u8 = 70;

fn main() -> ExitCode {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let called = PathBuf::from(words.next().unwrap_or_default());
    let arguments: Vec<String> = words.collect();
    let program = called.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let outcome = match PROGRAMS.into_iter().find(|(name, _)| *name == program) {
        Some((name, player)) => play(name, player, &called, &arguments),
        None => manage::run(&arguments),
    };
    let said = match outcome {
        Ok(said) | Err(Failure::With(said)) => said,
        Err(Failure::For(reason)) => {
            Said::refused(1, format!("{program}: {}", reason.words(release::Words::English)))
        }
        Err(Failure::Never) => {
            quiet::never_return();
            Said { code: AT_A_LOSS, ..Said::default() }
        }
        Err(Failure::Held(order)) => {
            Said::refused(AT_A_LOSS, format!("stand_in: {program} is held again: {order}"))
        }
        Err(Failure::Lost(error)) => {
            Said::refused(AT_A_LOSS, format!("stand_in: {program} is at a loss: {error}"))
        }
    };
    // Whoever has stopped to listen does not want to know.
    drop(io::stdout().write_all(&said.out));
    drop(io::stderr().write_all(said.err.as_bytes()));
    ExitCode::from(said.code)
}

fn play(program: &str, player: Player, called: &Path, arguments: &[String]) -> Outcome {
    let Some(folder) = folder_of(called) else {
        return Ok(Said::refused(
            AT_A_LOSS,
            "stand_in: call it by its path, or name its folder in DISKBENCH_STAND_IN",
        ));
    };
    let mut world = World::enter(&folder)?;
    world.note_call(program, arguments)?;
    match answer(world, program, player, arguments) {
        Err(Failure::Held(order)) => {
            quiet::wait_until_taken_back(&folder, &order)?;
            answer(World::enter(&folder)?, program, player, arguments)
        }
        outcome => outcome,
    }
}

fn answer(mut world: World, program: &str, player: Player, arguments: &[String]) -> Outcome {
    let outcome = match player {
        Player::Verbs(run) => run(&mut world, arguments),
        Player::Fact(tell) => {
            heed(&world, program, arguments).and_then(|()| tell(&world, arguments))
        }
        Player::Beside(run) => {
            world.heed(program, program)?;
            drop(world);
            return run(arguments);
        }
    };
    world.save()?;
    outcome
}

/// What an order to fail or to wait does to a program without verbs, or to a question that it is asked.
fn heed(world: &World, program: &str, arguments: &[String]) -> Outcome<()> {
    world.heed(program, program)?;
    let question = arguments.iter().find(|argument| !argument.starts_with('-'));
    question.map_or(Ok(()), |question| world.heed(program, question))
}

/// The folder that this program was called from, else the one that the environment names.
fn folder_of(called: &Path) -> Option<PathBuf> {
    let beside = called.parent().filter(|folder| folder.join("state/state.json").exists());
    beside.map(Path::to_owned).or_else(tools::stand_in)
}

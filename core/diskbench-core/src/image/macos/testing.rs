//! A simulated Mac for tests: attached images and their disks, and answers of its programs to inventory and detach
//! calls. A test fails if it detaches a foreign image.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::program::script::{Notes, Player, ended, exited, good, line};
use crate::program::{Answer, Call, End, Programs};

/// The result of a detach command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// It works.
    Works,
    /// Something uses it.
    Busy,
    /// Something uses it, and is named.
    Dissent,
    /// It works, and reports an error.
    WorksAndFails,
    /// It takes for ever, and nothing happens.
    Hangs,
    /// It takes for ever, though it works.
    WorksAndHangs,
    /// Nothing happens, and success is reported.
    Lies,
}

/// The answer of one of the two lists of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Everything.
    All,
    /// Nothing, as if none were attached.
    Nothing,
    /// It fails.
    Fails,
    /// There is no such program.
    Missing,
}

/// The Mac.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What is attached, and as which disk.
    pub(crate) attached: Vec<(PathBuf, String)>,
    /// What may be detached.
    pub(crate) ours: Vec<PathBuf>,
    /// The results of the next commands by program; then everything works.
    pub(crate) hdiutil: VecDeque<Reaction>,
    pub(crate) diskutil: VecDeque<Reaction>,
    /// Whether nothing but force works.
    pub(crate) stuck: bool,
    /// Whether not even force works.
    pub(crate) immovable: bool,
    /// What the lists say next; then all.
    pub(crate) ioreg: VecDeque<Says>,
    pub(crate) info: VecDeque<Says>,
    /// At this query of a list, our disks are reassigned to this foreign image.
    pub(crate) reused_after: Option<(usize, PathBuf)>,
    asked: usize,
}

/// A handle of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mac(Rc<RefCell<State>>);

impl Mac {
    /// With these images of ours attached.
    pub(crate) fn with(ours: &[(&Path, &str)]) -> Self {
        let mac = Self::default();
        mac.set(|state| {
            for (image, disk) in ours {
                state.attached.push(((*image).to_owned(), (*disk).to_owned()));
                state.ours.push((*image).to_owned());
            }
        });
        mac
    }

    /// The same and this one of somebody else's.
    pub(crate) fn and_theirs(self, image: &Path, disk: &str) -> Self {
        self.set(|state| state.attached.push((image.to_owned(), disk.to_owned())));
        self
    }

    /// The same after this.
    pub(crate) fn but(self, change: impl FnOnce(&mut State)) -> Self {
        self.set(change);
        self
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.borrow_mut());
    }

    /// The disks of the images that are attached.
    pub(crate) fn disks(&self) -> Vec<String> {
        self.0.borrow().attached.iter().map(|(_, disk)| disk.clone()).collect()
    }

    /// Whether this image is attached.
    pub(crate) fn serves(&self, image: &Path) -> bool {
        self.0.borrow().attached.iter().any(|(attached, _)| attached == image)
    }

    /// Its programs, with their calls.
    pub(crate) fn programs(&self) -> (Programs, Notes) {
        let mac = self.clone();
        Player::programs(move |call| mac.0.borrow_mut().answer(call))
    }
}

impl State {
    fn answer(&mut self, call: &Call) -> Answer {
        let line = line(call);
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["ioreg", "-r", "-c", "AppleDiskImageDevice", "-l", "-w0", "-a"] => self.registry(),
            ["ioreg", "-r", "-c", "IOHDIXHDDrive", "-l", "-w0", "-a"] => good(""),
            ["hdiutil", "info", "-plist"] => self.list(),
            ["hdiutil", "detach", disk] => self.detach(disk, false, true),
            ["hdiutil", "detach", disk, "-force"] => self.detach(disk, true, true),
            ["diskutil", "eject", disk] => self.detach(disk, false, false),
            ["diskutil", "unmountDisk", "force", disk] => {
                self.check(disk);
                if self.immovable {
                    return exited(1, "", "Error: it does not move\n");
                }
                self.stuck = false;
                self.diskutil.clear();
                good("Unmount of all volumes was successful\n")
            }
            _ => panic!("asked `{line}`"),
        }
    }

    fn count(&mut self) {
        self.asked += 1;
        if self.reused_after.as_ref().is_some_and(|(after, _)| *after == self.asked) {
            let (_, theirs) = self.reused_after.take().unwrap();
            for (image, _) in &mut self.attached {
                image.clone_from(&theirs);
            }
        }
    }

    fn registry(&mut self) -> Answer {
        self.count();
        match self.ioreg.pop_front().unwrap_or(Says::All) {
            Says::Fails | Says::Missing => return exited(1, "", "ioreg: error"),
            Says::Nothing => return good(""),
            Says::All if self.attached.is_empty() => return good(""),
            Says::All => {}
        }
        let device = |(image, disk): &(PathBuf, String)| {
            format!(
                "<dict><key>DiskImageURL</key><string>file://{}</string><key>IORegistryEntryChildren</key><array><dict>\
                 <key>BSD Name</key><string>{disk}</string><key>Whole</key><true/></dict></array></dict>",
                image.display()
            )
        };
        let devices: String = self.attached.iter().map(device).collect();
        good(&format!("<plist><array>{devices}</array></plist>"))
    }

    fn list(&mut self) -> Answer {
        let says = self.info.pop_front().unwrap_or(Says::All);
        if says == Says::Fails {
            return ended(End::TimedOut, "", "");
        }
        if says == Says::Missing {
            return ended(End::NotStarted("no such file or directory".into()), "", "");
        }
        let known = if says == Says::All { self.attached.as_slice() } else { &[] };
        info(known)
    }

    /// The image that a disk serves must be ours.
    fn check(&self, disk: &str) {
        let image = self.attached.iter().find(|(_, device)| device == disk).map(|(image, _)| image);
        let ours = image.is_none_or(|image| self.ours.contains(image));
        assert!(ours, "{disk} serves {image:?}, which is somebody else's");
    }

    fn detach(&mut self, disk: &str, force: bool, hdiutil: bool) -> Answer {
        self.check(disk);
        let queue = if hdiutil { &mut self.hdiutil } else { &mut self.diskutil };
        let next = queue.pop_front().unwrap_or(Reaction::Works);
        let reaction = match next {
            Reaction::Works if self.stuck && !force => Reaction::Busy,
            _ if force && !self.immovable => Reaction::Works,
            other => other,
        };
        if matches!(reaction, Reaction::Works | Reaction::WorksAndFails | Reaction::WorksAndHangs) {
            self.attached.retain(|(_, device)| device != disk);
        }
        match reaction {
            Reaction::Works | Reaction::Lies => good(&format!("\"{disk}\" ejected.\n")),
            Reaction::Busy => {
                exited(16, "", &format!("hdiutil: couldn't eject \"{disk}\" - Resource busy\n"))
            }
            Reaction::Dissent => exited(
                1,
                &format!(
                    "Unmount of {disk} failed: at least one volume could not be unmounted\n\
                     Unmount was dissented by PID 20848 (/System/Library/mds)\n"
                ),
                "",
            ),
            Reaction::WorksAndFails => {
                exited(1, "", "hdiutil: detach failed - No such file or directory\n")
            }
            Reaction::Hangs | Reaction::WorksAndHangs => ended(End::TimedOut, "", ""),
        }
    }
}

/// What `hdiutil info -plist` answers when these images are attached as these disks.
fn info(attached: &[(PathBuf, String)]) -> Answer {
    let image = |(image, disk): &(PathBuf, String)| {
        format!(
            "<dict><key>image-path</key><string>{}</string><key>system-entities</key><array><dict>\
             <key>dev-entry</key><string>/dev/{disk}</string></dict></array></dict>",
            image.display()
        )
    };
    let images: String = attached.iter().map(image).collect();
    let images = match attached {
        [] => String::new(),
        _ => format!("<key>images</key><array>{images}</array>"),
    };
    good(&format!("<plist><dict><key>framework</key><string>683</string>{images}</dict></plist>"))
}

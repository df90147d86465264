//! A Mac for one image.

use std::cell::{RefCell, RefMut};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use system::calls::Calls;
use tempfile::TempDir;

use super::super::Apple;
use crate::cell::Cell;
use crate::image::apple::capabilities::Mac;
use crate::image::folder::ImageFolder;
use crate::image::macos::testing::info;
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::program::script::{Notes, Player, ended, exited, good};
use crate::program::{Answer, Call, End};
use crate::transfer::Mover;

/// The state of the simulated programs.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// Number of the device that serves the image.
    pub attached: Option<u32>,
    /// What came on stdin, call by call.
    pub given: Vec<String>,
    next: u32,
    orders: Vec<&'static str>,
    mounted: bool,
    /// Queries until the device goes that `diskutil image info` left behind.
    goes_after: Option<u32>,
}

impl Desk {
    /// Whether this is to happen now: each order is used up.
    fn obeys(&mut self, order: &str) -> bool {
        let place = self.orders.iter().position(|known| *known == order);
        place.map(|place| self.orders.remove(place)).is_some()
    }
}

/// The image's folder on this Mac, and the Mac.
pub(super) struct Played {
    work: TempDir,
    cell: Cell,
    mac: Mac,
    major: u32,
    desk: Rc<RefCell<Desk>>,
    notes: RefCell<Vec<Notes>>,
    stop: Stop,
    /// The image's folder.
    pub folder: Rc<RefCell<ImageFolder>>,
}

impl Played {
    /// A Mac with this release for this cell.
    pub(super) fn new(cell: &Cell, major: u32) -> Self {
        let work = tempfile::tempdir().unwrap();
        let folder = Rc::new(RefCell::new(ImageFolder::of(cell, work.path())));
        Self {
            cell: cell.clone(),
            mac: Mac::new(Some(major)),
            major,
            desk: Rc::new(RefCell::new(Desk { next: 4, ..Desk::default() })),
            notes: RefCell::default(),
            stop: Stop::never(),
            folder,
            work,
        }
    }

    /// The driver of another process.
    pub(super) fn driver(&self) -> Apple {
        self.driver_of(&self.folder)
    }

    /// The same for an image in another folder.
    pub(super) fn driver_of(&self, folder: &Rc<RefCell<ImageFolder>>) -> Apple {
        let cell = &self.cell;
        let mover =
            Mover::new(cell.seed, cell.io.block_bytes, true, Meter::new(), self.stop.clone());
        let mac = Programs {
            desk: Rc::clone(&self.desk),
            image: self.folder.borrow().image_of(cell).unwrap(),
            mount_point: self.mount_point(),
            home: self.home(),
            major: self.major,
            stop: self.stop.clone(),
        };
        let (programs, notes) = Player::programs(move |call| mac.play(call));
        self.notes.borrow_mut().push(notes);
        let folder = Rc::clone(folder);
        let driver = Apple::by(programs, self.mac, cell, folder, mover, self.stop.clone()).unwrap();
        // This Mac keeps nothing of a detached image in memory.
        driver.calling(Calls { resident_bytes: |_, _| Ok(0), ..Calls::MACHINE })
    }

    pub(super) fn desk(&self) -> RefMut<'_, Desk> {
        self.desk.borrow_mut()
    }

    pub(super) fn order(&self, order: &'static str) {
        self.desk().orders.push(order);
    }

    pub(super) fn stop(&self) {
        self.stop.request();
    }

    pub(super) fn work(&self) -> &Path {
        self.work.path()
    }

    pub(super) fn mount_point(&self) -> PathBuf {
        self.folder.borrow().mount_point()
    }

    /// The path of the volume while it is not mounted: beside the work folder.
    pub(super) fn home(&self) -> PathBuf {
        self.work.path().with_extension("volume")
    }

    /// The device vanishes, as when a cable is pulled.
    pub(super) fn vanish(&self) {
        fs::rename(self.mount_point(), self.home()).unwrap();
        fs::create_dir(self.mount_point()).unwrap();
        let mut desk = self.desk();
        (desk.attached, desk.mounted) = (None, false);
    }

    /// The calls that begin so.
    pub(super) fn calls(&self, start: &str) -> Vec<String> {
        self.notes.borrow().iter().flat_map(|notes| notes.calls_of(&[start])).collect()
    }

    /// Simulated seconds of waiting.
    pub(super) fn waited(&self) -> u64 {
        self.notes.borrow().iter().map(|notes| notes.waited().as_secs()).sum()
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(self.home()));
    }
}

struct Programs {
    desk: Rc<RefCell<Desk>>,
    image: PathBuf,
    mount_point: PathBuf,
    home: PathBuf,
    major: u32,
    stop: Stop,
}

impl Programs {
    fn play(&self, call: &Call) -> Answer {
        let words: Vec<String> =
            call.values().map(|word| word.to_str().unwrap().to_owned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(given) = call.given() {
            self.desk.borrow_mut().given.push(String::from_utf8(given.to_vec()).unwrap());
        }
        match (call.program(), words.as_slice()) {
            ("hdiutil", ["create", ..]) => self.create(false),
            ("diskutil", ["image", "create", ..]) => self.create(true),
            ("hdiutil", ["attach", ..]) | ("diskutil", ["image", "attach", ..]) => self.attach(),
            // It reports nothing about images: see the tests of `identify`, and those with the stand-in.
            ("hdiutil", ["imageinfo" | "isencrypted", ..]) => good(&plist("")),
            ("diskutil", ["image", "info", ..]) => self.image_info(),
            ("hdiutil", ["info", ..]) => self.list(),
            ("hdiutil", ["detach", ..]) | ("diskutil", ["eject" | "unmountDisk", ..]) => {
                self.detach()
            }
            ("hdiutil", ["compact", ..])
                if self.desk.borrow().orders.contains(&"no-compaction") =>
            {
                exited(1, "", "hdiutil: compact failed - internal error\n")
            }
            ("hdiutil", ["compact", ..]) => good(
                // As hdiutil printed it on a Mac.
                "Starting to compact…\nReclaiming free space…\n...\nFinishing compaction…\n...\n\
                 Reclaimed 2.2 GB out of 523.5 GB possible.\n",
            ),
            ("diskutil", ["info", ..]) => self.info(),
            ("diskutil", ["mount", ..]) => {
                self.mount();
                good("Volume diskbench on disk14s1 mounted\n")
            }
            ("tmutil", ["addexclusion", ..]) => good(""),
            ("tmutil", ["isexcluded", ..]) => self.is_excluded(),
            ("ioreg", ..) => good(""),
            (program, words) => panic!("{program} {words:?} was not expected"),
        }
    }

    fn is_excluded(&self) -> Answer {
        let desk = self.desk.borrow();
        if desk.orders.contains(&"exclusions-unknown") {
            return exited(80, "", "tmutil: isexcluded requires Full Disk Access privileges.\n");
        }
        let word = if desk.orders.contains(&"no-exclusion") { "Included" } else { "Excluded" };
        good(&format!("[{word}]    {}\n", self.image.display()))
    }

    /// The image is attached for it, and goes some time after the program has ended (StorageKit, `-[SKDiskImage
    /// retrieveInfoWithParams:error:]`: a managed attach, without an eject).
    fn image_info(&self) -> Answer {
        let mut desk = self.desk.borrow_mut();
        desk.attached = Some(desk.next);
        desk.next += 1;
        desk.goes_after = Some(2);
        good(&plist(""))
    }

    fn create(&self, by_diskutil: bool) -> Answer {
        let mut desk = self.desk.borrow_mut();
        if !by_diskutil && desk.orders.contains(&"hdiutil-gone") {
            return exited(1, "", "hdiutil: create: invalid argument for -type: SPARSE\n");
        }
        if desk.obeys("no-space") {
            return exited(1, "", "hdiutil: create failed - No space left on device\n");
        }
        if desk.obeys("hang-create") {
            return ended(End::TimedOut, "", "");
        }
        assert!(!self.image.exists(), "File exists");
        if self.image.extension().unwrap() == "sparsebundle" {
            fs::create_dir_all(self.image.join("bands")).unwrap();
            fs::write(self.image.join("Info.plist"), "x").unwrap();
            for band in ["0", "2e8f"] {
                fs::write(self.image.join("bands").join(band), vec![7; 10_000]).unwrap();
            }
        } else {
            fs::write(&self.image, vec![7; 10_000]).unwrap();
        }
        if desk.obeys("resource-busy-create") {
            return exited(1, "", "hdiutil: create failed - Resource busy\n");
        }
        if desk.obeys("makes-nothing") {
            fs::remove_file(&self.image).unwrap();
            return good("");
        }
        drop(fs::remove_dir_all(&self.home));
        fs::create_dir(&self.home).unwrap();
        good("")
    }

    fn attach(&self) -> Answer {
        if self.desk.borrow_mut().obeys("stop-while-attaching") {
            self.stop.request();
        }
        if self.desk.borrow_mut().obeys("locked-attach") {
            return exited(1, "", "hdiutil: attach failed - Resource temporarily unavailable\n");
        }
        if !self.mount_point.is_dir() {
            return exited(1, "", "hdiutil: attach failed - No such file or directory\n");
        }
        let disk = {
            let mut desk = self.desk.borrow_mut();
            assert_eq!(desk.attached, None, "attached twice");
            let disk = desk.next;
            desk.next += 1;
            desk.attached = Some(disk);
            disk
        };
        if self.desk.borrow_mut().obeys("leave-attached") {
            return exited(1, "", "hdiutil: attach failed - Resource busy\n");
        }
        let named = if self.desk.borrow_mut().obeys("foreign-device") { 77 } else { disk };
        if self.desk.borrow_mut().obeys("not-mounted") {
            return good(&entities(named, None));
        }
        if self.desk.borrow_mut().obeys("mounted-elsewhere") {
            return good(&entities(named, Some(Path::new("/Volumes/diskbench 1"))));
        }
        self.mount();
        if self.desk.borrow_mut().obeys("unsaid-mount-point") {
            return good(&entities(named, None));
        }
        good(&entities(named, Some(&self.mount_point)))
    }

    fn mount(&self) {
        fs::rename(&self.home, &self.mount_point).unwrap();
        self.desk.borrow_mut().mounted = true;
    }

    fn detach(&self) -> Answer {
        if self.desk.borrow().orders.contains(&"never-detached") {
            return exited(16, "", "hdiutil: couldn't eject \"disk5\" - Resource busy\n");
        }
        let mut desk = self.desk.borrow_mut();
        if desk.attached.is_none() {
            return exited(1, "", "hdiutil: detach failed - No such file or directory\n");
        }
        if std::mem::take(&mut desk.mounted) {
            fs::rename(&self.mount_point, &self.home).unwrap();
            if !desk.obeys("remove-mount-point") {
                fs::create_dir(&self.mount_point).unwrap();
            }
        }
        let disk = desk.attached.take().unwrap();
        good(&format!("\"disk{disk}\" ejected.\n"))
    }

    fn list(&self) -> Answer {
        let mut desk = self.desk.borrow_mut();
        let left = desk.goes_after.map(|left| left.saturating_sub(1));
        desk.goes_after = left.filter(|left| *left > 0);
        let attached = desk.attached.map(|disk| format!("disk{disk}"));
        if left == Some(0) {
            desk.attached = None;
        }
        drop(desk);
        let image = |disk| (self.image.canonicalize().unwrap(), disk);
        info(&attached.map(image).into_iter().collect::<Vec<_>>())
    }

    fn info(&self) -> Answer {
        let mut desk = self.desk.borrow_mut();
        if desk.obeys("info-error") || !desk.mounted {
            let told = plist(
                "<key>Error</key><true/><key>ErrorMessage</key><string>Could not find disk: x</string>\
                 <key>ExitCode</key><integer>1</integer>",
            );
            return exited(i32::from(self.major >= 26), &told, "");
        }
        let container = desk.attached.unwrap() + 10;
        let device =
            if desk.obeys("wrong-info") { "disk3s5".into() } else { format!("disk{container}s1") };
        good(&plist(&format!(
            "<key>DeviceIdentifier</key><string>{device}</string><key>MountPoint</key><string>{}</string>",
            self.mount_point.display()
        )))
    }
}

/// The four devices of an APFS image, in the form of the captures.
fn entities(disk: u32, mount_point: Option<&Path>) -> String {
    let container = disk + 10;
    let place = mount_point.map_or_else(String::new, |place| {
        format!("<key>mount-point</key><string>{}</string>", place.display())
    });
    let one = |device: String, hint: &str, more: &str| {
        format!(
            "<dict><key>content-hint</key><string>{hint}</string><key>dev-entry</key><string>/dev/{device}</string>{more}</dict>"
        )
    };
    plist(&format!(
        "<key>system-entities</key><array>{}{}{}{}</array>",
        one(format!("disk{disk}"), "GUID_partition_scheme", ""),
        one(format!("disk{disk}s1"), "Apple_APFS", ""),
        one(format!("disk{container}"), "EF57347C-0000-11AA-AA11-00306543ECAC", ""),
        one(
            format!("disk{container}s1"),
            "41504653-0000-11AA-AA11-00306543ECAC",
            &format!("{place}<key>volume-kind</key><string>apfs</string>"),
        ),
    ))
}

fn plist(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>{body}</dict></plist>\n"
    )
}

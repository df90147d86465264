//! Detaching on a small Mac that misbehaves, and never another image than ours.

use super::{Detached, Tool, by_force, detach, detach_all_in, diskutil, hdiutil, unmount_by_force};
use crate::exit_code::ExitCode;
use crate::image::macos::testing::{Mac, Reaction, Says};
use crate::program::Call;
use crate::program::script::{Notes, Player, line};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

const WORK: &str = "/no-such/work/a-1";
const OURS: &str = "/no-such/work/a-1/image.dmg";
const THEIRS: &str = "/no-such/downloads/image.dmg";

/// Every call that detaches a device.
pub(crate) fn calls(disk: &str) -> [Call; 4] {
    [hdiutil(disk), diskutil(disk), unmount_by_force(disk), by_force(disk)]
}

fn ours() -> &'static Path {
    Path::new(OURS)
}

/// Ours and somebody else's, of the same name.
fn mac() -> Mac {
    Mac::with(&[(ours(), "disk4")]).and_theirs(Path::new(THEIRS), "disk6")
}

fn detached(mac: &Mac) -> (Detached, Notes) {
    let (mut programs, notes) = mac.programs();
    let done = detach(&mut programs, ours(), Tool::Hdiutil).unwrap();
    assert_eq!(mac.disks(), ["disk6"], "ours is gone, theirs is not");
    (done, notes)
}

/// What was asked but for the inventory.
fn commands(notes: &Notes) -> Vec<String> {
    notes.calls_of(&["hdiutil detach", "diskutil"])
}

#[test]
fn an_image_that_nobody_uses_is_detached_at_once() {
    let (done, notes) = detached(&mac());
    assert_eq!(done, Detached { asked: 1, forced: false, was_gone: false });
    assert_eq!(commands(&notes), ["hdiutil detach disk4"]);
    assert_eq!(notes.waited(), Duration::ZERO);
}

#[test]
fn the_other_program_may_be_asked_first() {
    let mac = mac();
    let (mut programs, notes) = mac.programs();
    detach(&mut programs, ours(), Tool::Diskutil).unwrap();
    assert_eq!(commands(&notes), ["diskutil eject disk4"]);
}

#[test]
fn an_image_that_is_not_attached_is_left_at_that() {
    let mac = Mac::default().and_theirs(Path::new(THEIRS), "disk6");
    let (done, notes) = detached(&mac);
    assert_eq!(done, Detached { asked: 0, forced: false, was_gone: true });
    assert!(commands(&notes).is_empty());
}

#[test]
fn a_busy_device_is_asked_again_by_the_other_program() {
    let (done, notes) = detached(&mac().but(|mac| mac.hdiutil.extend([Reaction::Busy; 9])));
    assert_eq!(done, Detached { asked: 2, forced: false, was_gone: false });
    assert_eq!(commands(&notes), ["hdiutil detach disk4", "diskutil eject disk4"]);
    assert_eq!(notes.waited(), Duration::from_millis(100));
}

#[test]
fn a_device_that_is_busy_for_a_while_is_waited_for() {
    let (done, notes) = detached(&mac().but(|mac| {
        mac.hdiutil.extend([Reaction::Busy; 3]);
        mac.diskutil.extend([Reaction::Dissent; 3]);
    }));
    assert_eq!(done, Detached { asked: 7, forced: false, was_gone: false });
    assert_eq!(notes.waited(), Duration::from_millis(100 + 200 + 400 + 800 + 1600 + 3200));
}

#[test]
fn a_device_that_stays_busy_is_forced() {
    let (done, notes) = detached(&mac().but(|mac| mac.stuck = true));
    assert_eq!(done, Detached { asked: 9, forced: true, was_gone: false });
    assert_eq!(commands(&notes)[7..], ["diskutil unmountDisk force disk4", "diskutil eject disk4"]);
    assert!(notes.waited() < Duration::from_secs(13), "{:?}", notes.waited());
}

#[test]
fn an_error_about_a_device_that_is_gone_is_none() {
    let (done, notes) = detached(&mac().but(|mac| mac.hdiutil.push_back(Reaction::WorksAndFails)));
    assert_eq!((done.asked, done.forced), (1, false));
    assert_eq!(notes.waited(), Duration::ZERO);
}

#[test]
fn a_program_that_hangs_does_not_stop_the_rest() {
    let (done, _) = detached(&mac().but(|mac| mac.hdiutil.push_back(Reaction::Hangs)));
    assert_eq!((done.asked, done.forced), (2, false));
    let (done, _) = detached(&mac().but(|mac| mac.hdiutil.push_back(Reaction::WorksAndHangs)));
    assert_eq!((done.asked, done.forced), (1, false));
    let (done, _) = detached(&mac().but(|mac| {
        mac.hdiutil.push_back(Reaction::Hangs);
        mac.diskutil.push_back(Reaction::Hangs);
    }));
    assert_eq!((done.asked, done.forced), (4, true));
}

#[test]
fn nothing_is_cut_short_or_forced_while_memory_may_still_be_written_out() {
    let times = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&times);
    let (mut inner, _) = mac().but(|mac| mac.stuck = true).programs();
    let (mut programs, _) = Player::programs(move |call| {
        if !line(call).contains("-plist") && call.program() != "ioreg" {
            seen.borrow_mut().push((call.shown().concat().contains("force"), call.time()));
        }
        inner.run(call)
    });
    detach(&mut programs, ours(), Tool::Hdiutil).unwrap();
    // 64 GB at 100 MB/s.
    let least = Duration::from_secs(640);
    let times = times.borrow();
    assert_eq!(times.len(), 9, "seven patient commands, and two by force");
    assert!(times.iter().take(7).all(|(forced, time)| !forced && *time > least), "{times:?}");
    assert!(times.iter().skip(7).all(|(_, time)| *time < least), "{times:?}");
}

#[test]
fn a_program_that_says_all_is_well_is_not_believed() {
    let (done, notes) = detached(&mac().but(|mac| mac.hdiutil.push_back(Reaction::Lies)));
    assert_eq!((done.asked, done.forced), (2, false));
    assert_eq!(notes.waited(), Duration::from_millis(3100));
}

#[test]
fn an_image_that_stays_attached_is_an_error_that_names_who_holds_it() {
    let mac = mac().but(|mac| {
        mac.hdiutil.extend([Reaction::Busy; 20]);
        mac.diskutil.extend([Reaction::Dissent; 20]);
        mac.immovable = true;
    });
    let (mut programs, notes) = mac.programs();
    let error = detach(&mut programs, ours(), Tool::Hdiutil).unwrap_err();
    assert_eq!(error.exit(), ExitCode::CellFailed);
    assert_eq!(
        error.line(),
        "the image stays attached as disk4 (diskutil: Unmount of disk4 failed: at least one volume could not be \
         unmounted; Unmount was dissented by PID 20848 (mds)): close what uses its volume, then run again"
    );
    assert_eq!(mac.disks(), ["disk4", "disk6"]);
    assert!(notes.waited() < Duration::from_secs(25), "{:?}", notes.waited());
}

#[test]
fn a_number_that_is_given_to_another_image_meanwhile_is_not_detached() {
    // The small Mac fails the test if any command names the device of an image that is not ours.
    for after in 1..40 {
        for stuck in [false, true] {
            let mac = Mac::with(&[(ours(), "disk4")]).but(|mac| {
                mac.stuck = stuck;
                mac.hdiutil.extend([Reaction::Busy; 4]);
                mac.diskutil.extend([Reaction::Dissent; 2]);
                mac.reused_after = Some((after, THEIRS.into()));
            });
            let (mut programs, _) = mac.programs();
            let done = detach(&mut programs, ours(), Tool::Hdiutil).unwrap();
            assert!(done.asked <= 9, "{after}: {done:?}");
        }
    }
}

#[test]
fn where_nobody_knows_what_is_attached_no_command_is_given() {
    let mac = mac().but(|mac| {
        mac.ioreg.extend([Says::Fails; 200]);
        mac.info.extend([Says::Fails; 200]);
    });
    let (mut programs, notes) = mac.programs();
    let error = detach(&mut programs, ours(), Tool::Hdiutil).unwrap_err();
    assert!(error.line().contains("neither ioreg nor hdiutil"), "{error}");
    assert!(commands(&notes).is_empty());
    assert_eq!(mac.disks(), ["disk4", "disk6"]);
}

#[test]
fn an_inventory_that_is_silent_for_a_while_is_waited_for() {
    let (done, _) = detached(&mac().but(|mac| {
        mac.ioreg.extend([Says::Fails; 7]);
        mac.info.extend([Says::Fails; 7]);
    }));
    assert_eq!((done.asked, done.forced), (1, false));
}

#[test]
fn of_a_folder_only_our_own_image_is_detached() {
    let mac = mac().and_theirs(Path::new("/no-such/work/a-10/image.dmg"), "disk8");
    let (mut programs, _) = mac.programs();
    detach_all_in(&mut programs, Path::new(WORK)).unwrap();
    assert_eq!(mac.disks(), ["disk6", "disk8"]);
    detach_all_in(&mut programs, Path::new(WORK)).unwrap();
}

#[test]
fn somebody_else_s_image_in_our_folder_or_on_our_volume_keeps_ours_attached() {
    for theirs in ["photos.dmg", "volume/image.dmg", "volume/files/photos.sparseimage"] {
        let mac = mac().and_theirs(&Path::new(WORK).join(theirs), "disk8");
        let (mut programs, notes) = mac.programs();
        let error = detach_all_in(&mut programs, Path::new(WORK)).unwrap_err();
        assert!(error.line().contains("as disk8: detach it"), "{error}");
        assert!(commands(&notes).is_empty());
    }
}

#[test]
fn nothing_is_known_of_a_folder_when_nobody_answers() {
    let mac = mac().but(|mac| {
        mac.ioreg.extend([Says::Nothing; 9]);
        mac.info.extend([Says::Fails; 9]);
    });
    assert!(detach_all_in(&mut mac.programs().0, Path::new(WORK)).is_err());
}

fn reactions() -> impl Strategy<Value = Vec<Reaction>> {
    let one = prop_oneof![
        Just(Reaction::Works),
        Just(Reaction::Busy),
        Just(Reaction::Dissent),
        Just(Reaction::WorksAndFails),
        Just(Reaction::Hangs),
        Just(Reaction::WorksAndHangs),
        Just(Reaction::Lies),
    ];
    vec(one, 0..12)
}

fn sayings() -> impl Strategy<Value = Vec<Says>> {
    vec(prop_oneof![Just(Says::All), Just(Says::Fails)], 0..30)
}

proptest! {
    #[test]
    fn however_a_mac_misbehaves_it_comes_to_an_end_and_no_other_image_is_touched(
        hdiutil in reactions(),
        diskutil in reactions(),
        (ioreg, info) in (sayings(), sayings()),
        (stuck, immovable) in (any::<bool>(), any::<bool>()),
        reused_after in 0_usize..60,
    ) {
        let mac = mac().but(|mac| {
            mac.hdiutil.extend(hdiutil);
            mac.diskutil.extend(diskutil);
            mac.ioreg.extend(ioreg);
            mac.info.extend(info);
            mac.stuck = stuck;
            mac.immovable = immovable;
            mac.reused_after = Some((reused_after, THEIRS.into()));
        });
        let (mut programs, notes) = mac.programs();
        let ended_well = detach(&mut programs, ours(), Tool::Hdiutil).is_ok();
        assert!(mac.disks().contains(&"disk6".to_owned()));
        assert!(!ended_well || !mac.serves(ours()));
        assert!(notes.waited() < Duration::from_secs(40), "{:?}", notes.waited());
    }
}

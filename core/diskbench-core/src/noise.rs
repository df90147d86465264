//! Noise suppression while measuring: the machine stays awake, and this process runs at the priority of foreground
//! work.
//!
//! The record has the effective measures, not the requested ones. The driver suppresses noise on the image and its
//! volume ([`crate::image::ImageDriver::quiet`]).

use system::policy::{self, Policies};

use crate::program::{Beside, Call, tools};
use crate::record::Quiet;
use crate::warning::{Warning, WarningCode as Code};

/// The requested class.
pub(crate) const CLASS: &str = "user-initiated";

/// The requested policy.
pub(crate) const POLICY: &str = "important";

/// Noise suppression, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Suppression {
    /// Keeps the machine awake; none if it is missing or could not be started.
    awake: Option<Beside>,
    /// Whether this is a Mac, or there are stand-ins.
    on_a_mac: bool,
    policies: fn() -> Policies,
}

impl Suppression {
    /// Starts noise suppression as far as this system permits; nothing on Linux.
    pub(crate) fn keep() -> Self {
        policy::ask_for_hurry();
        let on_a_mac = tools::are_of_macos();
        Self {
            awake: if on_a_mac { Beside::start(&stay_awake()) } else { None },
            on_a_mac,
            policies: policy::reached,
        }
    }

    /// On a Mac that cannot be kept awake, where these policies are all that was granted.
    #[cfg(test)]
    pub(crate) const fn refused(policies: fn() -> Policies) -> Self {
        Self { awake: None, on_a_mac: true, policies }
    }

    /// The effective measures so far, of the machine and of the image's driver; none without any.
    pub(crate) fn reached(&mut self, of_image: Option<Quiet>) -> Option<Quiet> {
        let awake = self.awake.as_mut().is_some_and(Beside::still_runs);
        let found = (self.policies)();
        let all = Quiet {
            sleep_prevented: self.on_a_mac.then_some(awake),
            qos_class: found.qos_class.map(|class| class_name(class).to_owned()),
            io_policy: io_policy(found).map(str::to_owned),
            ..of_image.unwrap_or_default()
        };
        (all != Quiet::default()).then_some(all)
    }
}

/// The system may not sleep while idle (`-i`) or on the mains (`-s`), nor the disk (`-m`), until we end, however that
/// comes (`-w`). See caffeinate(8).
fn stay_awake() -> Call {
    Call::new("caffeinate").args(["-i", "-s", "-m", "-w"]).arg(std::process::id().to_string())
}

/// The names of the classes, from `sys/qos.h` of macOS.
const fn class_name(class: u32) -> &'static str {
    match class {
        0x21 => "user-interactive",
        0x19 => CLASS,
        0x15 => "default",
        0x11 => "utility",
        0x09 => "background",
        _ => "unspecified",
    }
}

/// The effective policy: the slower one of process and thread; background work is always throttled. Names and numbers
/// from `sys/resource.h` of macOS, from the fastest to the slowest. The kernel has one tier for "important" and "default",
/// and answers "default" for it, also where "important" was requested (`proc_tier_to_iopol`, XNU's `task_policy.c`).
fn io_policy(found: Policies) -> Option<&'static str> {
    const POLICIES: [(i32, &str); 6] = [
        (0, POLICY),
        (1, POLICY),
        (2, "passive"),
        (5, "standard"),
        (4, "utility"),
        (3, "throttle"),
    ];
    if found.background == Some(true) {
        return Some("throttle");
    }
    let place = |policy: i32| POLICIES.iter().position(|(number, _)| *number == policy);
    let slowest = found.io.into_iter().flatten().filter_map(place).max()?;
    POLICIES.get(slowest).map(|(_, name)| *name)
}

/// A sentence for each requested measure that was not effective.
pub(crate) fn warnings(quiet: &Quiet) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(class) = quiet.qos_class.as_deref().filter(|class| *class != CLASS) {
        warnings.push(Warning::new(Code::LowClass, format!(
            "the measuring thread had the quality of service {class}, not {CLASS}: it may have run slowly"
        )));
    }
    match quiet.io_policy.as_deref() {
        None | Some(POLICY) => {}
        Some(policy @ ("throttle" | "utility")) => warnings.push(Warning::new(Code::IoPolicy, format!(
            "the I/O policy was {policy}, not {POLICY}: the figures show the throttling, not the disk"
        ))),
        Some(policy) => warnings.push(Warning::new(Code::IoPolicy, format!("the I/O policy was {policy}, not {POLICY}"))),
    }
    let refused = [
        (quiet.sleep_prevented, Code::MaySleep, "the machine could not be kept awake"),
        (
            quiet.indexing_off,
            Code::Indexed,
            "Spotlight indexing was not turned off for the image's volume: it may have read there",
        ),
        (
            quiet.event_log_off,
            Code::EventLog,
            "the image's volume kept a log of file system changes, which takes time to write",
        ),
        (
            quiet.backup_off,
            Code::BackedUp,
            "Time Machine was not kept from the image or the files, and may have read them",
        ),
    ];
    let refused = refused.into_iter().filter(|(reached, ..)| *reached == Some(false));
    warnings.extend(refused.map(|(_, code, words)| Warning::new(code, words)));
    warnings
}

#[cfg(test)]
mod tests {
    use super::{Code, Policies, Quiet, Suppression, class_name, io_policy, stay_awake, warnings};

    fn of_mac() -> Quiet {
        Quiet {
            sleep_prevented: Some(true),
            qos_class: Some("user-initiated".into()),
            io_policy: Some("important".into()),
            ..Quiet::default()
        }
    }

    #[test]
    fn the_machine_stays_awake_until_this_very_process_ends() {
        let own = std::process::id().to_string();
        assert_eq!(stay_awake().shown(), ["-i", "-s", "-m", "-w", own.as_str()]);
    }

    #[test]
    fn the_slower_policy_of_process_and_thread_decides_and_background_is_throttled() {
        let policy = |process, thread, background| {
            io_policy(Policies { io: [process, thread], background, ..Policies::default() })
        };
        assert_eq!(policy(Some(1), Some(0), Some(false)), Some("important"));
        // what macOS answers after it was asked for "important"
        assert_eq!(policy(Some(0), Some(0), Some(false)), Some("important"));
        assert_eq!(policy(Some(0), Some(2), Some(false)), Some("passive"));
        assert_eq!(policy(Some(1), Some(3), Some(false)), Some("throttle"));
        assert_eq!(policy(Some(4), Some(1), None), Some("utility"));
        assert_eq!(policy(Some(5), Some(4), None), Some("utility"));
        assert_eq!(policy(Some(5), Some(1), None), Some("standard"));
        assert_eq!(policy(Some(1), Some(1), Some(true)), Some("throttle"));
        assert_eq!(policy(Some(77), None, None), None);
        assert_eq!(policy(None, None, None), None);
    }

    #[test]
    fn classes_have_the_names_of_macos() {
        let names = [0x21, 0x19, 0x15, 0x11, 0x09, 0].map(class_name);
        assert_eq!(
            names,
            [
                "user-interactive",
                "user-initiated",
                "default",
                "utility",
                "background",
                "unspecified"
            ]
        );
    }

    #[test]
    fn where_nothing_was_tried_nothing_is_told() {
        let policies = Policies::default;
        let mut elsewhere = Suppression { awake: None, on_a_mac: false, policies };
        assert_eq!(elsewhere.reached(None), None);
        assert_eq!(elsewhere.reached(Some(Quiet::default())), None);
    }

    #[test]
    fn only_what_was_asked_for_and_not_reached_earns_a_warning() {
        assert_eq!(warnings(&of_mac()), Vec::new());
        assert_eq!(warnings(&Quiet::default()), Vec::new());
        let cases = [
            (
                Quiet { io_policy: Some("throttle".into()), ..of_mac() },
                Code::IoPolicy,
                "the I/O policy was throttle, not important: the figures show the throttling",
            ),
            (
                Quiet { io_policy: Some("standard".into()), ..of_mac() },
                Code::IoPolicy,
                "the I/O policy was standard, not important",
            ),
            (
                Quiet { qos_class: Some("background".into()), ..of_mac() },
                Code::LowClass,
                "the measuring thread had the quality of service background",
            ),
            (
                Quiet { sleep_prevented: Some(false), ..of_mac() },
                Code::MaySleep,
                "the machine could not be kept awake",
            ),
            (
                Quiet { indexing_off: Some(false), ..of_mac() },
                Code::Indexed,
                "Spotlight indexing was not turned off",
            ),
            (
                Quiet { event_log_off: Some(false), ..of_mac() },
                Code::EventLog,
                "the image's volume kept a log of file system changes",
            ),
            (
                Quiet { backup_off: Some(false), ..of_mac() },
                Code::BackedUp,
                "Time Machine was not kept from the image or the files",
            ),
        ];
        for (quiet, code, expected) in cases {
            let found = warnings(&quiet);
            assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), [code]);
            assert!(found[0].text.starts_with(expected), "{found:?}");
        }
    }

    #[test]
    #[cfg(target_os = "macos")]
    fn on_a_mac_hurry_is_reached() {
        system::policy::ask_for_hurry();
        let found = system::policy::reached();
        assert_eq!(found.qos_class.map(class_name), Some(super::CLASS));
        assert_eq!(io_policy(found), Some(super::POLICY));
    }
}

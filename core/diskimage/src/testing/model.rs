//! Lengths and sequences of actions that proptest makes up: after each one an image must hold just what its reference
//! holds.

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use system::flush::Durability;

pub(crate) use crate::testing::content;
pub(crate) use crate::testing::reference::assert_same;

use crate::disk::DiskImage;
use crate::testing::reference::Reference;

/// One action on a disk. Offsets and lengths are cut to the disk.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// Write so many bytes made from the seed.
    Write { offset: u64, length: u64, seed: u8 },
    /// Discard a range.
    Discard { offset: u64, length: u64 },
    /// Flush.
    Flush,
    /// Flush, drop the disk and open it again.
    Reopen,
    /// Compact.
    Compact,
    /// Compare a range.
    Read { offset: u64, length: u64 },
}

/// Longest disk that is made up, in bytes. Larger than a few of the smallest bands.
pub(crate) const LONGEST: u64 = 6 << 20;

/// Actions on disks: places and lengths lie on and beside sectors, chunks and bands, and anywhere.
pub(crate) fn actions() -> impl Strategy<Value = Vec<Action>> {
    let place = || {
        prop_oneof![
            any::<u64>().prop_map(|n| n % LONGEST),
            any::<u64>().prop_map(|n| n % LONGEST / 512 * 512),
            any::<u64>().prop_map(|n| n % LONGEST / 4096 * 4096),
            (any::<u64>(), 0_u64..3)
                .prop_map(|(n, d)| (n % LONGEST / (1 << 20) * (1 << 20) + d).saturating_sub(1)),
        ]
    };
    let length =
        || prop_oneof![0_u64..2000, Just(512), Just(4096), Just(1 << 20), 0..(3_u64 << 20)];
    proptest::collection::vec(
        prop_oneof![
            6 => (place(), length(), any::<u8>())
                .prop_map(|(offset, length, seed)| Action::Write { offset, length, seed }),
            3 => (place(), length()).prop_map(|(offset, length)| Action::Discard { offset, length }),
            1 => Just(Action::Flush),
            2 => Just(Action::Reopen),
            1 => Just(Action::Compact),
            2 => (place(), length()).prop_map(|(offset, length)| Action::Read { offset, length }),
        ],
        1..20,
    )
}

/// Lengths of disks: whole sectors.
pub(crate) fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![Just(512_u64), Just(1 << 20), (1..LONGEST / 512).prop_map(|n| n * 512)]
}

/// Runs made-up actions on disks that `create` makes and `reopen` opens again from what `create` gave beside the disk.
pub(crate) fn check<Place>(
    create: impl Fn(u64) -> (Box<dyn DiskImage>, Place),
    reopen: impl Fn(&Place) -> Box<dyn DiskImage>,
) {
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&(lengths(), actions()), |(len_bytes, actions)| {
            let (disk, place) = create(len_bytes);
            run(disk, &place, &reopen, len_bytes, &actions);
            Ok(())
        })
        .unwrap();
}

/// Runs these actions and compares with a plain row of bytes.
pub(crate) fn run<Place>(
    mut disk: Box<dyn DiskImage>,
    place: &Place,
    reopen: &impl Fn(&Place) -> Box<dyn DiskImage>,
    len_bytes: u64,
    actions: &[Action],
) {
    assert_eq!(disk.len_bytes(), len_bytes);
    let mut reference = Reference::new(len_bytes);
    let cut = |offset: u64, length: u64| {
        let offset = offset % len_bytes;
        (offset, length.min(len_bytes - offset))
    };
    for action in actions {
        match *action {
            Action::Write { offset, length, seed } => {
                let (offset, length) = cut(offset, length);
                reference.write(disk.as_mut(), &content(seed, length), offset).unwrap();
            }
            Action::Discard { offset, length } => {
                let (offset, length) = cut(offset, length);
                reference.discard(disk.as_mut(), offset, length).unwrap();
            }
            Action::Flush => disk.flush(Durability::None).unwrap(),
            Action::Reopen => {
                disk.flush(Durability::None).unwrap();
                drop(disk);
                disk = reopen(place);
                assert_eq!(disk.len_bytes(), len_bytes);
            }
            Action::Compact => disk.compact().unwrap(),
            Action::Read { offset, length } => {
                let (offset, length) = cut(offset, length);
                reference.compare(disk.as_mut(), offset, length).unwrap();
            }
        }
    }
    reference.compare_all(disk.as_mut());
    disk.flush(Durability::None).unwrap();
    drop(disk);
    reference.compare_all(reopen(place).as_mut());
}

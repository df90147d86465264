//! Synthetic tables of processes: what is counted, and what is reported.

use system::processes::{Identity, Seen, Used};

use super::{PROGRAMS, between};
use crate::record::ProcessUse;

fn seen(name: &'static str, number: u32, started: u64, used: Option<[u64; 4]>) -> Seen {
    let used = used.map(|[cpu_ns, read_bytes, written_bytes, energy]| Used {
        cpu_ns,
        read_bytes,
        written_bytes,
        energy_nj: Some(energy),
    });
    Seen { name, process: Identity { number, started }, used }
}

/// The one line of a table that has one.
fn only(before: &[Seen], after: &[Seen]) -> ProcessUse {
    let mut found = between(before, after);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// Count, ended, and the four values.
fn values(found: &ProcessUse) -> (u32, u32, [Option<u64>; 4]) {
    (
        found.count,
        found.ended,
        [found.cpu_ns, found.read_bytes, found.written_bytes, found.energy_nj],
    )
}

const NULLS: [Option<u64>; 4] = [None; 4];

#[test]
fn what_a_process_used_is_the_difference_of_two_looks() {
    let found = only(
        &[seen("diskimagesiod", 300, 7, Some([1_000, 10, 20, 5]))],
        &[seen("diskimagesiod", 300, 7, Some([24_000, 4_106, 8_212, 105]))],
    );
    assert_eq!(values(&found), (1, 0, [Some(23_000), Some(4_096), Some(8_192), Some(100)]));
    assert!(found.permitted);
}

#[test]
fn processes_of_one_name_are_summed_and_names_stand_in_their_order() {
    let before = [
        seen("mds", 50, 1, Some([100, 0, 0, 0])),
        seen("diskimages-helper", 301, 8, Some([5, 5, 5, 5])),
        seen("diskimages-helper", 302, 9, Some([7, 7, 7, 7])),
    ];
    let after = [
        seen("diskimages-helper", 302, 9, Some([8, 9, 10, 11])),
        seen("mds", 50, 1, Some([100, 0, 0, 0])),
        seen("diskimages-helper", 301, 8, Some([15, 25, 35, 45])),
    ];
    let found = between(&before, &after);
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["diskimages-helper", "mds"]);
    assert_eq!(values(&found[0]), (2, 0, [Some(11), Some(22), Some(33), Some(44)]));
    assert_eq!(values(&found[1]), (1, 0, [Some(0); 4]));
    assert!(PROGRAMS.is_sorted());
}

#[test]
fn a_process_that_began_meanwhile_counts_from_its_beginning() {
    let found = only(&[], &[seen("mdworker_shared", 900, 50, Some([3, 4, 5, 6]))]);
    assert_eq!(values(&found), (1, 0, [Some(3), Some(4), Some(5), Some(6)]));
}

#[test]
fn one_that_ended_is_told_and_not_counted() {
    let found = only(&[seen("hdiejectd", 9, 1, Some([100; 4]))], &[]);
    assert_eq!(values(&found), (1, 1, [Some(0); 4]));
}

#[test]
fn a_number_that_is_used_again_is_another_process() {
    let found = only(
        &[seen("diskimages-helper", 301, 8, Some([900; 4]))],
        &[seen("diskimages-helper", 301, 99, Some([4; 4]))],
    );
    assert_eq!(values(&found), (2, 1, [Some(4); 4]));
}

#[test]
fn a_count_that_goes_back_counts_for_nothing() {
    let found = only(
        &[seen("mds", 50, 1, Some([100, 200, 300, 400]))],
        &[seen("mds", 50, 1, Some([150, 10, 300, 0]))],
    );
    assert_eq!(values(&found), (1, 0, [Some(50), Some(0), Some(0), Some(0)]));
}

#[test]
fn where_one_of_several_may_not_be_looked_at_nothing_is_said_of_them() {
    let before = [seen("mds_stores", 1, 1, Some([1; 4])), seen("mds_stores", 2, 0, None)];
    let found = only(&before, &before);
    assert_eq!((found.permitted, values(&found)), (false, (2, 0, NULLS)));
    // Nor without permission, or after it has ended.
    let [allowed, refused] = [Some([1; 4]), None].map(|used| seen("mds_stores", 3, 4, used));
    for (before, after) in
        [(&[allowed][..], &[refused][..]), (&[refused], &[allowed]), (&[refused], &[])]
    {
        let found = only(before, after);
        assert_eq!((found.permitted, found.count, found.cpu_ns), (false, 1, None));
    }
}

#[test]
fn energy_that_one_of_them_does_not_count_is_not_told() {
    let uncounted = |cpu_ns| Used { cpu_ns, energy_nj: None, ..Used::default() };
    let at = |cpu_ns| Seen { used: Some(uncounted(cpu_ns)), ..seen("mds", 1, 1, None) };
    let other = |energy| seen("mds", 2, 1, Some([0, 0, 0, energy]));
    let found = only(&[at(1), other(10)], &[at(5), other(30)]);
    assert_eq!((found.cpu_ns, found.energy_nj, found.permitted), (Some(4), None, true));
}

#[test]
fn where_nothing_serves_images_there_is_nothing_to_tell() {
    assert_eq!(between(&[], &[]), Vec::new());
}

#[test]
#[cfg(not(target_os = "macos"))]
fn a_watch_compares_what_was_there_with_what_is() {
    let before = vec![seen("diskimagesiod", 300, 7, Some([1; 4]))];
    let told = super::Watch { before, begun_ns: 0 }.end();
    assert_eq!((told.processes.len(), told.processes[0].ended), (1, 1), "none is here now");
    assert!(told.elapsed_ns > 0);
}

//! The order of steps and files, with exact numbers, on the stand-in and its clock.

mod recorder;

use super::{Engine, Keep, Nobody, Outcome, Watcher};
use crate::cell::{Cell, Phase, Step, Which};
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::record::{Op, Snapshot, StepRecord};
use crate::testing::{cell, record};
use crate::transfer::Timing;
use crate::units::SECOND_NS;
use crate::workload::FileSpec;
use crate::workload::ledger::Ledger;
use recorder::{FILE_NS, FakeClock, Notes, OPERATION_NS, Recorder};
use std::cell::RefCell;
use std::rc::Rc;

/// Runs these phases; returns the results and every call of the driver.
fn run(
    cell: &Cell,
    phases: &[(&Phase, Keep)],
    fault: Option<(&str, Error)>,
) -> (Result<(), Error>, Outcome, Vec<String>) {
    let clock = FakeClock::default();
    let mut driver = Recorder::new(clock.clone());
    let notes = driver.notes();
    notes.borrow_mut().fault = fault.map(|(place, error)| (place.to_owned(), error));
    let mut nobody = Nobody;
    let mut engine = Engine::new(cell, &mut driver, &clock, &mut nobody);
    let mut outcome = Outcome::default();
    let mut result = Ok(());
    for (phase, keep) in phases {
        result = engine.run(phase, *keep, &mut outcome);
        if result.is_err() {
            break;
        }
    }
    let calls = notes.borrow().calls.clone();
    (result, outcome, calls)
}

fn phase(steps: Vec<Step>) -> Phase {
    Phase { phase: "fresh".into(), steps }
}

#[test]
fn steps_run_in_order_and_files_in_seeded_order_read_back_as_written() {
    let cell = cell();
    let (result, _, calls) = run(&cell, &[(&cell.phases[0], Keep::Everything)], None);
    result.unwrap();
    let names: Vec<String> =
        crate::workload::order::round_files(&cell, 1).iter().map(FileSpec::name).collect();
    let mut expected = vec!["create".to_owned(), "detach".into(), "sizes".into(), "attach".into()];
    expected.extend(names.iter().map(|name| format!("write {name}")));
    expected.extend(["detach".to_owned(), "attach".into()]);
    expected.extend(names.iter().map(|name| format!("read {name}")));
    expected.extend(names[3..].iter().map(|name| format!("delete {name}")));
    expected.extend(["detach".to_owned(), "sizes".into()]);
    assert_eq!(calls, expected);
}

#[test]
fn times_are_those_of_the_clock_to_the_nanosecond() {
    let cell = cell();
    let (result, outcome, _) = run(&cell, &[(&cell.phases[0], Keep::Everything)], None);
    result.unwrap();
    let round: u64 = 2 * (10_000 + 4096 + 70_001 + 3 * FILE_NS);
    let expected = [
        ("create", OPERATION_NS),
        ("detach", OPERATION_NS),
        ("measure", OPERATION_NS),
        ("attach", OPERATION_NS),
        ("settle", 10 * SECOND_NS),
        ("write", round),
        ("detach", OPERATION_NS),
        ("attach", OPERATION_NS),
        ("read", round),
        ("delete", 0),
        ("detach", OPERATION_NS),
        ("measure", OPERATION_NS),
    ];
    let steps: Vec<(&str, u64)> =
        outcome.steps.iter().map(|step| (step.step.as_str(), step.elapsed_ns)).collect();
    assert_eq!(steps, expected);
    assert_eq!(outcome.samples.len(), 12);
    for sample in &outcome.samples {
        assert_eq!(sample.elapsed_ns, sample.size_bytes + FILE_NS);
    }
    let states: Vec<(&str, u64)> =
        outcome.sizes.iter().map(|size| (size.state.as_str(), size.allocated_bytes)).collect();
    assert_eq!(states, [("new", 0), ("partly-emptied", 84_097)]);
}

#[test]
fn the_order_of_samples_counts_on_over_several_rounds_of_a_phase() {
    let mut cell = cell();
    cell.sets = 1;
    let phase =
        phase(vec![Step::Create {}, Step::Write {}, Step::Read {}, Step::Write {}, Step::Read {}]);
    let (result, outcome, _) = run(&cell, &[(&phase, Keep::Everything)], None);
    result.unwrap();
    for op in [Op::Write, Op::Read] {
        let orders: Vec<u32> =
            outcome.samples.iter().filter(|sample| sample.op == op).map(|s| s.order).collect();
        assert_eq!(orders, [1, 2, 3, 4, 5, 6]);
    }
}

#[test]
fn a_replayed_phase_keeps_nothing_and_neither_waits_nor_measures() {
    let cell = cell();
    let phases = [(&cell.phases[0], Keep::Nothing), (&cell.phases[1], Keep::Everything)];
    let (result, outcome, calls) = run(&cell, &phases, None);
    result.unwrap();
    assert!(!calls.contains(&"sizes".to_owned()), "{calls:?}");
    assert_eq!(outcome.samples.len(), 12);
    // The second round has its own files, whether or not the first was recorded.
    assert!(calls.contains(&"write r02-s01-0001.bin".to_owned()));
    assert_eq!(outcome.steps.len(), cell.phases[1].steps.len());
}

#[test]
fn churn_writes_a_new_round_each_time_and_deletes_the_largest_of_the_newest() {
    let mut cell = cell();
    cell.sets = 1;
    let largest = || Step::Delete { which: Which::Largest, sets: None, files: Some(1) };
    let steps = vec![
        Step::Create {},
        Step::Write {},
        largest(),
        Step::Write {},
        largest(),
        Step::Detach {},
    ];
    let (result, _, calls) = run(&cell, &[(&phase(steps), Keep::Everything)], None);
    result.unwrap();
    let deleted: Vec<&String> = calls.iter().filter(|call| call.starts_with("delete")).collect();
    assert_eq!(deleted.len(), 2);
    assert!(
        deleted[0].starts_with("delete r01") && deleted[1].starts_with("delete r02"),
        "{deleted:?}"
    );
}

#[test]
fn a_phase_that_ends_attached_is_detached_without_a_step_of_its_own() {
    let cell = cell();
    let phase = phase(vec![Step::Create {}, Step::Write {}]);
    let (result, outcome, calls) = run(&cell, &[(&phase, Keep::Everything)], None);
    result.unwrap();
    assert_eq!(calls.last().unwrap(), "detach");
    assert_eq!(outcome.steps.len(), 2);
}

#[test]
fn a_compaction_that_failed_is_told_and_all_after_it_is_done() {
    let cell = cell();
    let phase = phase(vec![
        Step::Create {},
        Step::Detach {},
        Step::Compact {},
        Step::Measure { state: "compacted".into() },
    ]);
    for fails in [false, true] {
        let clock = FakeClock::default();
        let mut driver = Recorder::new(clock.clone());
        driver.notes().borrow_mut().compacts_nothing = fails;
        let (mut nobody, mut outcome) = (Nobody, Outcome::default());
        let mut engine = Engine::new(&cell, &mut driver, &clock, &mut nobody);
        engine.run(&phase, Keep::Everything, &mut outcome).unwrap();
        assert_eq!(outcome.not_compacted, fails);
        assert_eq!((outcome.steps.len(), outcome.sizes.len()), (4, 1));
    }
}

#[test]
fn reads_of_what_never_left_memory_are_counted_as_warm() {
    let cell = cell();
    let warm = phase(vec![Step::Create {}, Step::Write {}, Step::Read {}]);
    let (_, outcome, _) = run(&cell, &[(&warm, Keep::Everything)], None);
    assert_eq!(outcome.warm_read_bytes, 168_194);
    let twice = phase(vec![Step::Create {}, Step::Write {}, Step::Read {}, Step::Read {}]);
    let (_, outcome, _) = run(&cell, &[(&twice, Keep::Everything)], None);
    assert_eq!(outcome.warm_read_bytes, 2 * 168_194, "of as many bytes that were read");
    let (_, outcome, _) = run(&cell, &[(&cell.phases[0], Keep::Everything)], None);
    assert_eq!(outcome.warm_read_bytes, 0);
}

/// Create, write, detach, restart, attach, read, detach.
fn restarting() -> Phase {
    phase(vec![
        Step::Create {},
        Step::Write {},
        Step::Detach {},
        Step::Restart {},
        Step::Attach {},
        Step::Read {},
        Step::Detach {},
    ])
}

#[test]
fn a_restart_of_this_machine_ends_the_phase_with_the_steps_before_it() {
    let request = Error::new(ExitCode::RestartNeeded, "restart");
    let phase = restarting();
    let (result, outcome, calls) =
        run(&cell(), &[(&phase, Keep::Everything)], Some(("restart", request.clone())));
    assert_eq!(result.unwrap_err(), request, "in its own words");
    let steps: Vec<&str> = outcome.steps.iter().map(|step| step.step.as_str()).collect();
    assert_eq!(steps, ["create", "write", "detach"]);
    assert_eq!(outcome.samples.len(), 6);
    assert_eq!(calls.last().unwrap(), "restart", "the image is detached already");
}

#[test]
fn a_phase_goes_on_after_the_restart_with_its_next_step_and_reads_cold() {
    let cell = cell();
    let phase = restarting();
    // The result of the first part, from a run without a restart.
    let (_, whole, _) = run(&cell, &[(&phase, Keep::Everything)], None);
    let mut outcome = Outcome {
        steps: whole.steps[..4].to_vec(),
        samples: whole.samples[..6].to_vec(),
        ..Outcome::default()
    };
    let mut ledger = Ledger::new();
    for file in ledger.begin_round(&cell) {
        ledger.add(file);
    }
    let clock = FakeClock::default();
    let mut driver = Recorder::new(clock.clone());
    let notes = driver.notes();
    let mut nobody = Nobody;
    Engine::new(&cell, &mut driver, &clock, &mut nobody)
        .after_restart(ledger)
        .run_from(&phase, 4, Keep::Everything, &mut outcome)
        .unwrap();
    assert_eq!(outcome, whole, "samples counted from 1 in each direction, and none of them warm");
    let calls = notes.borrow().calls.clone();
    assert_eq!((calls[0].as_str(), calls.len()), ("attach", 8));
}

#[test]
fn a_replayed_phase_restarts_nothing() {
    let request = Error::new(ExitCode::RestartNeeded, "restart");
    let (result, _, calls) =
        run(&cell(), &[(&restarting(), Keep::Nothing)], Some(("restart", request)));
    result.unwrap();
    assert!(!calls.contains(&"restart".to_owned()), "{calls:?}");
}

#[test]
fn a_failure_names_its_step_keeps_what_was_measured_and_detaches() {
    let cell = cell();
    let fault = ("write r01-s01-0003.bin", Error::step("the disk is full: free some space"));
    let (result, outcome, calls) = run(&cell, &[(&cell.phases[0], Keep::Everything)], Some(fault));
    let error = result.unwrap_err();
    assert_eq!(error.line(), "step 6 of phase fresh (write): the disk is full: free some space");
    assert_eq!(error.exit(), ExitCode::CellFailed);
    assert_eq!(outcome.samples.len(), 2);
    assert_eq!(
        outcome.steps.last().unwrap().note.as_deref(),
        Some("the disk is full: free some space")
    );
    assert_eq!(calls.last().unwrap(), "detach");
}

#[test]
fn a_broken_invariant_is_an_internal_error_of_its_step_and_nothing_stays_attached() {
    let cell = cell();
    let clock = FakeClock::default();
    let mut driver = Recorder::new(clock.clone());
    let notes = driver.notes();
    let mut outcome = Outcome::default();
    let mut watcher = Breaking;
    let mut engine = Engine::new(&cell, &mut driver, &clock, &mut watcher);
    let error = engine.run(&cell.phases[0], Keep::Everything, &mut outcome).unwrap_err();
    assert_eq!(error.exit(), ExitCode::Unexpected);
    let line = error.line();
    assert!(line.starts_with("step 6 of phase fresh (write): internal error"), "{line}");
    assert!(line.contains("no file of this name"), "{line}");
    assert_eq!(outcome.steps.len(), 6);
    assert_eq!(notes.borrow().calls.last().unwrap(), "detach");
}

/// Panics as soon as a file was written.
struct Breaking;

impl Watcher for Breaking {
    fn file(&mut self, _op: Op, file: FileSpec, _timing: Timing) {
        panic!("no file of this name: {}", file.order)
    }

    fn step(&mut self, _step: &StepRecord) {}
}

#[test]
fn the_machine_is_looked_at_after_each_pass_that_is_measured() {
    let cell = cell();
    let clock = FakeClock::default();
    let mut driver = Recorder::new(clock.clone());
    let mut watcher = Looking;
    let mut outcome = Outcome::default();
    let mut engine = Engine::new(&cell, &mut driver, &clock, &mut watcher);
    engine.run(&cell.phases[0], Keep::Nothing, &mut outcome).unwrap();
    assert_eq!(outcome.meanwhile, []);
    engine.run(&cell.phases[1], Keep::Everything, &mut outcome).unwrap();
    let moments: Vec<&str> = outcome.meanwhile.iter().map(|(when, _)| when.as_str()).collect();
    assert_eq!(moments, ["after step 2 (write) of", "after step 5 (read) of"]);
}

/// Sees a quiet machine.
struct Looking;

impl Watcher for Looking {
    fn file(&mut self, _op: Op, _file: FileSpec, _timing: Timing) {}

    fn step(&mut self, _step: &StepRecord) {}

    fn state(&self) -> Option<Snapshot> {
        Some(record().conditions.before)
    }
}

#[test]
fn an_interruption_keeps_its_own_words() {
    let cell = cell();
    let fault = ("read r01-s01-0001.bin", Error::interrupted());
    let (result, _, _) = run(&cell, &[(&cell.phases[0], Keep::Everything)], Some(fault));
    assert_eq!(result.unwrap_err(), Error::interrupted());
}

#[test]
fn discard_throws_the_image_away_and_only_create_can_follow() {
    let cell = cell();
    let good = phase(vec![Step::Create {}, Step::Detach {}, Step::Discard {}, Step::Create {}]);
    run(&cell, &[(&good, Keep::Everything)], None).0.unwrap();
    let bad = phase(vec![Step::Create {}, Step::Detach {}, Step::Discard {}, Step::Attach {}]);
    let error = run(&cell, &[(&bad, Keep::Everything)], None).0.unwrap_err();
    assert!(error.line().contains("there is no image"), "{error}");
}

#[test]
fn an_image_that_is_not_what_was_requested_is_detached_and_nothing_is_timed_on_it() {
    let cell = cell();
    for steps in [
        vec![Step::Create {}, Step::Write {}],
        // Only the second attach shows it.
        vec![Step::Create {}, Step::Detach {}, Step::Attach {}, Step::Write {}],
    ] {
        let phase = Phase { phase: "fresh".into(), steps };
        let clock = FakeClock::default();
        let mut driver = Recorder::new(clock.clone());
        let notes = driver.notes();
        let mut swapping = Swapping { notes: Rc::clone(&notes), before: phase.steps.len() - 2 };
        if swapping.before == 0 {
            notes.borrow_mut().effective.on_image = Some(true);
        }
        let mut outcome = Outcome::default();
        let mut engine = Engine::new(&cell, &mut driver, &clock, &mut swapping);
        let error = engine.run(&phase, Keep::Everything, &mut outcome).unwrap_err();
        assert_eq!(error.exit(), ExitCode::CellFailed);
        let line = error.line();
        assert!(line.contains("on an image true instead of false; nothing was timed"), "{line}");
        assert_eq!((outcome.samples.len(), outcome.steps.len()), (0, phase.steps.len() - 1));
        let image = outcome.image.unwrap();
        assert_eq!((image.requested.on_image, image.effective.on_image), (Some(false), Some(true)));
        assert_eq!(notes.borrow().calls.last().unwrap(), "detach");
    }
}

/// Changes its image after this many steps.
struct Swapping {
    notes: Rc<RefCell<Notes>>,
    before: usize,
}

impl Watcher for Swapping {
    fn file(&mut self, _op: Op, _file: FileSpec, _timing: Timing) {}

    fn step(&mut self, _step: &StepRecord) {
        self.before = self.before.saturating_sub(1);
        if self.before == 0 {
            self.notes.borrow_mut().effective.on_image = Some(true);
        }
    }
}

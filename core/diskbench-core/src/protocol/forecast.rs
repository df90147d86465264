//! What a protocol will do, found by running it on an image that holds nothing but sizes.

use crate::cell::{Cell, Phase, Step};
use crate::clock::Still;
use crate::error::{Error, Result};
use crate::image::stand_in::StandIn;
use crate::image::{self, Peak};
use crate::protocol::{Engine, Keep, Nobody, Outcome};
use crate::record::Op;
use crate::workload::ledger::Ledger;

/// What one phase will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Forecast {
    /// Name of the phase.
    pub phase: String,
    /// The peak use of the volume during the phase.
    pub peak: Peak,
    /// Most bytes of the disk that the image then takes.
    pub peak_bytes: u64,
    /// Seconds of waiting.
    pub settle_seconds: u64,
    /// The expected content of the phase's record, except for times.
    pub outcome: Outcome,
    /// The files on the volume after the phase.
    pub ledger: Ledger,
    /// Whether there still is an image after the phase.
    pub has_image: bool,
}

impl Forecast {
    /// Bytes to write, or to read.
    pub(crate) fn bytes(&self, op: Op) -> u64 {
        let files = self.outcome.samples.iter().filter(|file| file.op == op);
        files.map(|file| file.size_bytes).fold(0, u64::saturating_add)
    }
}

/// Checks the values of a cell, and that its steps make sense in their order: no read before a write, no attach of what
/// is attached.
///
/// # Errors
/// Exit code 2 for the first rule that is broken.
pub fn check(cell: &Cell) -> Result<()> {
    cell.check()?;
    whole(cell).map(drop).map_err(|error| Error::input(error.line()))
}

/// Why a cell cannot be measured by this program on this machine, if so; with what to do.
pub(crate) fn refusal(cell: &Cell) -> Option<String> {
    image::refusal(cell).or_else(|| {
        // Steps that make no sense at all are refused for that.
        let peaks: Vec<Peak> = whole(cell).ok()?.iter().map(|forecast| forecast.peak).collect();
        image::too_small(cell, &peaks)
    })
}

/// What all phases of a cell's protocol will do, in order.
///
/// # Errors
/// Exit code 2 when the steps make no sense in their order.
pub(crate) fn whole(cell: &Cell) -> Result<Vec<Forecast>> {
    run(cell, &cell.phases)
}

/// What the phases up to and with the one to measure will do.
///
/// # Errors
/// Exit code 2 when the steps make no sense in their order.
pub(crate) fn until_phase(cell: &Cell) -> Result<Vec<Forecast>> {
    let (earlier, phase) = cell.phases_until();
    run(cell, &[earlier, std::slice::from_ref(phase)].concat())
}

/// What the phase to measure does up to one of its steps (counted from 0), and after it.
///
/// # Errors
/// Exit code 2 when the steps make no sense in their order, or there are not as many.
pub(crate) fn around(cell: &Cell, step: usize) -> Result<(Forecast, Forecast)> {
    let (earlier, phase) = cell.phases_until();
    let Some((until, after)) = phase.steps.split_at_checked(step.saturating_add(1)) else {
        return Err(Error::input("the phase has fewer steps: correct the cell"));
    };
    let part = |steps: &[Step]| Phase { phase: cell.phase.clone(), steps: steps.to_vec() };
    let phases: Vec<Phase> = earlier.iter().cloned().chain([part(until), part(after)]).collect();
    let mut forecasts = run(cell, &phases)?;
    match (forecasts.pop(), forecasts.pop()) {
        (Some(after), Some(until)) => Ok((until, after)),
        _ => Err(Error::input("phase: not in the protocol: correct the cell")),
    }
}

fn run(cell: &Cell, phases: &[Phase]) -> Result<Vec<Forecast>> {
    let (stand_in, mut nobody) = (StandIn::default(), Nobody);
    let mut driver = stand_in.clone();
    let mut engine = Engine::new(cell, &mut driver, &Still, &mut nobody);
    let mut forecasts = Vec::new();
    for phase in phases {
        stand_in.begin_peak();
        let mut outcome = Outcome::default();
        engine.run(phase, Keep::Everything, &mut outcome)?;
        forecasts.push(Forecast {
            phase: phase.phase.clone(),
            peak: stand_in.peak(),
            peak_bytes: image::most_bytes(cell, stand_in.peak()),
            settle_seconds: phase.steps.iter().map(Step::seconds).fold(0, u64::saturating_add),
            outcome,
            ledger: engine.ledger().clone(),
            has_image: engine.has_image(),
        });
    }
    Ok(forecasts)
}

#[cfg(test)]
mod tests {
    use super::{around, until_phase, whole};
    use crate::record::Op;
    use crate::testing::cell;

    #[test]
    fn a_forecast_counts_what_each_phase_writes_reads_and_holds() {
        // One set is 10,000 + 4,096 + 70,001 = 84,097 bytes in 3 files; a round has 2 sets.
        let forecasts = whole(&cell()).unwrap();
        let counts: Vec<(u64, u64, usize, u64)> = forecasts
            .iter()
            .map(|f| (f.bytes(Op::Write), f.bytes(Op::Read), f.outcome.samples.len(), f.peak_bytes))
            .collect();
        assert_eq!(
            counts,
            [
                (168_194, 168_194, 12, 168_194),
                // One set of the first round is still there.
                (168_194, 168_194, 12, 252_291),
                (168_194, 168_194, 12, 168_194),
            ]
        );
        assert_eq!(forecasts[0].settle_seconds, 10);
        assert_eq!(forecasts[0].ledger.bytes(), 84_097);
        assert_eq!(forecasts[1].ledger.bytes(), 0);
        assert_eq!(forecasts[2].ledger.bytes(), 168_194);
    }

    #[test]
    fn what_was_written_is_counted_through_all_phases_of_an_image() {
        // In whole pages a set is 12,288 + 4,096 + 73,728 bytes, and each phase writes two.
        let written: Vec<u64> =
            whole(&cell()).unwrap().iter().map(|f| f.peak.written_bytes).collect();
        assert_eq!(written, [180_224, 2 * 180_224, 3 * 180_224]);
    }

    #[test]
    fn a_phase_that_is_cut_in_two_does_the_same_in_all() {
        // The second phase: attach, write, detach | attach, read, delete all, detach.
        let mut cell = cell();
        cell.phase = "partly-filled".into();
        let (until, after) = around(&cell, 2).unwrap();
        assert_eq!((until.bytes(Op::Write), until.bytes(Op::Read)), (168_194, 0));
        assert_eq!((after.bytes(Op::Write), after.bytes(Op::Read)), (0, 168_194));
        assert_eq!((until.ledger.bytes(), after.ledger.bytes()), (252_291, 0));
        assert_eq!(after.peak_bytes, 252_291, "what lies there already counts");
        assert_eq!((until.outcome.steps.len(), after.outcome.steps.len()), (3, 4));
        around(&cell, 7).unwrap_err();
    }

    #[test]
    fn a_forecast_ends_with_the_phase_to_measure() {
        let mut cell = cell();
        cell.phase = "partly-filled".into();
        let names: Vec<String> = until_phase(&cell).unwrap().into_iter().map(|f| f.phase).collect();
        assert_eq!(names, ["fresh", "partly-filled"]);
    }
}

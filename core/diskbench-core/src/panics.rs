//! Panics as errors: a broken invariant ends with one line, exit code 1, and the reason in the record.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;

use crate::error::{Error, Result, one_line};
use crate::exit_code::ExitCode;
use crate::terminal::say;

thread_local! {
    /// How many calls of [`caught`] this thread is in.
    static CATCHING: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic of this thread began.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Reports every later panic in one line: inside [`caught`] by its error, elsewhere on stderr.
pub(crate) fn report_in_one_line() {
    panic::set_hook(Box::new(|panic| {
        let place = place(panic);
        if CATCHING.get() == 0 {
            say(internal(&place, panic.payload()).line().as_str());
        }
        PLACE.set(place);
    }));
}

/// Runs an action and turns a panic into an internal error.
///
/// # Errors
/// Those of the action; exit code 1 for a panic, after which values that the action changed are fit for cleaning up and
/// recording only.
pub(crate) fn caught<T>(action: impl FnOnce() -> Result<T>) -> Result<T> {
    CATCHING.set(CATCHING.get() + 1);
    let result = panic::catch_unwind(AssertUnwindSafe(action));
    CATCHING.set(CATCHING.get() - 1);
    result.unwrap_or_else(|payload| Err(internal(&PLACE.take(), payload.as_ref())))
}

/// File name and line. The folder is left out: that of a dependency contains a user's name.
fn place(panic: &PanicHookInfo<'_>) -> String {
    panic.location().map_or_else(String::new, |location| {
        let file = Path::new(location.file()).file_name().unwrap_or_default().to_string_lossy();
        format!(" at {file}:{}", location.line())
    })
}

fn internal(place: &str, payload: &(dyn Any + Send)) -> Error {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given");
    Error::new(
        ExitCode::Unexpected,
        format!(
            "internal error{place}: {}: please report this line, then run again",
            one_line(text)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::caught;
    use crate::error::Error;
    use crate::exit_code::ExitCode;

    #[test]
    fn a_panic_is_an_internal_error_that_says_what_broke() {
        let lengths = [4_usize, 9];
        let error = caught(|| Ok([0_u8; 8][..lengths[1]].len())).unwrap_err();
        assert_eq!(error.exit(), ExitCode::Unexpected);
        assert!(error.line().contains("range end index 9 out of range"), "{error}");
        assert!(error.line().ends_with("please report this line, then run again"), "{error}");
    }

    #[test]
    fn what_does_not_panic_is_left_as_it_is() {
        assert_eq!(caught(|| Ok(7)).unwrap(), 7);
        let error = caught(|| Err::<(), _>(Error::step("x"))).unwrap_err();
        assert_eq!(error.exit(), ExitCode::CellFailed);
    }
}

//! The original functions.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A call of the C library, looked up once.
pub struct Real {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, found: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address; null where the C library has no such call.
    pub fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if !found.is_null() {
            return found;
        }
        // SAFETY: the name is a C string, and nothing else is asked of the caller.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

/// Says why a call failed, as the C library does.
pub fn set_errno(number: c_int) {
    // SAFETY: it gives the address of this thread's own number.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: that address is valid as long as this thread runs.
    unsafe { *place = number };
}

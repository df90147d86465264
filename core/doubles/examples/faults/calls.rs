//! The intercepted calls, each under its C name.
//!
//! Their last argument, which C leaves open in `open` and `fcntl`, is handed on as it came: on the machines of today it
//! lies in the same register whether it is declared or not.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use libc::{AT_FDCWD, DIR, dirent64, mode_t, off64_t, size_t, ssize_t};

use crate::kind::Kind;
use crate::places;
use crate::plan::{Fate, fate};
use crate::real::{Real, set_errno};

/// Stands for calls of the C library. Of each: its kind, what it gives when it fails, the place that it is about, and
/// the argument that says how many bytes, where a part of them may be moved.
macro_rules! calls {
    ($($kind:ident, $failed:expr, $place:expr $(, bytes $count:ident)?;
       fn $name:ident($($argument:ident: $type:ty),+) -> $result:ty;)+) => { $(
        /// Stands for the call of this name.
        ///
        /// # Safety
        /// As the call itself.
        // SAFETY: the very name and arguments that the C library gives it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),+) -> $result {
            static REAL: Real = Real::new(c_name(concat!(stringify!($name), "\0")));
            let fate = fate(Kind::$kind, || $place);
            if let Fate::Fail(number) = fate {
                set_errno(number);
                return $failed;
            }
            $( let $count = if fate == Fate::Short { ($count / 2).max(1) } else { $count }; )?
            let address = REAL.address();
            if address.is_null() {
                set_errno(libc::ENOSYS);
                return $failed;
            }
            // SAFETY: it is the C library's own function of this name.
            let real = unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),+) -> $result>(address)
            };
            // SAFETY: the arguments are the caller's, who promised them to be right, or fewer of the same bytes.
            unsafe { real($($argument),+) }
        }
    )+ };
}

const fn c_name(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

/// The place of a path that a caller handed over.
macro_rules! at {
    ($folder:expr, $path:expr) => {
        // SAFETY: the caller promised what the call demands: null where that is allowed, or a C string.
        unsafe { places::of_path($folder, $path) }
    };
}

/// The place of a folder that is being listed.
macro_rules! listed {
    ($folder:expr) => {
        // SAFETY: the caller promised an open folder.
        places::of_descriptor(unsafe { libc::dirfd($folder) })
    };
}

calls! {
    Open, -1, at!(AT_FDCWD, path);
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    Open, -1, at!(AT_FDCWD, path);
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    Open, -1, at!(folder, path);
    fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    Open, -1, at!(folder, path);
    fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    Open, null_mut(), at!(AT_FDCWD, path);
    fn opendir(path: *const c_char) -> *mut DIR;

    Pwrite, -1, places::of_descriptor(file), bytes count;
    fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t;
    Pwrite, -1, places::of_descriptor(file), bytes count;
    fn pwrite64(file: c_int, bytes: *const c_void, count: size_t, offset: off64_t) -> ssize_t;
    Pread, -1, places::of_descriptor(file), bytes count;
    fn read(file: c_int, bytes: *mut c_void, count: size_t) -> ssize_t;
    Pread, -1, places::of_descriptor(file), bytes count;
    fn pread64(file: c_int, bytes: *mut c_void, count: size_t, offset: off64_t) -> ssize_t;

    Fsync, -1, places::of_descriptor(file);
    fn fsync(file: c_int) -> c_int;
    Fsync, -1, places::of_descriptor(file);
    fn fdatasync(file: c_int) -> c_int;

    Rename, -1, at!(AT_FDCWD, to);
    fn rename(from: *const c_char, to: *const c_char) -> c_int;
    Rename, -1, at!(folder, to);
    fn renameat2(from_folder: c_int, from: *const c_char, folder: c_int, to: *const c_char, flags: c_uint) -> c_int;
    Link, -1, at!(folder, to);
    fn linkat(from_folder: c_int, from: *const c_char, folder: c_int, to: *const c_char, flags: c_int) -> c_int;
    Unlink, -1, at!(AT_FDCWD, path);
    fn unlink(path: *const c_char) -> c_int;
    Unlink, -1, at!(folder, path);
    fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int;
    Unlink, -1, at!(AT_FDCWD, path);
    fn rmdir(path: *const c_char) -> c_int;
    Mkdir, -1, at!(AT_FDCWD, path);
    fn mkdir(path: *const c_char, mode: mode_t) -> c_int;

    Fcntl, -1, places::of_descriptor(file);
    fn fcntl(file: c_int, command: c_int, argument: *mut c_void) -> c_int;
    Fcntl, -1, places::of_descriptor(file);
    fn flock(file: c_int, operation: c_int) -> c_int;
    Truncate, -1, places::of_descriptor(file);
    fn ftruncate64(file: c_int, length: off64_t) -> c_int;
    Truncate, -1, places::of_descriptor(file);
    fn fallocate(file: c_int, mode: c_int, offset: off64_t, length: off64_t) -> c_int;
    Truncate, -1, places::of_descriptor(file);
    fn fallocate64(file: c_int, mode: c_int, offset: off64_t, length: off64_t) -> c_int;

    Stat, -1, at!(folder, path);
    fn statx(folder: c_int, path: *const c_char, flags: c_int, mask: c_uint, found: *mut libc::statx) -> c_int;
    Stat, -1, at!(AT_FDCWD, path);
    fn stat64(path: *const c_char, found: *mut libc::stat64) -> c_int;
    Stat, -1, at!(AT_FDCWD, path);
    fn lstat64(path: *const c_char, found: *mut libc::stat64) -> c_int;
    Stat, -1, places::of_descriptor(file);
    fn fstat64(file: c_int, found: *mut libc::stat64) -> c_int;
    Stat, -1, at!(folder, path);
    fn fstatat64(folder: c_int, path: *const c_char, found: *mut libc::stat64, flags: c_int) -> c_int;
    List, null_mut(), listed!(folder);
    fn readdir64(folder: *mut DIR) -> *mut dirent64;
}

//! The program `diskbench`; everything it does is in the library.

fn main() -> std::process::ExitCode {
    match diskbench_core::main_with(std::env::args_os()) {
        Ok(code) => code.into(),
        Err(error) => diskbench_core::terminal::report(&error).into(),
    }
}

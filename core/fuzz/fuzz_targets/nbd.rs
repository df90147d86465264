#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    diskbench_fuzz::targets::nbd(input);
});

//! Any text to the query language.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::query(data));

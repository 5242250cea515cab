//! Any bytes to the door: one entry.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::entry(data));

//! Any bytes to the strict JSON reader and the canonical writer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::json(data));

//! Any bytes to the door: a submission, as one, an array and lines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::batch(data));

//! Any bytes to the readers of manifest, anchor and stored entries.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::stored(data));

//! Any bytes to the readers of the events of sources.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::sources(data));

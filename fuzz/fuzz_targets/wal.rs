//! Any bytes to the reader of write-ahead logs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::wal(data));

//! Any bytes to the reader of CloudTrail files.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::cloudtrail(data));

//! Real and generated CloudTrail records through the mapper and back, and files of every shape
//! through the reader.

#![allow(clippy::unwrap_used)]

mod files;
mod lossless;

//! The interface as it describes itself: every route has one rule and one description, every
//! problem a page.

#![allow(clippy::unwrap_used, missing_docs)]

mod description;
mod problems;

//! The query language: reading, printing, and THE meaning of a query.
//!
//! [`Query::matches`] decides whether an entry is found; whatever searches faster must agree with it.

mod ast;
mod column;
pub mod fold;
mod text;

pub use ast::{Bound, Comparison, Expr, Match};
pub use column::{Column, FieldPath};
pub use text::{TextMatch, words};

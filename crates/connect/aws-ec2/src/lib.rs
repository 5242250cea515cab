//! EC2: machines, volumes, snapshots and launch templates, read and changed.
//!
//! The only crate that compiles against `aws-sdk-ec2`, whose size would otherwise be paid for by every change in `connect-aws`.
//! Beside it stand what both need of every AWS call: [`fault`] (what went wrong, for a person and for a program), [`cursor`]
//! (pages that cannot loop) and [`place`] (where a resource is). Nothing here reads the environment.

pub mod change;
pub mod convert;
pub mod cursor;
pub mod describe;
pub mod fault;
mod isolate;
pub mod place;
mod tag;
mod volume;

pub use change::{Pace, refused_only};
pub use cursor::Cursor;
pub use describe::Ec2;
pub use fault::{At, Call, Fault, FaultKind};
pub use place::{Listing, Place, retries};

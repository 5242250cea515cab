//! The active server and its standbys. Of several servers on one data directory one acts; the others forward requests to it, and one of
//! them takes over when it ends or stops responding (docs/operate/standby.md, docs/adr/0013).
//!
//! Two things decide who acts. The lock on the data directory is the fence: the kernel frees it when its process is gone and not before,
//! so that a server that was replaced cannot write another byte. The lease in the state store binds the database to one log and
//! numbers the holders; it refuses servers whose data directory is a copy.

mod forward;
mod holder;
mod lease;
mod lock;
mod process;
mod standby;

pub(crate) use self::lease::ActiveLease;
pub(crate) use self::lock::{ActiveLock, Turn};
pub(crate) use self::standby::{TakeoverCause, wait};

//! The active server and its standbys. Of several servers on one data directory one acts; the
//! others forward requests to it, and one of them takes over when it ends or stops responding
//! (docs/operate/standby.md).
//!
//! Two things decide who acts. On a local disk the lock on the data directory is the fence: the
//! kernel frees it when its process is gone and not before, so that a server that was replaced
//! cannot write another byte. The lease in the state store binds the database to one log and
//! numbers the holders. Where a database can be reached without the lock (`state_url`), the lease
//! has a deadline, which a server checks itself before it writes, acknowledges or calls: that
//! fences copies of a data directory and network file systems, whose locks can end without their
//! holder (docs/adr/0016).

mod boot_clock;
mod deadline;
mod fenced;
mod file_system;
mod forward;
mod holder;
mod lease;
mod lock;
mod process;
mod standby;

pub(crate) use self::deadline::Deadline;
pub(crate) use self::fenced::Fenced;
pub(crate) use self::file_system::check as check_file_system;
pub(crate) use self::lease::ActiveLease;
pub(crate) use self::lock::{ActiveLock, Turn};
pub(crate) use self::standby::{TakeoverCause, wait};

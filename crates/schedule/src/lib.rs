//! Recurring times: a cron pattern of five fields, read in an IANA time zone.
//!
//! Agents, exports and reports run by it. Pure: the caller brings the clock. Refuses patterns that
//! never match and patterns that run more often than every five minutes.

mod schedule;

pub use schedule::{Schedule, ScheduleError};

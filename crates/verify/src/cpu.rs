//! Processor time of this process, on systems that report it (Linux), so that speed can be given
//! per core.

use std::time::Duration;

/// Ticks of `/proc/self/stat` in a second: the same on every Linux that speaks to programs.
const TICKS_PER_S: u64 = 100;

/// User and system time of all threads so far.
pub(crate) fn used() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses and may have spaces; user and system
    // time are fields 14 and 15.
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks = rest
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().ok());
    let ticks: u64 = ticks.sum::<Option<u64>>()?;

    Some(Duration::from_millis(ticks * 1_000 / TICKS_PER_S))
}

/// Since an earlier call.
pub(crate) fn since(before: Option<Duration>) -> Option<Duration> {
    used()?.checked_sub(before?)
}

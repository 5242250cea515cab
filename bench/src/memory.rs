//! Memory of a process from Linux.

use std::fs;

use anyhow::{Context as _, Result};

/// Memory of a process, bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// The most that was resident at once.
    pub peak: u64,
    /// Resident memory at the moment of reading.
    pub resident: u64,
    /// Anonymous memory, without mapped files.
    pub anonymous: u64,
}

/// Returns the memory of a process.
///
/// # Errors
/// The process is gone.
pub fn memory(pid: u32) -> Result<Memory> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).context("the process is gone")?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next())
            .and_then(|kib| kib.parse::<u64>().ok())
            .unwrap_or_default()
            << 10
    };

    Ok(Memory {
        peak: field("VmHWM:"),
        resident: field("VmRSS:"),
        anonymous: field("RssAnon:"),
    })
}

//! Figures of a process from Linux: its processor time and memory.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
pub(crate) use reeve_bench::{Memory, memory};

/// Clock ticks a second of `/proc`: 100 on every Linux that runs this.
const TICKS: f64 = 100.0;

/// Processor time of a process, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cpu {
    pub(crate) user: f64,
    pub(crate) system: f64,
}

impl Cpu {
    /// Returns user and system time.
    pub(crate) fn total(self) -> f64 {
        self.user + self.system
    }

    /// Returns the time used since `before`.
    pub(crate) fn since(self, before: Cpu) -> Cpu {
        Cpu {
            user: self.user - before.user,
            system: self.system - before.system,
        }
    }
}

/// Returns the processor time of a process so far, over all of its threads.
pub(crate) fn cpu(pid: u32) -> Result<Cpu> {
    let fields = fields(pid)?;
    Ok(Cpu {
        user: seconds(&fields, 11),
        system: seconds(&fields, 12),
    })
}

/// Returns the processor time of this process.
pub(crate) fn own_cpu() -> Result<Cpu> {
    cpu(std::process::id())
}

/// Returns the processor time of the children that this process has waited for.
pub(crate) fn children_cpu() -> Result<Cpu> {
    let fields = fields(std::process::id())?;
    Ok(Cpu {
        user: seconds(&fields, 13),
        system: seconds(&fields, 14),
    })
}

/// The fields of `/proc/PID/stat` after the name, which may itself have spaces.
fn fields(pid: u32) -> Result<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).context("the process is gone")?;
    let rest = text
        .rsplit_once(')')
        .map(|(_, rest)| rest)
        .context("/proc/PID/stat has no name")?;
    Ok(rest.split_whitespace().map(str::to_owned).collect())
}

fn seconds(fields: &[String], index: usize) -> f64 {
    fields
        .get(index)
        .and_then(|text| text.parse::<f64>().ok())
        .unwrap_or_default()
        / TICKS
}

/// Looks at a process's memory now and then, until it is asked.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<(f64, Memory)>>,
}

impl Watch {
    /// Looks at `pid` every `every`.
    pub(crate) fn start(pid: u32, every: Duration) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let (begun, mut seen) = (Instant::now(), Vec::new());
            while !asked.load(Ordering::Relaxed) {
                match memory(pid) {
                    Ok(memory) if memory.peak > 0 => {
                        seen.push((begun.elapsed().as_secs_f64(), memory))
                    }
                    _ => break,
                }
                std::thread::park_timeout(every);
            }
            seen
        });

        Self { stop, thread }
    }

    /// Returns the observations: seconds since the start, and the memory then.
    pub(crate) fn seen(self) -> Vec<(f64, Memory)> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

/// Waits. The load generator's threads are its own, with no runtime in them.
#[allow(clippy::disallowed_methods)]
pub(crate) fn pause(lasts: Duration) {
    std::thread::sleep(lasts);
}

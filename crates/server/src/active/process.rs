//! Identity of a process, precise enough to end it: a number alone may belong to another process by
//! now, or to another machine.

use std::fs;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

/// A process of this boot of this machine, in this namespace of process numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessIdentity {
    pub(crate) pid: u32,
    /// Start, in clock ticks since the boot (`/proc/PID/stat`, field 22).
    started: u64,
    /// Boot of the kernel.
    boot_id: String,
    /// Namespace that numbers the process.
    namespace: String,
}

/// Reason why a process was not ended.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotEnded {
    /// It runs on another machine or in another container, or is gone.
    #[error("it does not run on this machine, or not in this container")]
    Elsewhere,
    /// The signal could not be sent.
    #[error("the signal could not be sent: {0}")]
    Signal(String),
}

impl ProcessIdentity {
    /// Returns the identity of this process; `None` where the kernel does not tell it.
    pub(crate) fn current() -> Option<ProcessIdentity> {
        let pid = std::process::id();
        let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .ok()?
            .trim()
            .to_owned();
        let namespace = fs::read_link("/proc/self/ns/pid")
            .ok()?
            .to_string_lossy()
            .into_owned();

        Some(ProcessIdentity {
            pid,
            started: started(pid)?,
            boot_id,
            namespace,
        })
    }

    /// Returns `true` if the process runs here and can be told from every other.
    fn is_here(&self) -> bool {
        let Some(own) = ProcessIdentity::current() else {
            return false;
        };
        own.boot_id == self.boot_id
            && own.namespace == self.namespace
            && started(self.pid) == Some(self.started)
    }

    /// Ends the process at once (SIGKILL, which also ends a stopped process).
    pub(crate) fn end(&self) -> Result<(), NotEnded> {
        if !self.is_here() || self.pid == std::process::id() {
            return Err(NotEnded::Elsewhere);
        }

        let sent = Command::new("sh")
            .args(["-c", "kill -KILL \"$0\"", &self.pid.to_string()])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| NotEnded::Signal(error.to_string()))?;

        if sent.status.success() {
            return Ok(());
        }

        Err(NotEnded::Signal(
            String::from_utf8_lossy(&sent.stderr).trim().to_owned(),
        ))
    }
}

/// Returns the start of a process. The name in the second field may hold spaces and parentheses, so
/// fields are counted behind it.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_process_is_ended_and_no_other_one() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let own = ProcessIdentity::current().unwrap();
        let identity = ProcessIdentity {
            pid: child.id(),
            started: started(child.id()).unwrap(),
            ..own.clone()
        };

        let others = [
            ProcessIdentity {
                started: identity.started + 1,
                ..identity.clone()
            },
            ProcessIdentity {
                boot_id: "another".to_owned(),
                ..identity.clone()
            },
            ProcessIdentity {
                namespace: "pid:[1]".to_owned(),
                ..identity.clone()
            },
            own,
        ];

        for other in others {
            assert_eq!(other.end(), Err(NotEnded::Elsewhere), "{other:?}");
        }

        assert_eq!(child.try_wait().unwrap(), None, "it was not meant");
        identity.end().unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(identity.end(), Err(NotEnded::Elsewhere), "it is gone");
    }
}

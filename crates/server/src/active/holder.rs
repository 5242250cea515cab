//! Record of the active server, in the file that it holds locked: what a standby needs to forward
//! requests and to take over.

use serde::{Deserialize, Serialize};

use super::process::ProcessIdentity;

/// The server that holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ActiveHolder {
    /// Instance: a UUID of this start.
    pub(crate) instance: String,
    /// Its process; `None` where the kernel does not tell it.
    pub(crate) process: Option<ProcessIdentity>,
    /// Device and inode of the lock file: in a copy of the data directory they differ.
    pub(crate) file: (u64, u64),
    /// Secret with which a standby shows that it may name the address of a client. The file is for
    /// the service's account alone.
    pub(crate) forward_key: String,
    /// Address that it can be reached at, once it listens.
    pub(crate) url: Option<String>,
}

impl ActiveHolder {
    /// A record of this process.
    pub(crate) fn new(file: (u64, u64)) -> ActiveHolder {
        ActiveHolder {
            instance: uuid::Uuid::new_v4().to_string(),
            process: ProcessIdentity::current(),
            file,
            forward_key: hex::encode(rand::random::<[u8; 32]>()),
            url: None,
        }
    }
}

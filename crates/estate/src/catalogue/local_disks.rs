//! Disks inside the host of a machine: AWS instance stores, Azure temporary disks and local NVMe
//! disks, Google local SSDs.
//!
//! Their contents are erased as soon as the machine stops, because it starts on another host:
//! "Instance store volumes" (EC2), "Temporary disk" (Azure virtual machines), "About Local SSD
//! disks" (Compute Engine).

/// Disks of the host that a size comes with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LocalDisks {
    /// The size has none.
    None,
    /// Azure's temporary disk, meant for page files and `tempdb` alone.
    Temporary,
    /// Disks that programs keep data on; GB where the cloud publishes the size.
    Data(Option<f64>),
}

impl LocalDisks {
    /// From a published capacity in GB, 0 for none.
    pub(super) fn from_gb(gb: f64) -> LocalDisks {
        if gb > 0.0 {
            LocalDisks::Data(Some(gb))
        } else {
            LocalDisks::None
        }
    }

    /// Returns `true` if a machine may move to a size with other disks as far as disks of the host
    /// go: programs find the disks that they had. Azure refuses also a move to a size with a
    /// temporary disk from one without ("Azure VM sizes with no local temporary disk").
    pub(super) fn may_become(self, after: LocalDisks, is_azure: bool) -> bool {
        let (before, after) = (self.is_some(), after.is_some());
        before == after || (after && !is_azure)
    }

    /// Returns `true` if there is a disk of the host.
    #[must_use]
    pub fn is_some(self) -> bool {
        self != LocalDisks::None
    }
}

/// Returns `true` if machines of this type of Google come with local SSDs. Other types may have
/// some attached.
pub(super) fn has_google_ssd(size: &str) -> bool {
    size.contains("-lssd")
        || ["z3-", "a3-", "a4-", "a2-ultragpu-"]
            .iter()
            .any(|family| size.starts_with(family))
}

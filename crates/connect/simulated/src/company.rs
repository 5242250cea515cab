//! The company: who works there, and what it runs in three clouds. Tables, one file each; this file
//! says what a row is.

pub(crate) mod aws;
pub(crate) mod azure;
pub(crate) mod gcp;
pub(crate) mod people;

use reeve_estate::{Provider, Purchase};

use crate::load::Load;

/// Owner of a resource: environment, team, service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) env: &'static str,
    pub(crate) team: &'static str,
    pub(crate) service: &'static str,
}

pub(crate) const fn owner(env: &'static str, team: &'static str, service: &'static str) -> Owner {
    Owner { env, team, service }
}

/// Tool that manages a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Managed {
    /// Changed by people in the console.
    ByHand,
    /// CloudFormation, with its own tag.
    CloudFormation,
    /// Managed by Terraform, with its tags.
    Terraform,
}

/// A virtual machine. It has a root disk beside the data disks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) size: &'static str,
    pub(crate) load: Load,
    pub(crate) owner: Owner,
    pub(crate) purchase: Purchase,
    pub(crate) managed: Managed,
    pub(crate) group: Option<&'static str>,
    /// Data disks: GiB and type.
    pub(crate) disks: &'static [(u32, &'static str)],
    /// GiB of its root disk and their used share in percent, which its agent sends; `None` for the
    /// account's usual one.
    pub(crate) root: Option<(u32, f64)>,
    pub(crate) platform: &'static str,
    /// Days before the beginning it was launched.
    pub(crate) age_days: u32,
    /// An agent on it sends its memory.
    pub(crate) agent: bool,
    /// `true` if its samples have gaps.
    pub(crate) holes: bool,
    /// `true` if its team excludes it from Reeve.
    pub(crate) ignored: bool,
}

/// A Linux machine on demand, launched long ago, nothing special about it.
pub(crate) const fn machine(
    name: &'static str,
    region: &'static str,
    size: &'static str,
    load: Load,
    owner: Owner,
) -> Machine {
    Machine {
        name,
        region,
        size,
        load,
        owner,
        purchase: Purchase::OnDemand,
        managed: Managed::ByHand,
        group: None,
        disks: &[],
        root: None,
        platform: "linux",
        age_days: 0,
        agent: false,
        holes: false,
        ignored: false,
    }
}

impl Machine {
    /// Covered by a reservation.
    pub(crate) const fn reserved(mut self) -> Self {
        self.purchase = Purchase::Reserved;
        self
    }
    /// Makes it a spot machine.
    pub(crate) const fn spot(mut self) -> Self {
        self.purchase = Purchase::Spot;
        self
    }
    /// Sets the tool that manages the machine.
    pub(crate) const fn managed(mut self, by: Managed) -> Self {
        self.managed = by;
        self
    }
    /// A member of a group.
    pub(crate) const fn in_group(mut self, group: &'static str) -> Self {
        self.group = Some(group);
        self
    }
    /// Sets the data disks: sizes and types.
    pub(crate) const fn disks(mut self, disks: &'static [(u32, &'static str)]) -> Self {
        self.disks = disks;
        self
    }
    /// With a root disk of its own size, used to a share in percent.
    pub(crate) const fn root(mut self, gib: u32, used_percent: f64) -> Self {
        self.root = Some((gib, used_percent));
        self
    }
    /// Sets the platform to Windows.
    pub(crate) const fn windows(mut self) -> Self {
        self.platform = "windows";
        self
    }
    /// Launched so many days before the beginning.
    pub(crate) const fn aged(mut self, days: u32) -> Self {
        self.age_days = days;
        self
    }
    /// Sets that an agent on the machine sends its memory metrics.
    pub(crate) const fn agent(mut self) -> Self {
        self.agent = true;
        self
    }
    /// With holes in its samples.
    pub(crate) const fn holes(mut self) -> Self {
        self.holes = true;
        self
    }
    /// Sets the tag by which the machine is ignored.
    pub(crate) const fn ignored(mut self) -> Self {
        self.ignored = true;
        self
    }
}

/// Managed database of the company.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Database {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) class: &'static str,
    pub(crate) engine: &'static str,
    pub(crate) gib: u32,
    pub(crate) multi_az: bool,
    pub(crate) load: Load,
    pub(crate) owner: Owner,
}

/// A disk that nothing is attached to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LooseDisk {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) gib: u32,
    pub(crate) class: &'static str,
    pub(crate) age_days: u32,
    pub(crate) owner: Owner,
}

/// A snapshot of a disk, which may be gone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiskSnapshot {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    /// Name of the disk.
    pub(crate) disk: &'static str,
    pub(crate) gib: u32,
    pub(crate) age_days: u32,
    pub(crate) owner: Owner,
}

/// Bucket or container of the company.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatedBucket {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) gib: u32,
    pub(crate) class: &'static str,
    pub(crate) owner: Owner,
    /// A rule aborts incomplete uploads.
    pub(crate) aborts: bool,
    /// A rule deletes old versions.
    pub(crate) expires: bool,
    /// It has access logs, which show few reads of old objects.
    pub(crate) rarely_read: bool,
}

impl SimulatedBucket {
    /// Without a rule for incomplete uploads.
    pub(crate) const fn keeping_uploads(mut self) -> Self {
        self.aborts = false;
        self
    }
    /// With access logs that show few reads of old objects.
    pub(crate) const fn rarely_read(mut self) -> Self {
        self.rarely_read = true;
        self
    }
    /// Without a rule for old versions.
    pub(crate) const fn keeping_versions(mut self) -> Self {
        self.expires = false;
        self
    }
}

/// A load balancer before a group, or before the machines whose names begin alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Balancer {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) class: &'static str,
    pub(crate) targets: &'static str,
    pub(crate) peak: f64,
    pub(crate) owner: Owner,
}

/// An address that the account keeps, and the machine or gateway that has it; an empty name is
/// nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) holder: &'static str,
    pub(crate) age_days: u32,
    pub(crate) owner: Owner,
}

/// A NAT gateway: bytes a second through it in the busiest hour, and the number of route tables
/// that lead to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gateway {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) peak: f64,
    pub(crate) routes: usize,
    pub(crate) owner: Owner,
}

/// A scaling group; its members name it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatedGroup {
    pub(crate) name: &'static str,
    pub(crate) region: &'static str,
    pub(crate) owner: Owner,
}

/// An account and everything in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account {
    pub(crate) connection: &'static str,
    pub(crate) provider: Provider,
    /// The account's identifier at its cloud.
    pub(crate) account: &'static str,
    /// Negotiated discount off list prices, 0 to 1.
    pub(crate) discount: f64,
    pub(crate) regions: &'static [&'static str],
    /// The root disk of a machine: GiB and type.
    pub(crate) root_disk: (u32, &'static str),
    /// Permissions that the account lacks, with the cloud's error text for each.
    pub(crate) denied: &'static [(&'static str, &'static str)],
    pub(crate) machines: &'static [Machine],
    pub(crate) databases: &'static [Database],
    pub(crate) loose_disks: &'static [LooseDisk],
    pub(crate) snapshots: &'static [DiskSnapshot],
    pub(crate) buckets: &'static [SimulatedBucket],
    pub(crate) balancers: &'static [Balancer],
    pub(crate) gateways: &'static [Gateway],
    pub(crate) addresses: &'static [Address],
    pub(crate) groups: &'static [SimulatedGroup],
    /// Size families (by prefix) that a region does not sell.
    pub(crate) not_sold: &'static [(&'static str, &'static str)],
}

/// Accounts of the company, one in each cloud.
pub(crate) const ACCOUNTS: [&Account; 3] = [&aws::ACCOUNT, &gcp::ACCOUNT, &azure::ACCOUNT];

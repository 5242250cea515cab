//! A place in the network at which a resource can be reached.

use ipnet::IpNet;

use crate::finding::ExposureStep;
use crate::ports::Ports;

/// Security groups of an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Guard<'a> {
    Groups(Vec<&'a str>),
    /// A network load balancer without groups admits everything.
    Open,
}

/// Network interface of a resource, or what stands for it: a subnet of a database or of a load
/// balancer.
#[derive(Debug, Clone)]
pub(crate) struct Interface<'a> {
    pub(crate) network: &'a str,
    /// `None` if the documents do not say in which subnet of the network it is.
    pub(crate) subnet: Option<&'a str>,
    pub(crate) guard: Guard<'a>,
    /// Step that tells its public IPv4 address, or why there is none.
    pub(crate) public_v4: Result<ExposureStep, ExposureStep>,
    /// IPv6 address.
    pub(crate) public_v6: Option<String>,
    /// Addresses inside the network.
    pub(crate) private: Vec<IpNet>,
    /// Ports that are served; `None` if any may be.
    pub(crate) listens: Option<Ports>,
}

impl<'a> Interface<'a> {
    /// Returns the security groups; none if everything is admitted.
    pub(crate) fn groups(&self) -> &[&'a str] {
        match &self.guard {
            Guard::Groups(groups) => groups,
            Guard::Open => &[],
        }
    }
}

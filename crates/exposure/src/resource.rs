//! Resources that can be reached through the network, with their interfaces.

mod balancer;
mod database;
mod machine;
mod service;

use std::collections::HashMap;

use serde_json::Value;

use crate::configuration::ExposureConfiguration;
use crate::finding::ExposureStep;
use crate::network::{Interface, Network};
use crate::value;

pub(crate) use balancer::{Listener, is_balancer, served};

/// Reason for which no traffic reaches a resource, whatever the network admits.
#[derive(Debug, Clone)]
pub(crate) struct Halt {
    pub(crate) step: ExposureStep,
    /// `false` if a part that decides was not read.
    pub(crate) is_certain: bool,
}

/// Resource at the network.
#[derive(Debug)]
pub(crate) struct ExposureResource<'a> {
    pub(crate) id: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) account: &'a str,
    pub(crate) document: &'a Value,
    pub(crate) interfaces: Vec<Interface<'a>>,
    pub(crate) listeners: Vec<Listener<'a>>,
    pub(crate) halt: Option<Halt>,
}

impl<'a> ExposureResource<'a> {
    /// Returns the document with what is known of it.
    pub(crate) fn configuration(&self) -> ExposureConfiguration<'a> {
        ExposureConfiguration {
            id: self.id,
            kind: self.kind,
            account: self.account,
            document: self.document,
        }
    }
}

/// Addresses and interfaces that have documents of their own, by what they are attached to.
#[derive(Debug, Default)]
pub(crate) struct Attachments<'a> {
    addresses: HashMap<&'a str, &'a str>,
    interfaces: HashMap<&'a str, Vec<&'a Value>>,
}

impl<'a> Attachments<'a> {
    /// Adds a document if it is a public address or a network interface.
    pub(crate) fn add(&mut self, configuration: &ExposureConfiguration<'a>) {
        let document = configuration.document;
        match configuration.kind {
            "ip_address" => {
                let Some(address) = value::text(document, "publicIp") else {
                    return;
                };
                for member in ["instanceId", "networkInterfaceId"] {
                    let to = value::text(document, member);
                    self.addresses.extend(to.map(|to| (to, address)));
                }
            }
            "network_interface" => {
                if let Some(machine) = value::text(document, "attachment.instanceId") {
                    self.interfaces.entry(machine).or_default().push(document);
                }
            }
            _ => {}
        }
    }
}

/// Returns the places of interfaces: each subnet, or one that is not known where the documents name a
/// network at most.
fn places<'a>(subnets: &[&'a str]) -> Vec<Option<&'a str>> {
    match subnets {
        [] => vec![None],
        subnets => subnets.iter().copied().map(Some).collect(),
    }
}

/// Returns the resource of a document at the network; `None` for kinds that are none, and for
/// machines that are gone.
pub(crate) fn read<'a>(
    configuration: &ExposureConfiguration<'a>,
    network: &Network<'a>,
    attachments: &Attachments<'a>,
) -> Option<ExposureResource<'a>> {
    let mut resource = ExposureResource {
        id: configuration.id,
        kind: configuration.kind,
        account: configuration.owner(),
        document: configuration.document,
        interfaces: Vec::new(),
        listeners: Vec::new(),
        halt: None,
    };

    match configuration.kind {
        "virtual_machine" => {
            let state = value::text(resource.document, "instanceState.name");
            if matches!(state, Some("terminated" | "shutting-down")) {
                return None;
            }
            machine::read(&mut resource, network, attachments);
        }
        "database" => database::read(&mut resource, network),
        "warehouse" => database::warehouse(&mut resource, network),
        "load_balancer" => balancer::read(&mut resource, network),
        "classic_load_balancer" => balancer::classic(&mut resource, network),
        "container_service" => service::read(&mut resource, network),
        "function" => service::function(&mut resource, network),
        _ => return None,
    }
    Some(resource)
}

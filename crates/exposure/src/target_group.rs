//! Target groups: where listeners of load balancers pass traffic on to.

use serde_json::Value;

use crate::ports::Ports;
use crate::resource::served;
use crate::value;

#[derive(Debug)]
pub(crate) struct TargetGroup<'a> {
    pub(crate) id: &'a str,
    pub(crate) network: &'a str,
    /// `instance`, `ip`, `lambda` or `alb`.
    pub(crate) target_type: &'a str,
    protocol: &'a str,
    port: Option<u16>,
    /// Identifiers with their own port, unless it is that of the group.
    pub(crate) targets: Vec<(&'a str, Option<u16>)>,
    preserve_client_ip: Option<bool>,
}

impl<'a> TargetGroup<'a> {
    pub(crate) fn read(id: &'a str, document: &'a Value) -> TargetGroup<'a> {
        let targets = value::list(document, "TargetHealthDescriptions")
            .iter()
            .filter_map(|one| {
                let target = value::text(one, "Target.Id")?;
                Some((target, value::port(one, "Target.Port")))
            });
        let preserve = value::list(document, "Attributes")
            .iter()
            .find(|attribute| value::text(attribute, "Key") == Some("preserve_client_ip.enabled"));
        TargetGroup {
            id,
            network: value::text(document, "VpcId").unwrap_or_default(),
            target_type: value::text(document, "TargetType").unwrap_or("instance"),
            protocol: value::text(document, "Protocol").unwrap_or("TCP"),
            port: value::port(document, "Port"),
            targets: targets.collect(),
            preserve_client_ip: preserve.map(|attribute| value::is_true(attribute, "Value")),
        }
    }

    /// Returns the ports of a target.
    pub(crate) fn ports(&self, own: Option<u16>) -> Ports {
        own.or(self.port)
            .map_or_else(Ports::all, |port| served(port, self.protocol))
    }

    /// Returns `true` if targets of a network load balancer see the address of the client in place
    /// of the load balancer's ("Edit target group attributes", Network Load Balancers guide).
    pub(crate) fn preserves_client_address(&self) -> bool {
        let by_default = match self.target_type {
            "ip" => matches!(self.protocol, "UDP" | "TCP_UDP" | "QUIC" | "TCP_QUIC"),
            _ => true,
        };
        self.preserve_client_ip.unwrap_or(by_default)
    }
}

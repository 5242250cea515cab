//! Addresses and NAT gateways for moto.

use anyhow::Context;

use super::seed::{first, pairs};
use super::{EC2, Moto};

impl Moto {
    /// Allocates an address that nothing has; its allocation's identifier.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn address(&self, region: &str, name: &str) -> anyhow::Result<String> {
        let parameters = pairs(&[
            ("Domain", "vpc"),
            ("TagSpecification.1.ResourceType", "elastic-ip"),
            ("TagSpecification.1.Tag.1.Key", "Name"),
            ("TagSpecification.1.Tag.1.Value", name),
        ]);
        first(
            &self
                .query(&EC2, region, "AllocateAddress", &parameters)
                .await?,
            "allocationId",
        )
    }

    /// Gives an address to a machine.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn associate(
        &self,
        region: &str,
        allocation: &str,
        machine: &str,
    ) -> anyhow::Result<()> {
        let parameters = pairs(&[("AllocationId", allocation), ("InstanceId", machine)]);
        self.query(&EC2, region, "AssociateAddress", &parameters)
            .await?;
        Ok(())
    }

    /// Creates a NAT gateway with an address, and a route table that leads to it; both identifiers.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn gateway(
        &self,
        region: &str,
        allocation: &str,
    ) -> anyhow::Result<(String, String)> {
        let (vpc, subnets) = self.network(region).await?;
        let subnet = subnets
            .first()
            .with_context(|| format!("{region} has no subnet"))?;
        let parameters = pairs(&[("SubnetId", subnet), ("AllocationId", allocation)]);
        let gateway = first(
            &self
                .query(&EC2, region, "CreateNatGateway", &parameters)
                .await?,
            "natGatewayId",
        )?;

        let parameters = pairs(&[("VpcId", &vpc)]);
        let table = first(
            &self
                .query(&EC2, region, "CreateRouteTable", &parameters)
                .await?,
            "routeTableId",
        )?;

        let route = [
            ("RouteTableId", table.as_str()),
            ("DestinationCidrBlock", "0.0.0.0/0"),
            ("NatGatewayId", &gateway),
        ];
        self.query(&EC2, region, "CreateRoute", &pairs(&route))
            .await?;
        Ok((gateway, table))
    }
}

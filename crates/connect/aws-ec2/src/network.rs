//! Public addresses and NAT gateways: read with what uses them, released and deleted. Amazon EC2
//! API reference, `DescribeAddresses`, `ReleaseAddress`, `DescribeNatGateways`, `DeleteNatGateway`,
//! `DescribeRouteTables`.

use std::collections::BTreeMap;

use reeve_estate::{Resource, ResourceId, ResourceKind, ResourceState};

use crate::convert;
use crate::cursor::Cursor;
use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, Call, FaultKind};
use crate::form::Form;
use crate::place::{Listing, Place};
use crate::xml::{Element, Malformed};

/// Route tables by the gateway that their routes lead to.
type Routes = BTreeMap<String, Vec<ResourceId>>;

impl Ec2 {
    /// Every address that the account keeps.
    pub async fn addresses(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::IpAddress);
        let outcome = self
            .read_addresses(Form::new())
            .await
            .map(|found| listing.resources.extend(found));
        listing.end(outcome);
        listing
    }

    /// One address.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] once it was released; the call's failure otherwise.
    pub async fn address(&self, allocation: &str) -> Result<Resource, AwsEc2Fault> {
        let found = self
            .read_addresses(Form::new().with_list("AllocationId", [allocation]))
            .await?;
        let call = self.place.call("ec2:DescribeAddresses");
        let missing = || {
            call.fault(
                FaultKind::NotFound,
                None,
                &format!("no address {allocation}"),
            )
        };

        found
            .into_iter()
            .find(|address| address.id.as_str() == allocation)
            .ok_or_else(missing)
    }

    async fn read_addresses(&self, parameters: Form) -> Result<Vec<Resource>, AwsEc2Fault> {
        let page = self
            .read(self.place.call("ec2:DescribeAddresses"), parameters)
            .await?;
        Ok(page
            .list("addressesSet")
            .filter_map(|item| address(&self.place, item))
            .collect())
    }

    /// Gives an address that nothing has back to EC2.
    ///
    /// # Errors
    /// [`FaultKind::WrongState`] while something has it; the call's failure otherwise.
    pub async fn release(&self, allocation: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ReleaseAddress");
        // EC2 refuses this; emulators take an address away from what has it.
        if self.address(allocation).await?.state != ResourceState::Unattached {
            let message =
                format!("{allocation} is in use; only an address that nothing has can be released");
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }

        self.change(call, Form::new().with("AllocationId", allocation))
            .await
            .map(|_| ())
    }

    /// Every NAT gateway that is not gone, with the route tables that lead to it. Route tables that
    /// may not be read make the listing incomplete: a gateway without routes must be one that has
    /// none.
    pub async fn gateways(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::NatGateway);
        let outcome = self
            .read_gateways(Form::new())
            .await
            .map(|found| listing.resources.extend(found));
        listing
            .resources
            .retain(|gateway| gateway.state != ResourceState::Deleted);
        listing.end(outcome);

        listing
    }

    /// One NAT gateway, deleted ones included as long as EC2 remembers them.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] when EC2 does not know it; the call's failure otherwise.
    pub async fn gateway(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let found = self
            .read_gateways(Form::new().with_list("NatGatewayId", [id]))
            .await?;
        let call = self.place.call("ec2:DescribeNatGateways");
        let missing = || call.fault(FaultKind::NotFound, None, &format!("no NAT gateway {id}"));
        found
            .into_iter()
            .find(|gateway| gateway.id.as_str() == id)
            .ok_or_else(missing)
    }

    async fn read_gateways(&self, filter: Form) -> Result<Vec<Resource>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeNatGateways");
        let items = self.pages(call, &filter, "natGatewaySet").await?;
        if items.is_empty() {
            return Ok(Vec::new());
        }

        let tables = self
            .pages(
                self.place.call("ec2:DescribeRouteTables"),
                &Form::new(),
                "routeTableSet",
            )
            .await?;
        let routes = routes(&tables);
        let gateways = items.iter().map(|item| gateway(&self.place, item, &routes));

        let gateways = gateways
            .collect::<Result<Vec<_>, _>>()
            .map_err(|malformed| malformed.at(call))?;
        Ok(gateways.into_iter().flatten().collect())
    }

    /// Deletes a NAT gateway. Its address stays with the account.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn delete_gateway(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:DeleteNatGateway");
        self.change(call, Form::new().with("NatGatewayId", id))
            .await
            .map(|_| ())
    }

    /// The items of all pages of a listing. The size of a page is left to EC2, which refuses one
    /// beside identifiers.
    async fn pages(
        &self,
        call: Call<'_>,
        filter: &Form,
        list: &str,
    ) -> Result<Vec<Element>, AwsEc2Fault> {
        let (mut cursor, mut found) = (Cursor::new(), Vec::new());
        loop {
            let page = self
                .read(call, filter.clone().with_some("NextToken", cursor.token()))
                .await?;
            found.extend(page.list(list).cloned());
            if !cursor.advance(call, page.text_of("nextToken"))? {
                return Ok(found);
            }
        }
    }
}

/// An address. `None` for one of EC2-Classic, which has no allocation. The name is its tag, else
/// the address itself.
fn address(place: &Place, item: &Element) -> Option<Resource> {
    let id = item.text_of("allocationId")?;
    let mut resource = place.resource(ResourceKind::IpAddress, "ec2", id, convert::tags(item));

    if resource.name == id {
        item.text_of("publicIp")
            .unwrap_or(id)
            .clone_into(&mut resource.name);
    }

    // An interface may be that of a gateway or a balancer: an association is what counts.
    let holders = ["instanceId", "networkInterfaceId"]
        .into_iter()
        .filter_map(|name| item.text_of(name));
    resource.attached_to = holders
        .filter(|holder| !holder.is_empty())
        .map(ResourceId::new)
        .collect();
    let associated = item
        .text_of("associationId")
        .is_some_and(|association| !association.is_empty());
    if !associated && resource.attached_to.is_empty() {
        resource.state = ResourceState::Unattached;
    }

    Some(resource)
}

/// A gateway, attached to the route tables that lead to it. `None` when EC2 sent one without an
/// identifier.
fn gateway(place: &Place, item: &Element, routes: &Routes) -> Result<Option<Resource>, Malformed> {
    let Some(id) = item.text_of("natGatewayId") else {
        return Ok(None);
    };

    let mut resource = place.resource(ResourceKind::NatGateway, "ec2", id, convert::tags(item));
    resource.state = match item.text_of("state") {
        Some("available") => ResourceState::Available,
        Some("deleted" | "failed") => ResourceState::Deleted,
        _ => ResourceState::Changing,
    };
    resource.created_at = item.time_of("createTime")?;
    resource.attached_to = routes.get(id).cloned().unwrap_or_default();

    Ok(Some(resource))
}

fn routes(tables: &[Element]) -> Routes {
    let mut routes = Routes::new();
    for table in tables {
        let Some(id) = table.text_of("routeTableId") else {
            continue;
        };
        for gateway in table
            .list("routeSet")
            .filter_map(|route| route.text_of("natGatewayId"))
        {
            let known = routes.entry(gateway.to_owned()).or_default();
            known.push(ResourceId::new(id));
            known.sort();
            known.dedup();
        }
    }

    routes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::convert::tests::{item, place};

    #[test]
    fn an_address_is_free_only_where_nothing_at_all_has_it() {
        let free = "<allocationId>eipalloc-1</allocationId><publicIp>192.0.2.7</publicIp>";
        for (members, state) in [
            ("", ResourceState::Unattached),
            ("<instanceId></instanceId>", ResourceState::Unattached),
            ("<instanceId>i-1</instanceId>", ResourceState::Available),
            (
                "<networkInterfaceId>eni-1</networkInterfaceId>",
                ResourceState::Available,
            ),
            (
                "<associationId>eipassoc-1</associationId>",
                ResourceState::Available,
            ),
        ] {
            let found = address(&place(), &item(&format!("{free}{members}"))).unwrap();
            assert_eq!(
                (found.state, found.name.as_str()),
                (state, "192.0.2.7"),
                "{members}"
            );
        }

        assert_eq!(
            address(&place(), &item("<publicIp>192.0.2.7</publicIp>")),
            None
        );
    }

    #[test]
    fn a_gateway_has_the_route_tables_that_lead_to_it() {
        let table = |id: &str, to: &str| {
            let route = format!("<item><natGatewayId>{to}</natGatewayId></item>");
            item(&format!(
                "<routeTableId>{id}</routeTableId><routeSet>{route}{route}</routeSet>"
            ))
        };

        let known = routes(&[
            table("rtb-2", "nat-1"),
            table("rtb-1", "nat-1"),
            table("rtb-3", "nat-2"),
        ]);

        let found = |id: &str, state: &str| {
            let members = format!("<natGatewayId>{id}</natGatewayId><state>{state}</state>");
            gateway(&place(), &item(&members), &known).unwrap().unwrap()
        };

        assert_eq!(
            found("nat-1", "available").attached_to,
            ["rtb-1", "rtb-2"].map(ResourceId::new)
        );
        assert_eq!(found("nat-3", "available").attached_to, []);

        for (state, expected) in [
            ("available", ResourceState::Available),
            ("pending", ResourceState::Changing),
            ("deleting", ResourceState::Changing),
            ("deleted", ResourceState::Deleted),
        ] {
            assert_eq!(found("nat-1", state).state, expected, "{state}");
        }
    }
}

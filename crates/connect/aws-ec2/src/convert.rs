//! EC2's elements as resources.

use std::collections::BTreeMap;

use reeve_estate::{
    PublicAddress, Purchase, QUARANTINE, Resource, ResourceId, ResourceKind, ResourceState,
};

use crate::place::Place;
use crate::xml::{Element, Malformed};

/// The tag Auto Scaling puts on its members. Keys beginning with `aws:` cannot be set by users.
const GROUP_TAG: &str = "aws:autoscaling:groupName";

/// A machine. `None` when EC2 sent one without an identifier.
pub(crate) fn machine(place: &Place, instance: &Element) -> Result<Option<Resource>, Malformed> {
    let Some(id) = instance.text_of("instanceId") else {
        return Ok(None);
    };

    let mut resource = place.resource(ResourceKind::VirtualMachine, "ec2", id, tags(instance));
    resource.state = state(instance);
    resource.created_at = instance.time_of("launchTime")?;
    resource.purchase = Some(match instance.text_of("instanceLifecycle") {
        Some("spot") => Purchase::Spot,
        _ => Purchase::OnDemand,
    });

    // The group's identifier is its name until the scaling group's own listing gives its ARN.
    resource.group = resource.tag(GROUP_TAG).map(ResourceId::new);
    let owned = |name: &str| instance.text_of(name).map(str::to_owned);
    let spec = &mut resource.specification;
    spec.instance_type = owned("instanceType");
    spec.architecture = owned("architecture");
    let windows = instance.text_of("platform").map(str::to_ascii_lowercase);
    let details = instance.text_of("platformDetails").or(windows.as_deref());
    spec.platform = Some(platform(details.unwrap_or("Linux/UNIX")));
    let placed = |name: &str| {
        instance
            .child("placement")?
            .text_of(name)
            .map(str::to_owned)
    };
    (spec.tenancy, spec.zone) = (placed("tenancy"), placed("availabilityZone"));
    spec.public_address = public_address(instance);

    // A machine that boots from an instance store cannot be stopped at all. Other instance stores
    // are told by the size alone.
    spec.local_disks =
        (instance.text_of("rootDeviceType") == Some("instance-store")).then_some(true);
    // EC2 takes other groups for a machine only where it has one network interface.
    if instance.list("networkInterfaceSet").count() <= 1 {
        let groups: Vec<&Element> = instance.list("groupSet").collect();
        let ids = groups.iter().filter_map(|group| group.text_of("groupId"));
        spec.security_groups = ids.map(str::to_owned).collect();
        spec.security_groups.sort();
        spec.isolated =
            matches!(groups.as_slice(), [only] if only.text_of("groupName") == Some(QUARANTINE));
    }

    Ok(Some(resource))
}

/// A volume. `None` when EC2 sent one without an identifier.
pub(crate) fn volume(place: &Place, volume: &Element) -> Result<Option<Resource>, Malformed> {
    let Some(id) = volume.text_of("volumeId") else {
        return Ok(None);
    };

    let mut resource = place.resource(ResourceKind::Volume, "ebs", id, tags(volume));
    let machines = volume
        .list("attachmentSet")
        .filter_map(|attachment| attachment.text_of("instanceId"));
    resource.attached_to = machines.map(ResourceId::new).collect();
    resource.state = match volume.text_of("status") {
        Some("available") => ResourceState::Unattached,
        Some("in-use") => ResourceState::Available,
        Some("deleted") => ResourceState::Deleted,
        _ => ResourceState::Changing,
    };

    resource.created_at = volume.time_of("createTime")?;
    let spec = &mut resource.specification;
    spec.storage_gib = volume.value_of::<i32>("size")?.map(f64::from);
    spec.storage_type = volume.text_of("volumeType").map(str::to_owned);
    spec.iops = volume.count_of("iops")?.filter(|count| *count > 0);
    spec.throughput_mibps = volume.count_of("throughput")?.filter(|count| *count > 0);

    Ok(Some(resource))
}

/// Owner of the addresses that EC2 assigns from its pool. An Elastic IP is owned by its account,
/// and one of a customer's own range by it.
const ASSIGNED_BY: &str = "amazon";

/// Returns the public IPv4 address of a machine by its fate at a stop. Every interface counts: one
/// assigned address is lost even where another interface has an Elastic IP.
fn public_address(instance: &Element) -> PublicAddress {
    let interfaces: Vec<&Element> = instance.list("networkInterfaceSet").collect();
    let owners: Vec<Option<&str>> = interfaces
        .iter()
        .filter_map(|interface| interface.child("association"))
        .map(|association| association.text_of("ipOwnerId"))
        .collect();

    let has_address = ["ipAddress", "publicIpAddress"]
        .iter()
        .any(|name| instance.text_of(name).is_some_and(|ip| !ip.is_empty()));
    match owners.as_slice() {
        [] if !has_address => PublicAddress::Absent,
        // An address whose owner is not told may be taken back.
        [] => PublicAddress::Assigned,
        owners
            if owners
                .iter()
                .all(|owner| owner.is_some_and(|owner| owner != ASSIGNED_BY)) =>
        {
            PublicAddress::Kept
        }
        _ => PublicAddress::Assigned,
    }
}

fn state(instance: &Element) -> ResourceState {
    match instance
        .child("instanceState")
        .and_then(|state| state.text_of("name"))
    {
        Some("running") => ResourceState::Running,
        Some("stopped") => ResourceState::Stopped,
        Some("terminated") => ResourceState::Deleted,
        _ => ResourceState::Changing,
    }
}

/// `PlatformDetails` as one word; prices differ by it. Licensed software keeps a name of its own,
/// so that it never gets the price of plain Linux.
fn platform(details: &str) -> String {
    match details {
        "Linux/UNIX" => "linux".to_owned(),
        "Windows" | "windows" => "windows".to_owned(),
        "Red Hat Enterprise Linux" => "rhel".to_owned(),
        "SUSE Linux" => "suse".to_owned(),
        "Ubuntu Pro" => "ubuntu_pro".to_owned(),
        other => other.to_ascii_lowercase().replace([' ', '/'], "_"),
    }
}

/// Returns the tags of a resource.
pub(crate) fn tags(resource: &Element) -> BTreeMap<String, String> {
    let pair = |tag: &Element| {
        Some((
            tag.text_of("key")?.to_owned(),
            tag.text_of("value").unwrap_or_default().to_owned(),
        ))
    };
    resource.list("tagSet").filter_map(pair).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::ConnectionId;

    use super::*;

    /// A place in an account.
    pub(crate) fn place() -> Place {
        Place {
            connection: ConnectionId("c".into()),
            account: "1".into(),
            region: "us-east-1".into(),
            endpoint: None,
        }
    }

    /// An item of a list with these members.
    pub(crate) fn item(members: &str) -> Element {
        Element::read(&format!("<item>{members}</item>")).unwrap()
    }

    #[test]
    fn platforms_become_one_word() {
        for (details, word) in [
            ("Linux/UNIX", "linux"),
            ("Windows", "windows"),
            (
                "Windows with SQL Server Standard",
                "windows_with_sql_server_standard",
            ),
            ("Red Hat Enterprise Linux", "rhel"),
        ] {
            assert_eq!(platform(details), word);
        }
    }

    #[test]
    fn a_machine_keeps_what_was_bought() {
        let instance = item(&format!(
            "<instanceId>i-1</instanceId><instanceType>m5.large</instanceType><instanceLifecycle>spot</instanceLifecycle>\
             <instanceState><code>16</code><name>running</name></instanceState><placement><tenancy>default</tenancy></placement>\
             <launchTime>2026-01-01T00:00:00.000Z</launchTime><tagSet><item><key>Name</key><value>web</value></item>\
             <item><key>{GROUP_TAG}</key><value>web-group</value></item><item><key>empty</key></item></tagSet>"
        ));
        let resource = machine(&place(), &instance).unwrap().unwrap();

        assert_eq!(
            (resource.name.as_str(), resource.state, resource.purchase),
            ("web", ResourceState::Running, Some(Purchase::Spot))
        );
        assert_eq!(
            (resource.group.clone(), resource.tag("empty")),
            (Some(ResourceId::new("web-group")), Some(""))
        );
        assert_eq!(
            resource.created_at.map(|at| at.as_second()),
            Some(1_767_225_600)
        );
        assert_eq!(
            resource.specification.instance_type.as_deref(),
            Some("m5.large")
        );
        assert_eq!(resource.specification.platform.as_deref(), Some("linux"));
        assert_eq!(resource.specification.tenancy.as_deref(), Some("default"));
        assert!(machine(&place(), &item("")).unwrap().is_none());

        let odd = item("<instanceId>i-1</instanceId><launchTime>yesterday</launchTime>");
        assert_eq!(
            machine(&place(), &odd).unwrap_err(),
            Malformed {
                element: "launchTime"
            }
        );
    }

    #[test]
    fn a_machine_says_its_groups_where_it_has_one_interface() {
        let group = |id: &str, name: &str| {
            format!("<item><groupId>{id}</groupId><groupName>{name}</groupName></item>")
        };

        let seen = |interfaces: usize, groups: &[String]| {
            let (interfaces, groups) = ("<item/>".repeat(interfaces), groups.concat());
            let instance = item(&format!(
                "<instanceId>i-1</instanceId><networkInterfaceSet>{interfaces}</networkInterfaceSet><groupSet>{groups}</groupSet>"
            ));
            let spec = machine(&place(), &instance).unwrap().unwrap().specification;
            (spec.security_groups, spec.isolated)
        };

        let two = [group("sg-2", "web"), group("sg-1", QUARANTINE)];
        assert_eq!(
            seen(1, &two),
            (vec!["sg-1".to_owned(), "sg-2".to_owned()], false)
        );
        assert_eq!(seen(2, &two), (Vec::new(), false));
        assert_eq!(
            seen(1, &[group("sg-1", QUARANTINE)]),
            (vec!["sg-1".to_owned()], true)
        );
    }

    #[test]
    fn a_machine_says_what_happens_to_its_public_address_at_a_stop() {
        let interface = |owner: &str| {
            format!(
                "<item><association><publicIp>203.0.113.7</publicIp><ipOwnerId>{owner}</ipOwnerId></association></item>"
            )
        };

        let address = "<ipAddress>203.0.113.7</ipAddress>";
        for (members, expected) in [
            (String::new(), PublicAddress::Absent),
            (
                "<networkInterfaceSet><item/></networkInterfaceSet>".to_owned(),
                PublicAddress::Absent,
            ),
            (address.to_owned(), PublicAddress::Assigned),
            (
                format!(
                    "{address}<networkInterfaceSet>{}</networkInterfaceSet>",
                    interface("amazon")
                ),
                PublicAddress::Assigned,
            ),
            (
                format!(
                    "{address}<networkInterfaceSet>{}</networkInterfaceSet>",
                    interface("111122223333")
                ),
                PublicAddress::Kept,
            ),
            (
                format!(
                    "<networkInterfaceSet>{}{}</networkInterfaceSet>",
                    interface("111122223333"),
                    interface("amazon")
                ),
                PublicAddress::Assigned,
            ),
        ] {
            let instance = item(&format!("<instanceId>i-1</instanceId>{members}"));
            let spec = machine(&place(), &instance).unwrap().unwrap().specification;
            assert_eq!(
                (spec.public_address, spec.local_disks),
                (expected, None),
                "{members}"
            );
        }

        let booted =
            item("<instanceId>i-1</instanceId><rootDeviceType>instance-store</rootDeviceType>");
        assert_eq!(
            machine(&place(), &booted)
                .unwrap()
                .unwrap()
                .specification
                .local_disks,
            Some(true)
        );
    }

    #[test]
    fn a_volume_says_whether_it_is_attached() {
        let seen = |rest: &str| {
            let known = "<volumeId>vol-1</volumeId><size>8</size><volumeType>gp3</volumeType><iops>3000</iops>";
            volume(&place(), &item(&format!("{known}{rest}")))
        };

        let loose = seen("<status>available</status><attachmentSet/><throughput>0</throughput>")
            .unwrap()
            .unwrap();
        assert_eq!(
            (loose.state, loose.attached_to.len()),
            (ResourceState::Unattached, 0)
        );

        let attached = "<status>in-use</status><attachmentSet><item><instanceId>i-1</instanceId></item></attachmentSet>";
        let used = seen(attached).unwrap().unwrap();
        assert_eq!(
            (used.state, used.attached_to),
            (ResourceState::Available, vec![ResourceId::new("i-1")])
        );
        assert_eq!(
            (used.specification.storage_gib, used.specification.iops),
            (Some(8.0), Some(3000))
        );
        assert_eq!(loose.specification.throughput_mibps, None);
        assert_eq!(
            seen("<throughput>much</throughput>").unwrap_err(),
            Malformed {
                element: "throughput"
            }
        );
    }
}

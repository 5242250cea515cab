//! EC2's shapes as resources.

use std::collections::BTreeMap;

use aws_sdk_ec2::types::{Instance, InstanceLifecycleType, InstanceStateName, Tag, Volume, VolumeState};
use reeve_estate::{Purchase, QUARANTINE, Resource, ResourceId, ResourceKind, ResourceState};

use crate::place::{Place, timestamp};

/// The tag Auto Scaling puts on its members. Keys beginning with `aws:` cannot be set by users.
const GROUP_TAG: &str = "aws:autoscaling:groupName";

/// A machine. `None` when EC2 sent one without an identifier.
pub(crate) fn machine(place: &Place, instance: &Instance) -> Option<Resource> {
    let mut resource =
        place.resource(ResourceKind::VirtualMachine, "ec2", instance.instance_id()?, tags(instance.tags()));
    resource.state = instance.state().and_then(|s| s.name()).map_or(ResourceState::Changing, state);
    resource.created_at = instance.launch_time().and_then(timestamp);
    resource.purchase = Some(match instance.instance_lifecycle() {
        Some(InstanceLifecycleType::Spot) => Purchase::Spot,
        _ => Purchase::OnDemand,
    });
    // The group's identifier is its name until the scaling group's own listing gives its ARN.
    resource.group = resource.tag(GROUP_TAG).map(ResourceId::new);
    let spec = &mut resource.specification;
    spec.instance_type = instance.instance_type().map(|t| t.as_str().to_owned());
    spec.architecture = instance.architecture().map(|a| a.as_str().to_owned());
    let windows = instance.platform().map(|p| p.as_str().to_ascii_lowercase());
    spec.platform = Some(platform(instance.platform_details().or(windows.as_deref()).unwrap_or("Linux/UNIX")));
    spec.tenancy = instance.placement().and_then(|p| p.tenancy()).map(|t| t.as_str().to_owned());
    // EC2 takes other groups for a machine only where it has one network interface.
    let groups = instance.security_groups();
    if instance.network_interfaces().len() <= 1 {
        spec.security_groups = groups.iter().filter_map(|group| group.group_id()).map(str::to_owned).collect();
        spec.security_groups.sort();
        spec.isolated = matches!(groups, [only] if only.group_name() == Some(QUARANTINE));
    }
    Some(resource)
}

/// A volume. `None` when EC2 sent one without an identifier.
pub(crate) fn volume(place: &Place, volume: &Volume) -> Option<Resource> {
    let mut resource = place.resource(ResourceKind::Volume, "ebs", volume.volume_id()?, tags(volume.tags()));
    resource.attached_to = volume.attachments().iter().filter_map(|a| a.instance_id()).map(ResourceId::new).collect();
    resource.state = match volume.state() {
        Some(VolumeState::Available) => ResourceState::Unattached,
        Some(VolumeState::InUse) => ResourceState::Available,
        Some(VolumeState::Deleted) => ResourceState::Deleted,
        _ => ResourceState::Changing,
    };
    resource.created_at = volume.create_time().and_then(timestamp);
    let spec = &mut resource.specification;
    spec.storage_gib = volume.size().map(f64::from);
    spec.storage_type = volume.volume_type().map(|t| t.as_str().to_owned());
    spec.iops = volume.iops().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    spec.throughput_mibps = volume.throughput().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    Some(resource)
}

fn state(name: &InstanceStateName) -> ResourceState {
    match name {
        InstanceStateName::Running => ResourceState::Running,
        InstanceStateName::Stopped => ResourceState::Stopped,
        InstanceStateName::Terminated => ResourceState::Deleted,
        _ => ResourceState::Changing,
    }
}

/// `PlatformDetails` as one word; prices differ by it. Licensed software keeps a name of its own, so that it never gets
/// the price of plain Linux.
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

fn tags(tags: &[Tag]) -> BTreeMap<String, String> {
    tags.iter().filter_map(|t| Some((t.key()?.to_owned(), t.value().unwrap_or_default().to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use aws_sdk_ec2::types::{
        GroupIdentifier, InstanceNetworkInterface, InstanceState, InstanceType, VolumeAttachment, VolumeType,
    };
    use reeve_estate::ConnectionId;

    use super::*;

    fn place() -> Place {
        Place { connection: ConnectionId("c".into()), account: "1".into(), region: "us-east-1".into(), endpoint: None }
    }

    #[test]
    fn platforms_become_one_word() {
        for (details, word) in [
            ("Linux/UNIX", "linux"),
            ("Windows", "windows"),
            ("Windows with SQL Server Standard", "windows_with_sql_server_standard"),
            ("Red Hat Enterprise Linux", "rhel"),
        ] {
            assert_eq!(platform(details), word);
        }
    }

    #[test]
    fn a_machine_keeps_what_was_bought() {
        let instance = Instance::builder()
            .instance_id("i-1")
            .instance_type(InstanceType::M5Large)
            .instance_lifecycle(InstanceLifecycleType::Spot)
            .state(InstanceState::builder().name(InstanceStateName::Running).build())
            .tags(Tag::builder().key("Name").value("web").build())
            .tags(Tag::builder().key(GROUP_TAG).value("web-group").build())
            .build();
        let resource = machine(&place(), &instance).unwrap();
        assert_eq!(
            (resource.name.as_str(), resource.state, resource.purchase),
            ("web", ResourceState::Running, Some(Purchase::Spot))
        );
        assert_eq!(resource.group, Some(ResourceId::new("web-group")));
        assert_eq!(resource.specification.instance_type.as_deref(), Some("m5.large"));
        assert_eq!(resource.specification.platform.as_deref(), Some("linux"));
        assert!(machine(&place(), &Instance::builder().build()).is_none());
    }

    #[test]
    fn a_machine_says_its_groups_where_it_has_one_interface() {
        let group = |id: &str, name: &str| GroupIdentifier::builder().group_id(id).group_name(name).build();
        let seen = |instance: Instance| {
            let spec = machine(&place(), &instance).unwrap().specification;
            (spec.security_groups, spec.isolated)
        };
        let interface = || InstanceNetworkInterface::builder().build();
        let base = || Instance::builder().instance_id("i-1").network_interfaces(interface());
        let two = base().security_groups(group("sg-2", "web")).security_groups(group("sg-1", QUARANTINE));
        assert_eq!(seen(two.clone().build()), (vec!["sg-1".to_owned(), "sg-2".to_owned()], false));
        assert_eq!(seen(two.network_interfaces(interface()).build()), (Vec::new(), false));
        let only = base().security_groups(group("sg-1", QUARANTINE)).build();
        assert_eq!(seen(only), (vec!["sg-1".to_owned()], true));
    }

    #[test]
    fn a_volume_says_whether_it_is_attached() {
        let base = Volume::builder().volume_id("vol-1").size(8).volume_type(VolumeType::Gp3).iops(3000);
        let loose = volume(&place(), &base.clone().state(VolumeState::Available).build()).unwrap();
        assert_eq!((loose.state, loose.attached_to.len()), (ResourceState::Unattached, 0));
        let attachment = VolumeAttachment::builder().instance_id("i-1").build();
        let used = volume(&place(), &base.state(VolumeState::InUse).attachments(attachment).build()).unwrap();
        assert_eq!((used.state, used.attached_to), (ResourceState::Available, vec![ResourceId::new("i-1")]));
        assert_eq!((used.specification.storage_gib, used.specification.iops), (Some(8.0), Some(3000)));
    }
}

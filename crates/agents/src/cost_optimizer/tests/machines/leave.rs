//! Machines that are left alone, whatever their load says.

use reeve_estate::{Purchase, ResourceId, ResourceState};

use super::super::estate::Case;
use super::load::{CPU, even};
use super::{Row, left};

pub(super) fn rows() -> Vec<Row> {
    let quiet = || even("m5.xlarge", 5.0);
    let mut member = quiet();
    member.resource.group = Some(ResourceId::new("asg-web"));
    let mut spot = quiet();
    spot.resource.purchase = Some(Purchase::Spot);
    let mut stopped = quiet();
    stopped.resource.state = ResourceState::Stopped;
    let gaps = Case::machine("m5.xlarge")
        .with(CPU, 30, |back| (back % 10 == 0).then_some(5.0))
        .all_else_small();

    vec![
        left(
            "a member of a scaling group",
            member,
            "group_member",
            &["asg-web"],
        ),
        left("spot capacity", spot, "spot", &[]),
        left("stopped", stopped, "not_running", &[]),
        left(
            "opted out by its team",
            quiet().tag("reeve:ignore", "true"),
            "opted_out",
            &[],
        ),
        left(
            "a size nobody has heard of",
            even("m9q.xlarge", 5.0),
            "local_disks_unknown",
            &["m9q.xlarge"],
        ),
        left("half of its samples are missing", gaps, "thin_data", &[]),
        left(
            "nothing measured",
            Case::machine("m5.xlarge"),
            "no_cpu_samples",
            &[],
        ),
    ]
}

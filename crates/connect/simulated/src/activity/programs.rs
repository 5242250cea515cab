//! Activity of programs at all hours: deploys, applies, backups, scaling, exports, and the
//! interruption of spot capacity.

use reeve_audit::{
    ActionMethod, ActionStatus, ActorType, Entry, EventType, Json, ResourceRef, Severity,
};
use reeve_estate::ResourceKind;

use super::builder::{self, state};
use super::stories::THEFT_MIN;
use super::{Scene, SimulatedTarget};
use crate::company::people::{Chore, ROBOTS, Robot};
use crate::describing::access_key;
use crate::noise::{draw, hex, key, pick, unit};
use crate::signal::interruption;

/// Generates the activity of programs in a minute of UTC.
pub(super) fn minute(scene: &Scene, minute: i64, into: &mut Vec<Entry>) {
    for (number, robot) in ROBOTS.iter().enumerate() {
        let seed = crate::noise::mix(scene.seed ^ (number as u64 + 1).wrapping_mul(0x2b07));
        if unit(seed, minute) < robot.per_hour / 60.0 {
            into.extend(chore(
                scene,
                robot,
                key(seed, &format!("chore/{minute}")),
                minute,
            ));
        }
    }
    let seed = crate::noise::mix(scene.seed ^ 0x6b65_7900);
    let since_beginning = minute - scene.anchor.as_second().div_euclid(60);
    if since_beginning < THEFT_MIN && unit(seed, minute) < RELEASES_PER_HOUR / 60.0 {
        release(scene, key(seed, &format!("release/{minute}")), minute, into);
    }

    // Spot capacity goes at the beginning of a five-minute period.
    if minute.rem_euclid(5) == 0 {
        let spot = scene.targets.iter().filter(|target| target.spot);
        into.extend(spot.filter_map(|target| taken(target, minute)));
    }
}

/// Releases an hour by the access key of the user `deploy`, at all hours.
const RELEASES_PER_HOUR: f64 = 0.5;

/// Account that the key belongs to.
pub(super) const RELEASE_ACCOUNT: &str = "417382906514";

/// Calls of a release, in their order.
const RELEASE: [(&str, &str); 3] = [
    ("DescribeImages", "resource.view"),
    ("PutObject", "resource.modify"),
    ("UpdateService", "resource.modify"),
];

/// The ordinary use of the access key until it is stolen (`stories`). Without it, the theft would be
/// the first use of an unknown key, which says little.
fn release(scene: &Scene, seed: u64, minute: i64, into: &mut Vec<Entry>) {
    let key_id = access_key(scene.seed, RELEASE_ACCOUNT, "deploy");
    let account =
        ResourceRef::new("account", RELEASE_ACCOUNT).in_cloud("aws", RELEASE_ACCOUNT, "us-east-1");
    let runner = std::net::Ipv4Addr::new(18, 184, 20, 10 + (draw(seed, 57) % 3) as u8);
    for (operation, kind) in RELEASE {
        let Ok(kind) = EventType::new(kind) else {
            continue;
        };
        into.push(
            builder::entry(kind, key(seed, operation), minute)
                .by(
                    builder::program(ActorType::ApiKey, &key_id, "aws-sdk-go-v2/1.32.6")
                        .with_ip_address(runner.into()),
                )
                .on(account.clone())
                .with_action(operation, ActionStatus::Success, ActionMethod::Api)
                .with_metadata("country", "DE")
                .with_metadata("owner", "ci-deployer")
                .with_tag("automation"),
        );
    }
}

fn chore(scene: &Scene, robot: &Robot, key: u64, minute: i64) -> Option<Entry> {
    let one = |kind| pick(key, 51, &scene.of_kind(kind, None)).copied();
    let number = |low: u64, range: u64| Json::from(low + draw(key, 52) % range);
    let write = |kind, operation: &str, target: &SimulatedTarget, by, method| {
        builder::entry(kind, key, minute)
            .by(builder::program(by, robot.id, robot.agent))
            .on(target.reference.clone())
            .with_action(operation, ActionStatus::Success, method)
            .with_metadata("resource_name", target.name.as_str())
            .with_tag("automation")
    };

    const MODIFY: EventType = EventType::from_static("resource.modify");
    const DEPLOY: EventType = EventType::from_static("deployment.create");
    const BACKUP: EventType = EventType::from_static("backup.create");
    const EXPORT: EventType = EventType::from_static("data.export");

    let (role, service) = (ActorType::Role, ActorType::Service);
    Some(match robot.does {
        Chore::Deploy => write(
            DEPLOY,
            "deploy",
            one(ResourceKind::ScalingGroup)?,
            service,
            ActionMethod::Automation,
        )
        .after(state([
            ("commit", Json::from(hex(key, 12))),
            ("changed_files", number(1, 40)),
        ])),
        Chore::Terraform => write(
            MODIFY,
            "terraform_apply",
            one(ResourceKind::LoadBalancer)?,
            role,
            ActionMethod::Automation,
        )
        .after(state([
            ("added", number(0, 3)),
            ("changed", number(1, 6)),
            ("destroyed", Json::from(0)),
        ])),
        Chore::Backup => {
            let kind = if unit(key, 53) < 0.4 {
                ResourceKind::Database
            } else {
                ResourceKind::Volume
            };
            let entry = write(
                BACKUP,
                "create_snapshot",
                one(kind)?,
                service,
                ActionMethod::Scheduled,
            );
            entry.after(state([(
                "snapshot",
                Json::from(format!("snap-{}", hex(draw(key, 54), 17))),
            )]))
        }
        Chore::Scale => {
            let desired = 2 + (draw(key, 55) % 4).cast_signed();
            let entry = write(
                MODIFY,
                "set_desired_capacity",
                one(ResourceKind::ScalingGroup)?,
                service,
                ActionMethod::System,
            );
            let more = if unit(key, 56) < 0.5 {
                desired + 1
            } else {
                desired - 1
            };
            entry
                .before(state([("desired", Json::from(desired))]))
                .after(state([("desired", Json::from(more))]))
        }
        Chore::Export => write(
            EXPORT,
            "export_costs",
            one(ResourceKind::Bucket)?,
            service,
            ActionMethod::Scheduled,
        )
        .with_metadata("rows", number(900, 4000)),
    })
}

fn taken(target: &SimulatedTarget, minute: i64) -> Option<Entry> {
    let slot = minute.div_euclid(5);
    let (begins, lasts) = interruption(target.key, slot)?;
    if begins != slot {
        return None;
    }

    const INTERRUPTED: EventType = EventType::from_static("resource.interrupt");

    let key = key(target.key, &format!("interrupted/{minute}"));
    let entry = builder::entry(INTERRUPTED, key, minute)
        .by(builder::program(
            ActorType::Service,
            "spot-capacity",
            "ec2.amazonaws.com",
        ))
        .on(target.reference.clone())
        .with_action(
            "spot_interruption",
            ActionStatus::Success,
            ActionMethod::System,
        )
        .with_severity(Severity::Low)
        .with_metadata("resource_name", target.name.as_str())
        .with_metadata("minutes", lasts * 5)
        .with_tag("spot");

    Some(
        entry
            .before(state([("state", Json::from("running"))]))
            .after(state([("state", Json::from("stopped"))])),
    )
}

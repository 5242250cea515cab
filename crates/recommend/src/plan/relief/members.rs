//! More members of a scaling group until a time.

use jiff::Timestamp;
use reeve_estate::{Capacity, Money, PriceCatalogue, Resource};

use crate::change::ScaleGroup;
use crate::plan::Plan;
use crate::plan::relief::Relief;
use crate::recommendation::Effort;
use crate::recommendation::title::title;
use crate::words::minute;

/// More members of a group from now until a time. `wanted` gives the number of members for the
/// present one.
#[must_use]
pub fn more_members(
    group: &Resource,
    wanted: impl FnOnce(u32) -> u32,
    now: Timestamp,
    until: Option<Timestamp>,
    catalogue: &PriceCatalogue,
) -> Relief {
    let name = &group.name;
    let by_hand =
        |why: &str| Relief::advice(title("Give ", name, " more members"), Effort::Medium, why);
    let Some(capacity) = group.specification.capacity else {
        return by_hand("how many members it has is not known");
    };
    let Some(until) = until else {
        return by_hand("no end within a day is predicted: choose its new size manually");
    };

    let members = wanted(capacity.desired).min(capacity.max);
    if members <= capacity.desired.max(capacity.min) {
        return by_hand("it already has its maximum of members: raise the maximum first");
    }

    let more = members - capacity.desired;
    let hours = until.duration_since(now).as_secs_f64().max(0.0) / 3600.0;
    let price = group.specification.instance_type.as_deref();
    let price =
        price.and_then(|size| catalogue.hourly_usd(group.provider, &group.region, size, None));
    let by = format!(" from {} to {members} members", capacity.desired);
    let relief = Relief::advice(title("Scale ", name, &by), Effort::Low, "")
        .planned(scale_until(group, capacity, members, until));

    Relief {
        words: format!("Scale {name}{by} until {}", minute(until)),
        added: price.map(|price| Money::from_usd(price.usd_per_hour * hours * f64::from(more))),
        once: true,
        against_bill: true,
        notes: vec![format!(
            "Its maximum of {} stays; after {} it gets its least of {} back, and its {} members where nothing has moved them",
            capacity.max,
            minute(until),
            capacity.min,
            capacity.desired
        )],
        ..relief
    }
}

/// Plan of more members of a group until a time, and the members it had after it.
#[must_use]
pub fn scale_until(group: &Resource, now: Capacity, members: u32, until: Timestamp) -> Plan {
    let change = ScaleGroup {
        state: group.state,
        min: now.min,
        desired: now.desired,
        members,
        until,
    };
    Plan::new(&change, group.id.as_str())
}

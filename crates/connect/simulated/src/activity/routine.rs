//! A person's days: signing in in the morning, sometimes with a mistake, work, signing out.
//! Weekends and weeks off are free.

use reeve_audit::{ActionMethod, ActionStatus, Entry, EventType, ResourceRef, Severity};

use super::Scene;
use super::actions;
use super::builder;
use crate::company::people::{PEOPLE, Person};
use crate::noise::{between, key, unit};

const MINUTES_PER_DAY: i64 = 1440;
/// Deeds an hour at work.
const AT_WORK: f64 = 1.35;
/// Deeds an hour outside it.
const OFF_WORK: f64 = 0.012;

const BROWSERS: [&str; 3] = [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/131.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Edg/131.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
];

/// Generates the activity of people in a minute of UTC.
pub(super) fn minute(scene: &Scene, minute: i64, into: &mut Vec<Entry>) {
    for (number, person) in PEOPLE.iter().enumerate() {
        // Mixed here rather than from the name: this is asked forty times a minute of a month.
        let seed = crate::noise::mix(scene.seed ^ (number as u64 + 1).wrapping_mul(0x9e37));
        let local = minute + person.office.offset_min();
        let (day, now) = (
            local.div_euclid(MINUTES_PER_DAY),
            local.rem_euclid(MINUTES_PER_DAY),
        );
        let hours = at_work(seed, day);
        let busy = hours.is_some_and(|(begins, ends)| (begins..ends).contains(&now));
        let rate = if busy { AT_WORK } else { OFF_WORK };
        if unit(seed ^ 0xdeed, minute) < rate / 60.0 {
            let key = key(seed, &format!("deed/{minute}"));
            into.push(actions::write(
                scene,
                person,
                key,
                minute,
                day,
                BROWSERS[number % BROWSERS.len()],
            ));
        }
        if let Some(hours) = hours {
            sessions(scene, person, seed, (minute, day, now), hours, into);
        }
    }
}

/// Returns a person's working hours on a day, in minutes after midnight; `None` on a day off.
fn at_work(seed: u64, day: i64) -> Option<(i64, i64)> {
    // The first of January 1970 was a Thursday.
    let (week, weekday) = ((day + 3).div_euclid(7), (day + 3).rem_euclid(7));
    if weekday >= 5 || unit(seed ^ 0x0ff, week) < 0.07 {
        return None;
    }

    let begins = between(seed ^ 0xbe6, day, 475.0, 565.0) as i64;
    Some((
        begins,
        begins + between(seed ^ 0xe4d, day, 470.0, 560.0) as i64,
    ))
}

fn sessions(
    scene: &Scene,
    person: &Person,
    seed: u64,
    (minute, day, now): (i64, i64, i64),
    (begins, ends): (i64, i64),
    into: &mut Vec<Entry>,
) {
    let agent = BROWSERS[(seed % 3) as usize];
    let key = |name: &str| key(seed, &format!("{name}/{minute}"));
    let write = |kind, name, operation, status| {
        let entry = builder::entry(kind, key(name), minute)
            .by(builder::person(scene.seed, person, day, agent))
            .on(ResourceRef::new("identity_provider", "acme-sso"))
            .with_action(operation, status, ActionMethod::Console)
            .with_metadata("country", person.office.country())
            .with_tag(person.team);
        if status == ActionStatus::Success {
            entry
        } else {
            entry.with_severity(Severity::Low)
        }
    };

    const LOGIN: EventType = EventType::from_static("authentication.login");

    if now == begins - 1 && unit(seed ^ 0xfa11, day) < 0.08 {
        let reason = if unit(seed ^ 0xfa12, day) < 0.6 {
            "wrong password"
        } else {
            "second factor not confirmed"
        };
        into.push(
            write(LOGIN, "failed", "login", ActionStatus::Failed).with_metadata("reason", reason),
        );
    }

    if now == begins {
        let factor = if unit(seed ^ 0x3fa, 0) < 0.6 {
            "security_key"
        } else {
            "authenticator"
        };
        into.push(
            write(LOGIN, "login", "login", ActionStatus::Success)
                .with_metadata("second_factor", factor),
        );
    }

    if now == ends && unit(seed ^ 0x106, day) < 0.6 {
        let kind = EventType::from_static("authentication.logout");
        into.push(write(kind, "logout", "logout", ActionStatus::Success));
    }
}

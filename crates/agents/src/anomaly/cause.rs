//! The likely cause of an anomaly: what changed shortly before it, and what else was strange at the same time.

use jiff::SignedDuration;

use super::pace::POINT;
use super::record::{Anomaly, AnomalyClass, Place};
use super::words;
use crate::action::{Action, ActionId, Purpose};

/// A change this long before an anomaly may have caused it.
const SHORTLY: SignedDuration = SignedDuration::from_hours(2);
/// What began this close together may have one cause.
const TOGETHER: SignedDuration = SignedDuration::from_mins(30);
/// Others that make a cause shared.
const SEVERAL: usize = 2;

/// A cause and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// In words; says so where nothing was found.
    pub words: String,
    /// The facts.
    pub evidence: Vec<String>,
    /// What to do about it.
    pub advice: String,
    /// The action by Reeve that is suspected.
    pub suspect: Option<ActionId>,
}

/// The likeliest cause, from Reeve's own actions and from the other anomalies.
#[must_use]
pub fn likely_cause(of: &Anomaly, actions: &[Action], others: &[Anomaly]) -> Cause {
    let mut evidence: Vec<String> = of.readings.iter().filter_map(words::evidence).collect();
    if let Some(reading) = of.readings.first().filter(|_| of.class == AnomalyClass::Cost) {
        let (value, expected) = (reading.value, reading.expected);
        let day = reading.at.strftime("%Y-%m-%d");
        evidence.push(format!("cost a day was {value:.2} from {day} on, expected {expected:.2} ({})", reading.sign));
    }
    let ended = |action: &Action| action.finished_at.unwrap_or(action.started_at);
    // A point is dated by its beginning, and the change may have begun within it.
    let before = |action: &&Action| {
        of.started_at >= action.started_at - POINT && of.started_at.duration_since(ended(action)) <= SHORTLY
    };
    let own = actions.iter().filter(|action| action.purpose == Purpose::Apply && action.resource.0 == of.place.id);
    if let Some(action) = own.filter(before).max_by_key(|action| action.started_at) {
        let ended = words::minute(ended(action));
        evidence.push(format!("action {} ended at {ended} on the same resource", action.id.0));
        return Cause {
            words: "a change that Reeve made to the resource shortly before".to_owned(),
            evidence,
            advice: format!("Look at action {} and undo it if the trouble stays.", action.id.0),
            suspect: Some(action.id.clone()),
        };
    }
    let near = |other: &&Anomaly| other.id != of.id && of.started_at.duration_since(other.started_at).abs() <= TOGETHER;
    let with: Vec<&Anomaly> = others.iter().filter(near).collect();
    if let Some((shared, count)) = shared(&of.place, &with) {
        evidence.push(format!("{count} other resources of {shared} became strange within 30 minutes"));
        return Cause {
            words: format!("something that {shared} has in common: {} resources became strange together", count + 1),
            evidence,
            advice: format!("Look at what changed in {shared}: deployments, traffic, and the cloud's own status."),
            suspect: None,
        };
    }
    let same = with.iter().filter(|other| other.place.id == of.place.id).count();
    if same > 0 {
        evidence.push(format!("{same} other anomalies on the same resource"));
    }
    let sign = of.readings.first().map_or("", |reading| reading.sign.as_str());
    Cause {
        words: format!("not known: nothing else changed that Reeve sees; it showed as {}", if sign.is_empty() { "unusual behaviour" } else { sign }),
        evidence,
        advice: "Look at what ran on it then; say whether it was real, false or planned, so that the next one is judged better.".to_owned(),
        suspect: None,
    }
}

/// The narrowest thing that several others at the same time have in common with the place: service in a region, or account.
fn shared(place: &Place, with: &[&Anomaly]) -> Option<(String, usize)> {
    let service = with
        .iter()
        .filter(|o| o.place.service.is_some() && o.place.service == place.service && o.place.region == place.region)
        .count();
    if service >= SEVERAL {
        let (service_name, region) =
            (place.service.clone().unwrap_or_default(), place.region.clone().unwrap_or_default());
        return Some((format!("{service_name} in {region}"), service));
    }
    let account = with.iter().filter(|o| o.place.account.is_some() && o.place.account == place.account).count();
    (account >= SEVERAL).then(|| (format!("account {}", place.account.clone().unwrap_or_default()), account))
}

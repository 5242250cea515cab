//! The likely cause of an anomaly: what changed shortly before it, by Reeve or by others, and what
//! else was strange at the same time.

use jiff::SignedDuration;
use reeve_estate::{Attribute, ResourceChange};
use reeve_recommend::action::{Action, Purpose};
use reeve_recommend::words::minute;

use super::changes::by_others;
use super::investigation::HypothesisKind;
use super::likely_cause::LikelyCause;
use super::pace::POINT;
use super::record::{Anomaly, AnomalyClass, Place};
use super::words;

/// A change this long before an anomaly may have caused it.
pub(super) const SHORTLY: SignedDuration = SignedDuration::from_hours(2);
/// Longest distance between the starts of anomalies that may have one cause.
const TOGETHER: SignedDuration = SignedDuration::from_mins(30);
/// Others that make a cause shared.
const SEVERAL: usize = 2;
/// Changes of one moment that are named together.
const NAMED: usize = 3;

/// A cause with its evidence and the recommended response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedCause {
    pub cause: LikelyCause,
    /// Evidence, each a complete sentence.
    pub evidence: Vec<String>,
    /// Recommended response, as text for people.
    pub advice: String,
}

/// Facts about the time before an anomaly.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Actions of Reeve on the resource.
    pub actions: &'a [Action],
    /// Changes of its resource that inventories found.
    pub seen: &'a [ResourceChange],
    pub others: &'a [Anomaly],
}

/// Returns the likeliest cause: the last change of the resource, else what several resources that
/// became strange together have in common, else a change that seldom has an effect (tags).
#[must_use]
pub fn likely_cause(anomaly: &Anomaly, around: &Around<'_>) -> ExplainedCause {
    let mut evidence = Vec::new();
    if let Some(reading) = anomaly
        .readings
        .first()
        .filter(|_| anomaly.class == AnomalyClass::Cost)
    {
        let (value, expected) = (reading.value, reading.expected);
        let day = reading.at.strftime("%Y-%m-%d");
        evidence.push(format!(
            "cost a day was {value:.2} from {day} on, expected {expected:.2} ({})",
            reading.indication
        ));
    }

    let own = by_reeve(anomaly, around.actions);
    let seen = seen_shortly(anomaly, around);
    evidence.extend(own.map(|action| {
        format!(
            "action {} ended at {} on the same resource",
            action.id.0,
            minute(ended(action))
        )
    }));

    evidence.extend(
        seen.iter()
            .map(|change| format!("{}, as its inventory shows", changed(&[change]))),
    );
    let (grave, slight): (Vec<_>, Vec<_>) = seen
        .into_iter()
        .partition(|change| change.attribute != Attribute::Tags);
    let last = grave.iter().map(|change| change.seen_at).max();

    if let Some(action) = own.filter(|action| last.is_none_or(|seen| seen <= ended(action))) {
        return ExplainedCause {
            cause: LikelyCause::ChangeByReeve(Some(action.id.clone())),
            evidence,
            advice: format!(
                "Review action {} and roll it back if the problem persists.",
                action.id.0
            ),
        };
    }

    if last.is_some() {
        return by_somebody(HypothesisKind::ChangeByOthers, &grave, evidence);
    }

    let with = together(anomaly, around.others);
    if let Some((shared, count)) = shared(&anomaly.place, &with) {
        evidence.push(format!(
            "{count} other resources of {shared} became anomalous within 30 minutes"
        ));
        return ExplainedCause {
            cause: LikelyCause::Hypothesis {
                kind: Some(HypothesisKind::SharedCause),
                statement: shared_statement(&shared, count),
            },
            evidence,
            advice: format!(
                "Check what changed in {shared}: deployments, traffic, and the cloud provider's status page."
            ),
        };
    }

    let same = with
        .iter()
        .filter(|other| other.place.id == anomaly.place.id)
        .count();
    if same > 0 {
        evidence.push(format!("{same} other anomalies on the same resource"));
    }

    if slight.is_empty() {
        unknown(anomaly, evidence)
    } else {
        by_somebody(HypothesisKind::ChangedTags, &slight, evidence)
    }
}

pub(super) fn ended(action: &Action) -> jiff::Timestamp {
    action.finished_at.unwrap_or(action.started_at)
}

/// The last action on the resource shortly before.
pub(super) fn by_reeve<'a>(anomaly: &Anomaly, actions: &'a [Action]) -> Option<&'a Action> {
    // A point is dated by its beginning, and the change may have begun within it.
    let before = |action: &&Action| {
        anomaly.started_at >= action.started_at - POINT
            && anomaly.started_at.duration_since(ended(action)) <= SHORTLY
    };

    let own = actions
        .iter()
        .filter(|action| action.purpose == Purpose::Apply && action.resource.0 == anomaly.place.id);
    own.filter(before).max_by_key(|action| action.started_at)
}

/// Returns the anomalies that began at about the same time.
pub(super) fn together<'a>(anomaly: &Anomaly, others: &'a [Anomaly]) -> Vec<&'a Anomaly> {
    let near = |other: &&Anomaly| {
        other.id != anomaly.id
            && anomaly.started_at.duration_since(other.started_at).abs() <= TOGETHER
    };
    others.iter().filter(near).collect()
}

/// Returns the changes that others made to the resource shortly before; the newest last.
pub(super) fn seen_shortly<'a>(anomaly: &Anomaly, around: &Around<'a>) -> Vec<&'a ResourceChange> {
    let mut seen = by_others(around.seen, around.actions);
    seen.retain(|change| {
        change.resource.0 == anomaly.place.id
            && anomaly.started_at >= change.last_seen_at - POINT
            && anomaly.started_at.duration_since(change.seen_at) <= SHORTLY
    });
    seen.sort_by_key(|change| (change.seen_at, change.attribute));

    // Several connections may see one account.
    seen.dedup_by(|a, b| a.attribute == b.attribute && a.after == b.after);
    seen
}

/// Describes the changes in one sentence, with the two inventories that they are between.
pub(super) fn changed(changes: &[&ResourceChange]) -> String {
    let parts: Vec<String> = changes
        .iter()
        .take(NAMED)
        .map(|change| words::changed(change))
        .collect();

    let span = changes
        .last()
        .map(|change| words::between(change.last_seen_at, change.seen_at))
        .unwrap_or_default();
    format!("{} {span}, not by Reeve", parts.join(", and "))
}

/// The newest of the changes that others made.
fn by_somebody(
    kind: HypothesisKind,
    changes: &[&ResourceChange],
    evidence: Vec<String>,
) -> ExplainedCause {
    let last = changes.iter().map(|change| change.seen_at).max();
    let newest: Vec<&ResourceChange> = changes
        .iter()
        .filter(|change| Some(change.seen_at) == last)
        .copied()
        .collect();

    ExplainedCause {
        cause: LikelyCause::Hypothesis { kind: Some(kind), statement: changed(&newest) },
        evidence,
        advice: "Ask the person who changed it for the reason; revert the change if the problem persists.".to_owned(),
    }
}

/// Sentence of a cause that several anomalous resources share.
pub(super) fn shared_statement(shared: &str, others: usize) -> String {
    format!(
        "{} resources of {shared} became anomalous together, which points to a shared cause",
        others + 1
    )
}

/// Statement of a security anomaly that no threat list explains; `None` for other classes.
pub(super) fn behavior_statement(anomaly: &Anomaly) -> Option<String> {
    let reading = anomaly
        .readings
        .first()
        .filter(|_| anomaly.class == AnomalyClass::Security)?;
    let (subject, sign) = (&anomaly.place.id, reading.indication.to_string());
    Some(match &anomaly.activity {
        Some(activity) => activity.cause(subject, &sign),
        None => format!("someone may be using the credentials of {subject}: {sign}"),
    })
}

fn unknown(anomaly: &Anomaly, evidence: Vec<String>) -> ExplainedCause {
    let advice = anomaly
        .activity
        .as_ref()
        .map(|activity| activity.advice(&anomaly.place.id));
    let advice = advice.unwrap_or_else(|| {
        "Look at what ran on it at that time. Then say: real, false alarm, or planned.".to_owned()
    });
    ExplainedCause {
        cause: LikelyCause::Unknown,
        evidence,
        advice,
    }
}

/// The narrowest thing that several others at the same time have in common with the place: service
/// in a region, or account.
pub(super) fn shared(place: &Place, with: &[&Anomaly]) -> Option<(String, usize)> {
    let service = with
        .iter()
        .filter(|o| {
            o.place.service.is_some()
                && o.place.service == place.service
                && o.place.region == place.region
        })
        .count();

    if service >= SEVERAL {
        let (service_name, region) = (
            place.service.clone().unwrap_or_default(),
            place.region.clone().unwrap_or_default(),
        );
        return Some((format!("{service_name} in {region}"), service));
    }

    let account = with
        .iter()
        .filter(|o| o.place.account.is_some() && o.place.account == place.account)
        .count();
    (account >= SEVERAL).then(|| {
        (
            format!("account {}", place.account.clone().unwrap_or_default()),
            account,
        )
    })
}

//! `failure_prediction` of certificates: one in use that expires soon, of ACM or of a database. ACM
//! renews its own certificates 60 days before their end, so that one that is closer to it was not
//! renewed. RDS changes the certificate of a database only where somebody asks.

use jiff::{SignedDuration, Timestamp};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, ImpactAssessment, Priority};
use reeve_recommend::words::{day, first_of};
use serde_json::Value;

use super::PREVENTION;
use super::health::RULE;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

/// Part of the resource that the finding is about.
const ASPECT: &str = "expiry";
/// Days before the end from which the finding is critical.
const CRITICAL_DAYS: i64 = 7;
/// Users of the certificate that a sentence names.
const MOST_NAMED: usize = 3;

/// A certificate in use.
struct Certificate<'a> {
    ends: Timestamp,
    /// Resources that present it.
    users: Vec<&'a str>,
    action: String,
    /// Reason why Reeve does not replace it.
    by_hand: &'static str,
    renewal: Option<&'a str>,
}

/// Judges the end of a certificate of ACM.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let name = &facts.resource.name;
    let (document, ends) = end(facts, |document| {
        Timestamp::from_second(document["NotAfter"].as_f64()? as i64).ok()
    })?;

    let users: Vec<&str> = document["InUseBy"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if users.is_empty() {
        let unused = Abstention::decided(PREVENTION, "not_used", "nothing uses it");
        return Err(unused.with_aspect(ASPECT));
    }

    let action = if document["Type"].as_str() == Some("IMPORTED") {
        format!("Import a renewed certificate in the place of {name}: ACM renews no imported one")
    } else {
        format!(
            "Look at why ACM has not renewed {name}: its validation must still pass, which is a DNS record or an e-mail"
        )
    };
    let certificate = Certificate {
        ends,
        users,
        action,
        by_hand: "Reeve holds no private keys and validates no domains",
        renewal: document["RenewalSummary"]["RenewalStatus"].as_str(),
    };
    find(facts, settings, &certificate)
}

/// Judges the end of the certificate that a database presents.
pub(super) fn judge_database(
    facts: &Facts<'_>,
    settings: &Thresholds,
) -> Result<Proposal, Abstention> {
    let name = &facts.resource.name;
    let (_, ends) = end(facts, |document| {
        document["CertificateDetails"]["ValidTill"]
            .as_str()?
            .parse()
            .ok()
    })?;
    let certificate = Certificate {
        ends,
        users: vec![name],
        action: format!(
            "Give the clients of {name} the newer certificate authority of RDS, then change the database to it"
        ),
        by_hand: "clients that do not trust the newer authority would be refused, and only their people know them",
        renewal: None,
    };
    find(facts, settings, &certificate)
}

/// Reads the end of a certificate from the document.
fn end<'f>(
    facts: &Facts<'f>,
    read: impl FnOnce(&Value) -> Option<Timestamp>,
) -> Result<(&'f Value, Timestamp), Abstention> {
    let document = facts.document.map(reeve_estate::Document::json);
    let found = document.and_then(|document| Some((document, read(document)?)));
    found.ok_or_else(|| {
        let detail = "the time at which its certificate ends was not read";
        Abstention::unjudged(PREVENTION, "end_not_read", detail).with_aspect(ASPECT)
    })
}

fn find(
    facts: &Facts<'_>,
    settings: &Thresholds,
    certificate: &Certificate<'_>,
) -> Result<Proposal, Abstention> {
    let decided = |code, detail: String| {
        Err(Abstention::decided(PREVENTION, code, detail).with_aspect(ASPECT))
    };
    if !settings.failures {
        return decided("switched_off", format!("the setting {RULE}.enabled is off"));
    }

    let left = certificate.ends.duration_since(facts.now);
    let days = left.as_hours().div_euclid(24);
    let words = if left.is_negative() {
        format!("it expired on {}", day(certificate.ends))
    } else {
        format!("it expires on {}, in {days} days", day(certificate.ends))
    };
    if left > SignedDuration::from_hours(24 * settings.certificate_days) {
        return decided("not_about_to_expire", words);
    }

    Ok(propose(facts, certificate, days, words))
}

fn propose(facts: &Facts<'_>, certificate: &Certificate<'_>, days: i64, words: String) -> Proposal {
    let resource = facts.resource;
    let users = first_of(&certificate.users, MOST_NAMED, ", ");
    let mut path = Path::default();
    path.ask("Is the certificate in use?", true, users.clone());
    path.ask("Does it expire soon?", true, words.clone());

    let mut factors = Factors::from([
        (
            FactorKind::Measured,
            format!("The certificate is in use: {words}"),
        ),
        (FactorKind::Measured, format!("Used by {users}")),
        (FactorKind::Consequence, advice_only(certificate.by_hand)),
    ]);
    if let Some(renewal) = certificate.renewal {
        factors.add(
            FactorKind::Measured,
            format!("ACM says of its renewal: {renewal}"),
        );
    }

    let impact = "Clients refuse connections once it has expired".to_owned();
    ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: title("Renew the certificate of ", &resource.name, &in_days(days)),
        aspect: ASPECT.to_owned(),
        priority: if days < CRITICAL_DAYS {
            Priority::Critical
        } else {
            Priority::High
        },
        risk: Impact::Low,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "none".to_owned(),
            performance_degradation_percent: None,
            performance: impact.clone(),
            security: impact,
        },
        effort: Effort::Low,
        plan: None,
        reason_code: RULE.to_owned(),
        action: certificate.action.clone(),
        factors,
        data_points: 1,
        path,
    }
    .about(resource)
}

/// Says when it ends, for the title.
fn in_days(days: i64) -> String {
    match days {
        ..0 => ", which has expired".to_owned(),
        0 => ", which expires today".to_owned(),
        1 => ", which expires in a day".to_owned(),
        days => format!(", which expires in {days} days"),
    }
}

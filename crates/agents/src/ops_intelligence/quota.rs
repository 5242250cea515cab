//! `failure_prediction` of quotas: an account that has nearly used up what its cloud allows it in a
//! region, where the next launch or scaling would be refused. AWS counts most quotas for the region;
//! these are the ones whose use the inventory counts as AWS does.

use reeve_estate::{Document, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::region_quota::{self, RegionQuota};
use reeve_recommend::judgement::region_totals::RegionTotals;
use reeve_recommend::plan::procedure::request_quota;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority};

use super::PREVENTION;
use super::health::RULE;
use super::maintenance::none_but;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

/// Share of a quota in use from which the finding is critical, percent.
const CRITICAL_PERCENT: f64 = 100.0;
/// Requested quota as a multiple of the present one.
const HIGHER: f64 = 1.5;

/// A quota with the resources that count towards it.
struct CountedQuota {
    quota: RegionQuota,
    /// Part of the region that the finding is about.
    aspect: &'static str,
    /// Name of the counted kind.
    kind: &'static str,
    /// Counted resources, in words.
    counted: &'static str,
}

const QUOTAS: [CountedQuota; 6] = [
    CountedQuota {
        quota: region_quota::NETWORKS,
        aspect: "quota.networks",
        kind: "network",
        counted: "VPCs",
    },
    CountedQuota {
        quota: region_quota::INTERNET_GATEWAYS,
        aspect: "quota.internet_gateways",
        kind: "internet_gateway",
        counted: "internet gateways",
    },
    CountedQuota {
        quota: region_quota::NETWORK_INTERFACES,
        aspect: "quota.network_interfaces",
        kind: "network_interface",
        counted: "network interfaces",
    },
    CountedQuota {
        quota: region_quota::SECURITY_GROUPS,
        aspect: "quota.security_groups",
        kind: "security_group",
        counted: "security groups",
    },
    CountedQuota {
        quota: region_quota::ELASTIC_ADDRESSES,
        aspect: "quota.ip_addresses",
        kind: "ip_address",
        counted: "Elastic IP addresses",
    },
    CountedQuota {
        quota: region_quota::DATABASES,
        aspect: "quota.databases",
        kind: "database",
        counted: "RDS instances",
    },
];

/// Judges each quota of a region.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Vec<Result<Proposal, Abstention>> {
    QUOTAS
        .iter()
        .map(|quota| one(facts, settings, quota).map_err(|why| why.with_aspect(quota.aspect)))
        .collect()
}

fn one(
    facts: &Facts<'_>,
    settings: &Thresholds,
    quota: &CountedQuota,
) -> Result<Proposal, Abstention> {
    if !settings.failures {
        let detail = format!("the setting {RULE}.enabled is off");
        return Err(Abstention::decided(PREVENTION, "switched_off", detail));
    }

    let unread = |code, detail: &str| Err(Abstention::unjudged(PREVENTION, code, detail));
    let Some(allowed) = allowed(facts.document, quota) else {
        return unread("quota_not_read", "the quota of the region was not read");
    };
    let counted = ResourceKind::parse(quota.kind);
    let (Some(totals), Some(kind)) = (facts.get::<RegionTotals>(), counted) else {
        return unread(
            "not_counted",
            "the resources of the region were not counted",
        );
    };

    let used = totals.of(kind);
    let share = used as f64 / allowed * 100.0;
    let words = format!(
        "{used} of {allowed:.0} {} are in use ({})",
        quota.counted,
        whole(share)
    );
    if share < settings.quota_used {
        return Err(Abstention::decided(PREVENTION, "quota_is_enough", words));
    }

    Ok(propose(facts, quota, (allowed, share), words))
}

/// Reads the quota of the account; `None` where it was not read.
fn allowed(document: Option<&Document>, quota: &CountedQuota) -> Option<f64> {
    let value = &document?.json()[quota.quota.member];
    let read = value
        .as_f64()
        .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    read.filter(|allowed| *allowed > 0.0)
}

fn propose(
    facts: &Facts<'_>,
    quota: &CountedQuota,
    (allowed, share): (f64, f64),
    words: String,
) -> Proposal {
    let region = facts.resource;
    let RegionQuota { service, code, .. } = quota.quota;
    let wanted = (allowed * HIGHER).ceil() as u32;
    let allowed = allowed.round() as u32;
    let mut path = Path::default();
    path.ask("Is the quota nearly used up?", true, words.clone());

    let factors = Factors::from([
        (
            FactorKind::Measured,
            format!("In {}, {words}", region.region),
        ),
        (
            FactorKind::Consequence,
            "AWS decides about the request, in minutes or days, and takes none back; a higher quota changes nothing that runs"
                .to_owned(),
        ),
    ]);
    ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: title(
            "",
            &region.region,
            &format!(": {} of the quota of {} used", whole(share), quota.counted),
        ),
        aspect: quota.aspect.to_owned(),
        priority: if share >= CRITICAL_PERCENT {
            Priority::Critical
        } else {
            Priority::High
        },
        risk: Impact::Low,
        impact: none_but(format!(
            "A further one of the {} is refused at the quota",
            quota.counted
        )),
        effort: Effort::Low,
        plan: Some(request_quota(region, service, code, allowed, wanted)),
        reason_code: RULE.to_owned(),
        action: format!(
            "Request {wanted} {} instead of {allowed} in {}, or remove those that nothing uses",
            quota.counted, region.region
        ),
        factors,
        data_points: 1,
        path,
    }
    .about(region)
}

/// A share in whole percent, for sentences.
fn whole(share: f64) -> String {
    format!("{share:.0} %")
}

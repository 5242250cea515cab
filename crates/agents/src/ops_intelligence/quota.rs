//! `failure_prediction` of quotas: an account that has nearly used up what its cloud allows it in a
//! region, where the next launch or scaling would be refused. AWS counts most quotas for the region;
//! these are the ones whose use the inventory counts as AWS does.

use reeve_estate::{Document, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::region_totals::RegionTotals;
use reeve_recommend::plan::procedure::request_quota;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, ImpactAssessment, Priority};

use super::PREVENTION;
use super::health::RULE;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

/// Share of a quota in use from which the finding is critical, percent.
const CRITICAL_PERCENT: f64 = 100.0;
/// Requested quota as a multiple of the present one.
const HIGHER: f64 = 1.5;

/// A quota of a region, and what counts towards it.
struct RegionQuota {
    /// Member of the region's document with the quota that applies to the account.
    member: &'static str,
    /// Part of the region that the finding is about.
    aspect: &'static str,
    /// Name of the counted kind.
    kind: &'static str,
    /// What is counted, in words.
    counted: &'static str,
    /// Service and code of the quota, as Service Quotas names them.
    code: (&'static str, &'static str),
}

const QUOTAS: [RegionQuota; 6] = [
    RegionQuota {
        member: "QuotaNetworks",
        aspect: "quota.networks",
        kind: "network",
        counted: "VPCs",
        code: ("vpc", "L-F678F1CE"),
    },
    RegionQuota {
        member: "QuotaInternetGateways",
        aspect: "quota.internet_gateways",
        kind: "internet_gateway",
        counted: "internet gateways",
        code: ("vpc", "L-A4707A72"),
    },
    RegionQuota {
        member: "QuotaNetworkInterfaces",
        aspect: "quota.network_interfaces",
        kind: "network_interface",
        counted: "network interfaces",
        code: ("vpc", "L-DF5E4CA3"),
    },
    RegionQuota {
        member: "QuotaSecurityGroups",
        aspect: "quota.security_groups",
        kind: "security_group",
        counted: "security groups",
        code: ("vpc", "L-E79EC296"),
    },
    RegionQuota {
        member: "QuotaElasticAddresses",
        aspect: "quota.ip_addresses",
        kind: "ip_address",
        counted: "Elastic IP addresses",
        code: ("ec2", "L-0263D0A3"),
    },
    RegionQuota {
        member: "QuotaDatabases",
        aspect: "quota.databases",
        kind: "database",
        counted: "RDS instances",
        code: ("rds", "L-7B6409FD"),
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
    quota: &RegionQuota,
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
fn allowed(document: Option<&Document>, quota: &RegionQuota) -> Option<f64> {
    let value = &document?.json()[quota.member];
    let read = value
        .as_f64()
        .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    read.filter(|allowed| *allowed > 0.0)
}

fn propose(
    facts: &Facts<'_>,
    quota: &RegionQuota,
    (allowed, share): (f64, f64),
    words: String,
) -> Proposal {
    let region = facts.resource;
    let (service, code) = quota.code;
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
    let impact = format!(
        "A further one of the {} is refused at the quota",
        quota.counted
    );
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
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "none".to_owned(),
            performance_degradation_percent: None,
            performance: impact.clone(),
            security: "none".to_owned(),
        },
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

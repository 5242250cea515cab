//! Tables of the judgement: what each rule finds, what it leaves alone, and why.
#![allow(clippy::unwrap_used)]

mod databases;
mod generated;
mod quotas;
mod targets;

use jiff::SignedDuration;
use reeve_estate::{
    Document, GIB, Metric, PriceCatalogue, Resource, ResourceId, ResourceKind, ResourceState,
    SampleSeries,
};
use reeve_recommend::agent::Impact;
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::region_totals::RegionTotals;
use reeve_recommend::judgement::target_health::TargetsHealth;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::LearnedModels;
use reeve_recommend::recommendation::{Priority, RecommendationType};
use serde_json::{Value, json};

use super::judge;
use crate::cost_optimizer::tests::estate::{now, resource};

const HOURS_OF_DAY: f64 = 24.0;

/// A resource with its history.
struct Case {
    resource: Resource,
    volumes: Vec<Resource>,
    series: Vec<SampleSeries>,
    of_machine: Vec<SampleSeries>,
    document: Option<Document>,
    totals: Option<RegionTotals>,
    targets: Option<TargetsHealth>,
    settings: AgentSettings,
}

impl Case {
    fn new(kind: ResourceKind, service: &str) -> Case {
        let mut one = resource("r-1", kind, service, None);
        one.name = "r-1".to_owned();
        one.state = ResourceState::Running;
        one.specification.storage_gib = Some(100.0);
        Case {
            resource: one,
            volumes: Vec::new(),
            series: Vec::new(),
            of_machine: Vec::new(),
            document: None,
            totals: None,
            targets: None,
            settings: AgentSettings::default(),
        }
    }

    /// A volume that is the only one of its machine.
    fn volume() -> Case {
        let mut case = Case::new(ResourceKind::Volume, "ebs");
        case.resource.state = ResourceState::Available;
        case.resource.attached_to = vec![ResourceId::new("i-1")];
        case.resource.specification.storage_type = Some("gp3".to_owned());
        case.volumes = vec![case.resource.clone()];
        case
    }

    fn machine() -> Case {
        Case::new(ResourceKind::VirtualMachine, "ec2")
    }

    /// A point every half hour of so many days, by days before now.
    fn series(id: &str, metric: Metric, days: i64, value: impl Fn(f64) -> f64) -> SampleSeries {
        let backs = (1..=days * 48).rev();
        let points = backs.map(|back| {
            let at = now() - SignedDuration::from_mins(back * 30);
            (at, value(back as f64 / 48.0))
        });
        SampleSeries {
            resource: ResourceId::new(id),
            metric,
            points: points.collect(),
            period_s: 1800,
        }
    }

    fn measured(mut self, metric: Metric, days: i64, value: impl Fn(f64) -> f64) -> Case {
        let id = self.resource.id.as_str().to_owned();
        self.series.push(Case::series(&id, metric, days, value));
        self
    }

    /// The used share of the machine that the volume is attached to.
    fn used(mut self, days: i64, value: impl Fn(f64) -> f64) -> Case {
        let series = Case::series("i-1", Metric::DiskUtilization, days, value);
        self.of_machine.push(series);
        self
    }

    fn described(mut self, document: Value) -> Case {
        self.document = Some(Document::new(document));
        self
    }

    fn set(mut self, path: &str, value: SettingValue) -> Case {
        self.settings.0.insert(path.to_owned(), value);
        self
    }

    fn tagged(mut self, key: &str, value: &str) -> Case {
        self.resource.tags.insert(key.to_owned(), value.to_owned());
        self
    }

    fn judge(&self) -> Judgement {
        let mut open = OpenFacts::default().with(MachineSeries(self.of_machine.clone()));
        if let Some(totals) = &self.totals {
            open = open.with(totals.clone());
        }
        if let Some(targets) = &self.targets {
            open = open.with(targets.clone());
        }
        judge(&Facts {
            resource: &self.resource,
            series: &self.series,
            maxima: &[],
            charges: &[],
            document: self.document.as_ref(),
            relations: reeve_recommend::judgement::RelationIndex::none(),
            volumes: &self.volumes,
            catalogue: PriceCatalogue::builtin(),
            settings: &self.settings,
            guardrails: &Guardrails::default(),
            open: &open,
            models: LearnedModels::none(),
            attachment_changed_at: None,
            unchanged_since: None,
            now: now(),
        })
    }

    fn only(&self) -> Proposal {
        let judgement = self.judge();
        assert_eq!(judgement.proposals.len(), 1, "{:?}", judgement.abstentions);
        judgement.proposals.into_iter().next().unwrap()
    }

    /// The code of the abstention about a type and an aspect, with whether it is decisive.
    fn code(&self, kind: RecommendationType, aspect: Option<&str>) -> (&'static str, bool) {
        let judgement = self.judge();
        assert!(
            !judgement
                .proposals
                .iter()
                .any(|one| one.kind == kind && one.subject.aspect.as_deref() == aspect),
            "{:?}",
            judgement.proposals
        );
        let about = judgement
            .abstentions
            .iter()
            .find(|one| one.kind == Some(kind) && one.aspect.as_deref() == aspect)
            .unwrap();
        (about.code, about.decisive)
    }

    fn storage_code(&self) -> (&'static str, bool) {
        self.code(RecommendationType::StorageExpansion, None)
    }

    fn prevention_code(&self, aspect: &str) -> (&'static str, bool) {
        self.code(RecommendationType::FailurePrevention, Some(aspect))
    }
}

/// Deterministic noise within one percent around zero.
fn noise(back: f64) -> f64 {
    ((back * 48.0 * 7919.0).rem_euclid(101.0) - 50.0) / 100.0
}

/// Climbs two points a day to 91 % now.
fn climbing(back: f64) -> f64 {
    91.0 - 2.0 * back + noise(back)
}

#[test]
fn a_volume_that_is_full_within_the_days_of_the_warning_grows_with_approval() {
    let found = Case::volume().used(21, climbing).only();

    assert_eq!(found.kind, RecommendationType::StorageExpansion);
    assert_eq!(found.rule, "predict_disk_full");
    assert_eq!(found.title, "Expand the storage of r-1 from 100 to 125 GiB");
    let plan = found.plan.as_ref().unwrap();
    assert!(!plan.reversible);
    // However cheap, what cannot be undone is never of low impact.
    assert!(found.impact_level >= Impact::Medium);
    let factors = found.explanation.factors.texts();
    assert!(
        factors
            .iter()
            .any(|text| text.contains("storage does not shrink again")),
        "{factors:?}"
    );
    assert!(found.confidence <= 95.0);
}

#[test]
fn nothing_is_claimed_before_the_days_of_the_setting() {
    // Half the disk in a day: the first hours of a machine.
    let young = Case::volume().used(2, |back| 90.0 - 25.0 * back);

    assert_eq!(young.storage_code(), ("thin_data", false));
}

#[test]
fn growth_of_one_day_is_not_one_that_lasts() {
    let jumped = |back: f64| {
        if back < 0.6 {
            60.0 + 30.0 * (0.6 - back) / 0.6
        } else {
            60.0 + noise(back)
        }
    };
    let case = Case::volume().used(21, jumped);
    let judgement = case.judge();

    assert!(judgement.proposals.is_empty(), "{:?}", judgement.proposals);
}

#[test]
fn a_disk_that_is_cleaned_up_in_time_is_none() {
    // Rises from 40 to 85 % in three days, and is cleaned up, again and again.
    let saw = |back: f64| 40.0 + 15.0 * (30.0 - back).rem_euclid(3.0) + noise(back);
    let case = Case::volume().used(30, saw);

    let judgement = case.judge();

    assert!(judgement.proposals.is_empty(), "{:?}", judgement.proposals);
}

#[test]
fn a_level_that_stays_refutes_an_earlier_finding() {
    let case = Case::volume().used(21, |back| 60.0 + noise(back));

    assert_eq!(case.storage_code(), ("not_foreseen", true));
}

#[test]
fn what_is_not_measured_or_not_told_apart_is_left_alone_with_its_reason() {
    assert_eq!(Case::volume().storage_code(), ("disk_not_measured", false));

    let mut two = Case::volume().used(21, climbing);
    two.volumes.push(two.resource.clone());
    assert_eq!(two.storage_code(), ("file_systems_not_apart", false));

    let off = Case::volume()
        .used(21, climbing)
        .set("predict_disk_full.enabled", SettingValue::Flag(false));
    assert_eq!(off.storage_code(), ("switched_off", true));

    let ignored = Case::volume()
        .used(21, climbing)
        .tagged("reeve:ignore", "true");
    assert_eq!(ignored.judge().abstentions[0].code, "opted_out");
}

#[test]
fn settings_decide_the_days_the_probability_and_the_size() {
    // Full in four and a half days.
    let sooner = Case::volume()
        .used(21, climbing)
        .set("predict_disk_full.advance_warning", SettingValue::Days(1));
    assert_eq!(sooner.storage_code().0, "not_foreseen");

    let larger = Case::volume()
        .used(21, climbing)
        .set("predict_disk_full.enlarge_by", SettingValue::Percent(50.0));
    assert!(larger.only().title.ends_with("to 150 GiB"));

    let longer = Case::volume()
        .used(21, climbing)
        .set("capacity_forecasting.measured", SettingValue::Days(25));
    assert_eq!(longer.storage_code().0, "thin_data");
}

#[test]
fn a_database_runs_out_of_free_storage() {
    let mut case = Case::new(ResourceKind::Database, "rds");
    case.resource.specification.storage_type = Some("gp3".to_owned());
    let case = case.measured(Metric::FreeStorage, 21, |back| {
        GIB * (8.0 + 2.0 * back + noise(back) / 10.0)
    });
    let found = case.only();

    assert_eq!(found.rule, "predict_disk_full");
    assert!(found.plan.is_some());
    let factors = found.explanation.factors.texts();
    assert!(factors[0].contains("are free now"), "{factors:?}");
}

#[test]
fn a_machine_with_several_disks_gets_advice() {
    let mut case = Case::machine().measured(Metric::DiskUtilization, 21, climbing);
    case.resource.specification.storage_gib = None;
    let found = case.only();

    assert_eq!(found.kind, RecommendationType::StorageExpansion);
    assert!(found.plan.is_none());
}

#[test]
fn a_leak_is_found_with_its_service_and_the_quietest_time() {
    // Two points a day, restarted every nine days.
    let leaking = |back: f64| 40.0 + 4.0 * (27.0 - back).rem_euclid(9.0) + noise(back);
    // Three in the morning is quiet.
    let cpu = |back: f64| {
        let hour = (HOURS_OF_DAY - (back * HOURS_OF_DAY).rem_euclid(HOURS_OF_DAY)) as i64;
        if hour == 3 { 5.0 } else { 40.0 }
    };
    let case = Case::machine()
        .tagged("service", "checkout")
        .measured(Metric::MemoryUtilization, 27, leaking)
        .measured(Metric::CpuUtilization, 27, cpu);
    let found = case.only();

    assert_eq!(found.kind, RecommendationType::FailurePrevention);
    assert_eq!(found.title, "Memory leak of checkout on r-1");
    assert!(found.plan.is_none());
    let factors = found.explanation.factors.texts();
    assert!(
        factors
            .iter()
            .any(|text| text.starts_with("Its load is lowest on")),
        "{factors:?}"
    );

    let without = case.set(
        "suggest_maintenance_windows.enabled",
        SettingValue::Flag(false),
    );
    let factors = without.only().explanation.factors.texts();
    assert!(!factors.iter().any(|text| text.starts_with("Its load")));
}

#[test]
fn memory_that_stays_is_no_leak() {
    let case = Case::machine().measured(Metric::MemoryUtilization, 27, |back| 55.0 + noise(back));

    assert_eq!(case.prevention_code("memory"), ("no_leak", true));
}

#[test]
fn a_scheduled_retirement_is_found_and_one_that_is_over_is_not() {
    let event = |description: &str| {
        json!({ "InstanceStatus": [{
            "instanceId": "r-1",
            "systemStatus": { "status": "ok" },
            "instanceStatus": { "status": "ok" },
            "eventsSet": [
                { "code": "system-reboot", "description": "scheduled reboot",
                  "notBefore": "2026-12-02T00:00:00.000Z" },
                { "code": "instance-retirement", "description": description,
                  "notBefore": "2026-12-03T00:00:00.000Z" },
            ],
        }] })
    };
    let found = Case::machine().described(event("degraded hardware")).only();

    // The retirement goes before the earlier restart.
    assert_eq!(found.title, "The cloud retires r-1");
    assert!(found.priority >= Priority::High || found.priority == Priority::Critical);
    assert!(found.plan.is_none());
    assert_eq!(found.explanation.factors.texts().len(), 3);

    let over = Case::machine()
        .described(event("[Completed] degraded hardware"))
        .only();
    assert_eq!(over.title, "The cloud restarts r-1");
}

#[test]
fn a_status_is_a_fact_only_where_it_was_read() {
    let status = |check: &str| {
        json!({ "InstanceStatus": [{ "systemStatus": { "status": check },
                                     "instanceStatus": { "status": "ok" } }] })
    };
    let failing = Case::machine().described(status("impaired")).only();
    assert_eq!(failing.title, "r-1 fails its system status check");

    let check = |document: Value, expected| {
        let case = Case::machine().described(document);
        assert_eq!(case.prevention_code("health"), expected);
    };
    check(status("ok"), ("healthy", true));
    check(status("insufficient-data"), ("healthy", true));
    check(json!({}), ("status_not_read", false));
    check(
        json!({ "InstanceStatus": "[not read]" }),
        ("status_not_read", false),
    );
}

#[test]
fn a_certificate_in_use_is_found_before_its_end() {
    let kind = ResourceKind::parse("certificate").unwrap();
    let certificate = |days: i64, users: &[&str]| {
        let ends = now() + SignedDuration::from_hours(24 * days + 1);
        Case::new(kind, "acm").described(json!({
            "NotAfter": ends.as_second(), "InUseBy": users, "Type": "IMPORTED",
        }))
    };
    let found = certificate(12, &["lb-1"]).only();

    assert_eq!(
        found.title,
        "Renew the certificate of r-1, which expires in 12 days"
    );
    assert_eq!(found.priority, Priority::High);
    assert_eq!(
        certificate(3, &["lb-1"]).only().priority,
        Priority::Critical
    );

    let check = |case: Case, expected| assert_eq!(case.prevention_code("expiry"), expected);
    check(certificate(60, &["lb-1"]), ("not_about_to_expire", true));
    check(certificate(12, &[]), ("not_used", true));
    check(
        Case::new(kind, "acm").described(json!({})),
        ("end_not_read", false),
    );
    let narrow = SettingValue::Days(5);
    check(
        certificate(12, &["lb-1"]).set("failure_prediction.certificate_expires_within", narrow),
        ("not_about_to_expire", true),
    );
}

#[test]
fn a_database_presents_a_certificate_and_may_grow_without_being_asked() {
    let filling = || {
        Case::new(ResourceKind::Database, "rds").measured(Metric::FreeStorage, 21, |back| {
            GIB * (8.0 + 2.0 * back + noise(back) / 10.0)
        })
    };
    let grows = |most: &str| filling().described(json!({ "MaxAllocatedStorage": most }));
    assert_eq!(grows("500").storage_code(), ("grows_automatically", true));
    // It has 100 GiB, and cannot grow by a tenth.
    assert_eq!(grows("105").judge().proposals.len(), 1);

    let certificate = |until: &str| {
        Case::new(ResourceKind::Database, "rds")
            .described(json!({ "CertificateDetails": { "ValidTill": until } }))
    };
    let found = certificate("2026-11-26T12:00:00Z").only();
    assert_eq!(
        found.title,
        "Renew the certificate of r-1, which expires in 10 days"
    );
    assert_eq!(
        certificate("2061-05-25T23:59:59Z").prevention_code("expiry"),
        ("not_about_to_expire", true)
    );
}

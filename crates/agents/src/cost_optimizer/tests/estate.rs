//! Resources and generated series for the tables of the judgement's tests.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::charge::Charge;
use reeve_estate::charge::focus::FocusReader;
use reeve_estate::{
    Metric, PriceCatalogue, Purchase, Resource, ResourceKind, ResourceState, SampleSeries,
};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::LearnedModels;
use reeve_testkit::contract::estate::running;

use crate::cost_optimizer::judge;

/// Returns 2026-11-16T00:00:00Z, a Monday.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_794_787_200).unwrap_or_default()
}

/// A machine with a history, to be bent by each test.
pub(super) struct Case {
    pub(super) resource: Resource,
    pub(super) series: Vec<SampleSeries>,
    pub(super) maxima: Vec<SampleSeries>,
    pub(super) volumes: Vec<Resource>,
    pub(super) charges: Vec<Charge>,
    pub(super) settings: AgentSettings,
    pub(super) guardrails: Guardrails,
    pub(super) unchanged_since: Option<Timestamp>,
    pub(super) attachment_changed_at: Option<Timestamp>,
    pub(super) models: LearnedModels,
}

impl Case {
    /// A running on-demand machine in us-east-1 with nothing measured.
    pub(super) fn machine(size: &str) -> Self {
        Case {
            resource: resource("i-1", ResourceKind::VirtualMachine, "ec2", Some(size)),
            series: Vec::new(),
            maxima: Vec::new(),
            volumes: Vec::new(),
            charges: Vec::new(),
            settings: AgentSettings::default(),
            guardrails: Guardrails::default(),
            unchanged_since: None,
            attachment_changed_at: None,
            models: LearnedModels::default(),
        }
    }

    pub(super) fn database(class: &str) -> Self {
        let mut case = Case::machine(class);
        case.resource = resource("db-1", ResourceKind::Database, "rds", Some(class));
        case
    }

    /// Adds a series: `value(minutes before now)` every five minutes for some days; `None` leaves a
    /// gap.
    pub(super) fn with(
        mut self,
        metric: Metric,
        days: i64,
        value: impl Fn(i64) -> Option<f64>,
    ) -> Self {
        let points = (1..=days * 288)
            .rev()
            .filter_map(|back| {
                let at = now() - SignedDuration::from_mins(back * 5);
                value(back * 5).map(|value| (at, value))
            })
            .collect();

        self.series.push(SampleSeries {
            resource: self.resource.id.clone(),
            metric,
            points,
            period_s: 300,
        });

        self
    }

    /// Adds the daily maxima of a metric: `value(days before now)` for days `from` to `to`.
    pub(super) fn with_maxima(
        mut self,
        metric: Metric,
        (from, to): (i64, i64),
        value: impl Fn(i64) -> f64,
    ) -> Self {
        let points = (to..=from)
            .rev()
            .map(|back| (now() - SignedDuration::from_hours(24 * back), value(back)))
            .collect();

        self.maxima.push(SampleSeries {
            resource: self.resource.id.clone(),
            metric,
            points,
            period_s: 86_400,
        });

        self
    }

    /// Adds a series that never changes.
    pub(super) fn flat(self, metric: Metric, days: i64, value: f64) -> Self {
        self.with(metric, days, |_| Some(value))
    }

    /// Everything measured and small, so that only CPU decides.
    pub(super) fn all_else_small(self) -> Self {
        self.flat(Metric::MemoryUtilization, 30, 20.0)
            .flat(Metric::NetworkIn, 30, 50_000.0)
            .flat(Metric::NetworkOut, 30, 50_000.0)
            .flat(Metric::DiskRead, 30, 10_000.0)
            .flat(Metric::DiskWrite, 30, 10_000.0)
            .flat(Metric::DiskReadOps, 30, 5.0)
            .flat(Metric::DiskWriteOps, 30, 5.0)
    }

    pub(super) fn tag(mut self, key: &str, value: &str) -> Self {
        self.resource.tags.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Another constant level of a metric that is measured already.
    pub(super) fn flat_instead(mut self, metric: Metric, value: f64) -> Self {
        self.series.retain(|series| series.metric != metric);
        self.flat(metric, 30, value)
    }

    /// Thirty days of charges at a share of the list price of a dollar a day, under a commitment or
    /// not.
    pub(super) fn billed(mut self, effective: f64, pricing: &str) -> Self {
        let header = "BilledCost,ChargePeriodStart,BillingCurrency,ChargeCategory,EffectiveCost,ListCost,PricingCategory";
        let mut reader = FocusReader::from_header(header.split(',')).unwrap();
        let day = |back: i64| {
            let at = now() - SignedDuration::from_hours(24 * back);
            let cells = [
                "0",
                &at.to_string(),
                "USD",
                "Usage",
                &effective.to_string(),
                "1",
                pricing,
            ]
            .map(str::to_owned);
            reader
                .charge(|place| cells.get(place).map(String::as_str))
                .unwrap()
        };
        self.charges = (1..=30).rev().map(day).collect();

        self
    }

    pub(super) fn judge(&self) -> Judgement {
        judge(&self.facts())
    }

    /// Returns the proposals of earlier times, labelled by whether they proved right.
    pub(super) fn look_back(&self, times: &[Timestamp]) -> Vec<reeve_learn::calibrate::Example> {
        crate::cost_optimizer::retrospect::look_back(
            &self.facts(),
            reeve_recommend::agent::AgentType::COST_OPTIMIZER,
            times,
        )
    }

    pub(super) fn facts(&self) -> Facts<'_> {
        Facts {
            resource: &self.resource,
            series: &self.series,
            maxima: &self.maxima,
            charges: &self.charges,
            document: None,
            relations: reeve_recommend::judgement::RelationIndex::none(),
            volumes: &self.volumes,
            catalogue: PriceCatalogue::builtin(),
            settings: &self.settings,
            guardrails: &self.guardrails,
            open: reeve_recommend::judgement::open_facts::OpenFacts::none(),
            models: &self.models,
            attachment_changed_at: self.attachment_changed_at,
            unchanged_since: self.unchanged_since,
            now: now(),
        }
    }

    /// The codes of all abstentions, in order.
    pub(super) fn codes(&self) -> Vec<&'static str> {
        self.judge().abstentions.iter().map(|a| a.code).collect()
    }
}

pub(crate) fn resource(
    id: &str,
    kind: ResourceKind,
    service: &str,
    size: Option<&str>,
) -> Resource {
    let mut made = running(id, kind, size);
    made.service = service.to_owned();
    if kind == ResourceKind::Volume {
        made.state = ResourceState::Unattached;
    }

    made.specification.platform =
        (kind == ResourceKind::VirtualMachine).then(|| "linux".to_owned());
    made.purchase = Some(Purchase::OnDemand);
    made.created_at = Some(now() - SignedDuration::from_hours(24 * 90));
    made.observed_at = now();

    made
}

/// A value between 0 and 1 that depends on its place alone.
pub(super) fn noise(place: i64) -> f64 {
    let mixed = (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f64 / (1u64 << 24) as f64
}

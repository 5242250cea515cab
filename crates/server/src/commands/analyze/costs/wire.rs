//! The judgement as it is printed. Names hold: other programs read them (`docs/howto/analyze.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil::Date};
use reeve_anomalies::charges::{
    Anomaly, AnomalyKind, ChargeAbstention, ChargeAdvice, ChargeDimension, ChargeJudgement, Costs,
    CurrencyTotals, DAY_MS, TagCoverage, Totals,
};
use reeve_audit::format_instant;
use reeve_estate::charge::Amount;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// An amount as a JSON number with every digit it has.
#[derive(Debug, Clone, Copy)]
struct Exact(Amount);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string())
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

/// Everything that is printed.
#[derive(Debug, Serialize)]
pub(super) struct CostBill<'a> {
    totals: TotalsOut<'a>,
    anomalies: Vec<AnomalyOut<'a>>,
    recommendations: Vec<AdviceOut<'a>>,
    abstained: Vec<AbstentionOut<'a>>,
}

#[derive(Debug, Serialize)]
struct AbstentionOut<'a> {
    check: &'a str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct TotalsOut<'a> {
    charges: usize,
    period: Period,
    currencies: Vec<&'a str>,
    by_currency: BTreeMap<&'a str, CurrencyOut<'a>>,
}

#[derive(Debug, Serialize)]
struct Period {
    start: Option<String>,
    end: Option<String>,
    days: f64,
    /// Share of the days that have a charge, weighted by cost.
    presence: f64,
}

#[derive(Debug, Serialize)]
struct CostsOut {
    charges: u64,
    billed_cost: Exact,
    effective_cost: Exact,
    list_cost: Exact,
    contracted_cost: Exact,
}

#[derive(Debug, Serialize)]
struct Named<'a> {
    name: Option<&'a str>,
    #[serde(flatten)]
    costs: CostsOut,
}

#[derive(Debug, Serialize)]
struct Dated {
    date: String,
    #[serde(flatten)]
    costs: CostsOut,
}

#[derive(Debug, Serialize)]
struct CurrencyOut<'a> {
    #[serde(flatten)]
    costs: CostsOut,
    by_service: Vec<Named<'a>>,
    by_service_category: Vec<Named<'a>>,
    by_provider: Vec<Named<'a>>,
    by_account: Vec<Named<'a>>,
    by_sub_account: Vec<Named<'a>>,
    by_region: Vec<Named<'a>>,
    by_charge_category: Vec<Named<'a>>,
    by_pricing_category: Vec<Named<'a>>,
    by_day: Vec<Dated>,
    by_month: Vec<Dated>,
    tags: Option<TagsOut<'a>>,
    discounts: DiscountsOut,
}

#[derive(Debug, Serialize)]
struct TagsOut<'a> {
    tagged_cost: Exact,
    untagged_cost: Exact,
    coverage_percent: Option<f64>,
    keys: Vec<KeyOut<'a>>,
}

#[derive(Debug, Serialize)]
struct KeyOut<'a> {
    key: &'a str,
    cost: Exact,
    coverage_percent: Option<f64>,
}

#[derive(Debug, Serialize)]
struct DiscountsOut {
    negotiated: Exact,
    commitments: Exact,
    commitments_unused_cost: Exact,
    commitment_utilization_percent: Option<f64>,
    commitment_coverage_percent: Option<f64>,
    credits: Exact,
    refunds: Exact,
    taxes: Exact,
}

#[derive(Debug, Serialize)]
struct AnomalyOut<'a> {
    class: &'static str,
    kind: &'static str,
    currency: &'a str,
    provider: Option<&'a str>,
    service: Option<&'a str>,
    account: Option<&'a str>,
    start: String,
    end: String,
    days: i64,
    window: &'static str,
    baseline: &'static str,
    observed: Exact,
    expected: Exact,
    deviation: Exact,
    deviation_percent: Option<f64>,
    average_30d_daily: Exact,
    expected_from: &'static str,
    significance: f64,
    history_days: usize,
    contributors: Vec<ContributorOut<'a>>,
}

#[derive(Debug, Serialize)]
struct ContributorOut<'a> {
    resource: Option<&'a str>,
    description: Option<&'a str>,
    region: Option<&'a str>,
    observed: Exact,
    expected: Exact,
    share_percent: Option<f64>,
}

#[derive(Debug, Serialize)]
struct AdviceOut<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    priority: &'static str,
    currency: &'a str,
    provider: Option<&'a str>,
    service: Option<&'a str>,
    account: Option<&'a str>,
    resource: Option<&'a str>,
    savings: Option<SavingsOut<'a>>,
    spend: Exact,
    basis: &'static str,
    charges: usize,
    numbers: BTreeMap<&'static str, f64>,
    assumptions: &'a [&'static str],
    not_measured: &'a [&'static str],
}

#[derive(Debug, Serialize)]
struct SavingsOut<'a> {
    /// Cost a month at public prices.
    monthly: Exact,
    currency: &'a str,
    monthly_after_discounts: Exact,
}

impl<'a> CostBill<'a> {
    pub(super) fn new(judgement: &'a ChargeJudgement) -> Self {
        let abstention = |one: &'a ChargeAbstention| AbstentionOut {
            check: one.check.as_str(),
            reason: &one.reason,
        };
        CostBill {
            totals: totals(&judgement.totals),
            anomalies: judgement.anomalies.iter().map(anomaly).collect(),
            recommendations: judgement.advice.iter().map(advice).collect(),
            abstained: judgement.abstentions.iter().map(abstention).collect(),
        }
    }
}

fn totals(totals: &Totals) -> TotalsOut<'_> {
    let at = |ms: i64| {
        (totals.charges > 0)
            .then(|| Timestamp::from_millisecond(ms).map(format_instant).ok())
            .flatten()
    };

    let span = totals.span;
    TotalsOut {
        charges: totals.charges,
        period: Period {
            start: at(span.start_ms),
            end: at(span.end_ms),
            days: if totals.charges == 0 {
                0.0
            } else {
                rounded(span.days(), 1e3)
            },
            presence: rounded(span.presence, 1e3),
        },
        currencies: totals.currencies.keys().map(AsRef::as_ref).collect(),
        by_currency: totals
            .currencies
            .iter()
            .map(|(name, totals)| (name.as_ref(), currency(totals)))
            .collect(),
    }
}

fn currency(totals: &CurrencyTotals) -> CurrencyOut<'_> {
    let by = |dimension| totals.by.get(&dimension).map(named).unwrap_or_default();
    let day = |(day, of): (&i64, &Costs)| Dated {
        date: date(*day),
        costs: costs(of),
    };

    let month = |((year, month), of): (&(i16, i8), &Costs)| Dated {
        date: format!("{year:04}-{month:02}"),
        costs: costs(of),
    };

    let discounts = &totals.discounts;
    let (used, unused) = (
        discounts.committed.as_f64(),
        discounts.commitments_unused.as_f64(),
    );
    CurrencyOut {
        costs: costs(&totals.costs),
        by_service: by(ChargeDimension::Service),
        by_service_category: by(ChargeDimension::ServiceCategory),
        by_provider: by(ChargeDimension::Provider),
        by_account: by(ChargeDimension::Account),
        by_sub_account: by(ChargeDimension::SubAccount),
        by_region: by(ChargeDimension::Region),
        by_charge_category: by(ChargeDimension::ChargeCategory),
        by_pricing_category: by(ChargeDimension::PricingCategory),
        by_day: totals.by_day.iter().map(day).collect(),
        by_month: totals.by_month.iter().map(month).collect(),
        tags: totals.tags.as_ref().map(tags),
        discounts: DiscountsOut {
            negotiated: Exact(discounts.negotiated),
            commitments: Exact(discounts.commitments),
            commitments_unused_cost: Exact(discounts.commitments_unused),
            commitment_utilization_percent: percent(used, used + unused),
            commitment_coverage_percent: percent(used, used + discounts.on_demand.as_f64()),
            credits: Exact(discounts.credits),
            refunds: Exact(discounts.refunds),
            taxes: Exact(discounts.taxes),
        },
    }
}

/// Converts costs by name, the dearest first.
fn named(values: &BTreeMap<Arc<str>, Costs>) -> Vec<Named<'_>> {
    let mut all: Vec<_> = values.iter().collect();
    all.sort_by_key(|(_, of)| std::cmp::Reverse(of.effective));
    all.into_iter()
        .map(|(name, of)| Named {
            name: given(name),
            costs: costs(of),
        })
        .collect()
}

fn costs(costs: &Costs) -> CostsOut {
    CostsOut {
        charges: costs.charges,
        billed_cost: Exact(costs.billed),
        effective_cost: Exact(costs.effective),
        list_cost: Exact(costs.list),
        contracted_cost: Exact(costs.contracted),
    }
}

fn tags(tags: &TagCoverage) -> TagsOut<'_> {
    let all = tags.tagged.as_f64() + tags.untagged.as_f64();
    let mut keys: Vec<_> = tags.keys.iter().collect();
    keys.sort_by_key(|(_, cost)| std::cmp::Reverse(**cost));

    TagsOut {
        tagged_cost: Exact(tags.tagged),
        untagged_cost: Exact(tags.untagged),
        coverage_percent: percent(tags.tagged.as_f64(), all),
        keys: keys
            .into_iter()
            .map(|(key, cost)| KeyOut {
                key,
                cost: Exact(*cost),
                coverage_percent: percent(cost.as_f64(), all),
            })
            .collect(),
    }
}

fn anomaly(anomaly: &Anomaly) -> AnomalyOut<'_> {
    let deviation = anomaly.observed - anomaly.expected;
    let contributors = anomaly.contributors.iter().map(|part| ContributorOut {
        resource: given(&part.resource),
        description: given(&part.description),
        region: given(&part.region),
        observed: Exact(part.observed),
        expected: Exact(part.expected),
        share_percent: percent((part.observed - part.expected).as_f64(), deviation.as_f64()),
    });

    AnomalyOut {
        class: "cost",
        kind: match anomaly.kind {
            AnomalyKind::Spike => "spike",
            AnomalyKind::Shift => "shift",
            AnomalyKind::New => "new",
            AnomalyKind::Drop => "drop",
        },
        currency: &anomaly.scope.currency,
        provider: given(&anomaly.scope.provider),
        service: given(&anomaly.scope.service),
        account: given(&anomaly.scope.account),
        start: date(anomaly.first_day),
        end: date(anomaly.last_day),
        days: anomaly.last_day - anomaly.first_day + 1,
        window: "24h",
        baseline: "30d_average",
        observed: Exact(anomaly.observed),
        expected: Exact(anomaly.expected),
        deviation: Exact(deviation),
        deviation_percent: percent(deviation.as_f64(), anomaly.expected.as_f64()),
        average_30d_daily: Exact(anomaly.average),
        expected_from: if anomaly.weekly {
            "median of the same weekdays"
        } else {
            "average of the 30 days before"
        },
        significance: rounded(anomaly.significance, 1e2),
        history_days: anomaly.history,
        contributors: contributors.collect(),
    }
}

fn advice(advice: &ChargeAdvice) -> AdviceOut<'_> {
    AdviceOut {
        kind: advice.advice_type.as_str(),
        title: &advice.title,
        priority: advice.priority.as_str(),
        currency: &advice.scope.currency,
        provider: given(&advice.scope.provider),
        service: given(&advice.scope.service),
        account: given(&advice.scope.account),
        resource: advice.resource.as_deref(),
        savings: advice.saving.map(|saving| SavingsOut {
            monthly: Exact(saving.at_list),
            currency: &advice.scope.currency,
            monthly_after_discounts: Exact(saving.after_discounts),
        }),
        spend: Exact(advice.spend),
        basis: if advice.as_observed {
            "as observed in the file"
        } else {
            "a month"
        },
        charges: advice.charges,
        numbers: advice
            .numbers
            .iter()
            .map(|(name, value)| (*name, rounded(*value, 1e6)))
            .collect(),
        assumptions: &advice.assumptions,
        not_measured: &advice.not_measured,
    }
}

fn given(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn percent(part: f64, of: f64) -> Option<f64> {
    (of != 0.0).then(|| rounded(100.0 * part / of, 1e2))
}

fn rounded(value: f64, to: f64) -> f64 {
    (value * to).round() / to
}

/// A day since the epoch as `2026-11-20`.
fn date(day: i64) -> String {
    let at = day
        .checked_mul(DAY_MS)
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    at.map_or(Date::ZERO, |at| TimeZone::UTC.to_datetime(at).date())
        .to_string()
}

//! Judgement of a bill alone: totals, days that cost more than they should, and what could be
//! saved.
//!
//! Pure: charges in, a judgement out, the same for the same charges in the same order. Currencies
//! are never added up. A charge is counted in one saving only. What a bill cannot tell is said
//! instead of guessed: a saving that depends on something unmeasured has no amount, and a file too
//! thin to judge gets a reason ([`ChargeAbstention`]).

mod advice;
mod anomaly;
mod days;
mod spending;
mod totals;
mod traits;
mod windows;

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_estate::charge::{Amount, Charge, ChargeCategory};

pub use advice::{AdviceType, ChargeAdvice, ChargeSaving};
pub use anomaly::{Anomaly, AnomalyKind, Contributor};
pub use days::ChargeScope;
pub use spending::{
    Spending, SpendingGroup, SpendingKey, SpendingProperty, SpendingQuery, SpendingReader,
    USUAL_DAYS, spending,
};
pub use totals::{ChargeDimension, Costs, CurrencyTotals, Discounts, TagCoverage, Totals};
pub use windows::{WindowAnomaly, Windows, windows};

pub(crate) use days::{is_short, spread};

use days::Days;

/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;
/// Milliseconds of an average month: a twelfth of 365 days.
const MONTH_MS: i64 = 365 * DAY_MS / 12;

/// Limits from which a day's cost is unusual. The defaults are those of A-289: 20 %
/// over 24 hours against a 30-day average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnomalyLimits {
    /// Deviation from what is expected, percent.
    pub threshold_percent: f64,
    /// Days that the average is of.
    pub baseline_days: usize,
    /// Days of history below which nothing is said.
    pub least_history: usize,
    /// Deviation in robust standard deviations of the history.
    pub least_significance: f64,
    /// Deviation in the currency's own units.
    pub least_amount: f64,
}

impl Default for AnomalyLimits {
    fn default() -> Self {
        AnomalyLimits {
            threshold_percent: 20.0,
            baseline_days: 30,
            least_history: 14,
            least_significance: 4.0,
            least_amount: 1.0,
        }
    }
}

reeve_estate::named!(
    /// Check of a bill.
    BillCheck {
        /// Days and hours that cost unusually much or little.
        Anomalies => "anomalies",
        CommitmentCoverage => "commitment_coverage",
        /// Resources that cost and are not used.
        Idle => "idle",
        /// Savings of a month.
        MonthlySavings => "monthly_savings",
        Tags => "tags",
    }
);

/// Something that was not judged, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeAbstention {
    /// Check that could not be made.
    pub check: BillCheck,
    /// Reason, with its numbers.
    pub reason: String,
}

/// Judgement of one bill.
#[derive(Debug, Clone, PartialEq)]
pub struct ChargeJudgement {
    /// Totals of the charges.
    pub totals: Totals,
    /// Unusual days, the costliest first.
    pub anomalies: Vec<Anomaly>,
    /// Possible savings, largest first, then advice without an amount.
    pub advice: Vec<ChargeAdvice>,
    /// Checks that could not be made, each with the reason.
    pub abstentions: Vec<ChargeAbstention>,
}

/// The time that a bill is of, and how much of it the charges fill.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChargeSpan {
    /// Start of the bill, milliseconds since 1970.
    pub start_ms: i64,
    /// The first after it.
    pub end_ms: i64,
    /// Of the days of the bill, the share on which what is sold to an account at all was sold,
    /// weighted by cost.
    pub presence: f64,
}

/// Days of charges below which a month cannot be estimated.
const LEAST_DAYS: f64 = 7.0;
/// Presence below which a bill is a sample of one: a whole bill has most of what is sold to an
/// account on most days.
const LEAST_PRESENCE: f64 = 0.5;

impl ChargeSpan {
    /// Its length in days.
    #[must_use]
    pub fn days(self) -> f64 {
        (self.end_ms - self.start_ms) as f64 / DAY_MS as f64
    }

    /// Reason why the charges are too few for a monthly figure.
    fn thin(self, rows: usize) -> Option<String> {
        if self.days() < LEAST_DAYS {
            return Some(format!(
                "{rows} charges of {:.1} days; a monthly figure needs at least {LEAST_DAYS} days",
                self.days()
            ));
        }
        (self.presence < LEAST_PRESENCE).then(|| {
            format!(
                "{rows} charges: what they are for occurs on {:.0} % of {:.0} days, where a whole bill has most of it on most days, so this looks like a sample of one",
                self.presence * 100.0,
                self.days()
            )
        })
    }

    /// An amount of the whole span as one of a month; as it is where the span is thin.
    fn monthly(self, amount: Amount, thin: bool) -> Amount {
        if thin {
            amount
        } else {
            amount.share(MONTH_MS, self.end_ms - self.start_ms)
        }
    }
}

/// First day of the level that people called usual, by service.
pub type Baselines = BTreeMap<ChargeScope, i64>;

/// Judges a bill on its own, without baselines of earlier bills.
#[must_use]
pub fn judge(charges: &[Charge], limits: &AnomalyLimits) -> ChargeJudgement {
    judge_from(charges, limits, &Baselines::new())
}

/// Judges a bill where people called another level usual: what was before it counts at the new
/// level.
#[must_use]
pub fn judge_from(
    charges: &[Charge],
    limits: &AnomalyLimits,
    baselines: &Baselines,
) -> ChargeJudgement {
    let days = Days::from_charges(charges);
    let span = days.span(charges);
    let totals = totals::total(charges, span);
    let thin = span.thin(charges.len());
    let mut abstentions = Vec::new();
    let anomalies = match thin.clone().or_else(|| anomaly::cannot(&days, limits)) {
        Some(reason) => {
            abstentions.push(ChargeAbstention {
                check: BillCheck::Anomalies,
                reason,
            });
            Vec::new()
        }
        None => anomaly::find(charges, &days, limits, baselines),
    };

    let advice = advice::advise(charges, &days, span, thin.as_deref(), &mut abstentions);
    ChargeJudgement {
        totals,
        anomalies,
        advice,
        abstentions,
    }
}

/// A text that may be missing.
fn named(text: Option<&Arc<str>>) -> Arc<str> {
    text.cloned().unwrap_or_else(|| Arc::from(""))
}

/// Returns `true` for usage charges that are no corrections; purchases, taxes and credits are none.
pub(crate) fn is_usage(charge: &Charge) -> bool {
    charge.category == ChargeCategory::Usage && !charge.correction
}

#[cfg(test)]
mod tests;

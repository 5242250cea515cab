//! A budget held against charges: what was spent in its period, and what the whole period is
//! expected to cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use reeve_audit::Obstacle;
use reeve_estate::charge::{Amount, Charge};
use reeve_learn::grid::Grid;
use reeve_learn::{Point, forecast};
use serde::{Deserialize, Serialize};

use super::period::{day, number};
use super::{Budget, BudgetSpan};
use crate::charges::{DAY_MS, is_short, is_usage, spread};

/// Days of history that a forecast rests on at most.
const HISTORY: i64 = 400;
/// Days of charges below which nothing is forecast.
const LEAST: i64 = 7;

/// A budget held against charges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetStatus {
    /// The period that was evaluated.
    #[serde(flatten)]
    pub span: BudgetSpan,
    /// Charges of the period so far.
    pub spent: Amount,
    /// Charges of the whole period as expected, or the reason why nothing is.
    #[serde(flatten, with = "forecast_form")]
    pub forecast: Result<Amount, Obstacle>,
    /// The last day that bills fill.
    #[serde(default)]
    pub data_until: Option<Date>,
    /// Charges of each day of the period that has some.
    pub days: Vec<(Date, Amount)>,
    /// Charges of the days to come as expected.
    pub ahead: Vec<(Date, Amount)>,
    /// Charges of the period in the scope in other currencies, which are not counted.
    pub not_counted: Vec<(String, Amount)>,
    /// Time of the evaluation.
    pub evaluated_at: Timestamp,
}

/// Stored form of a forecast: the amount as `forecast`, or the reason as `no_forecast`.
mod forecast_form {
    use super::{Amount, Deserialize, Obstacle, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Form {
        #[serde(default)]
        forecast: Option<Amount>,
        #[serde(default)]
        no_forecast: Option<String>,
    }

    pub(super) fn serialize<S: serde::Serializer>(
        forecast: &Result<Amount, Obstacle>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let form = Form {
            forecast: forecast.as_ref().ok().copied(),
            no_forecast: forecast.as_ref().err().map(ToString::to_string),
        };
        form.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<Amount, Obstacle>, D::Error> {
        let form = Form::deserialize(deserializer)?;

        Ok(form
            .forecast
            .ok_or_else(|| form.no_forecast.unwrap_or_default().into()))
    }
}

/// Holds a budget against charges.
#[must_use]
pub fn evaluate(budget: &Budget, charges: &[Charge], now: Timestamp) -> BudgetStatus {
    let span = budget.period.span_at(now);
    let (first, end) = (number(span.start), number(span.end));
    let mut daily: BTreeMap<i64, Amount> = BTreeMap::new();
    let mut others: BTreeMap<Arc<str>, Amount> = BTreeMap::new();
    for charge in charges
        .iter()
        .filter(|charge| budget.scope.includes(charge))
    {
        if charge.currency.eq_ignore_ascii_case(&budget.currency) {
            spread(charge, |day, amount| {
                *daily.entry(day).or_default() += amount
            });
        } else {
            spread(charge, |day, amount| {
                if (first..end).contains(&day) {
                    *others.entry(charge.currency.clone()).or_default() += amount;
                }
            });
        }
    }

    // Fees of a month reach beyond the day on which a bill was made; what is used by the hour or
    // the day does not.
    let used = charges
        .iter()
        .filter(|charge| is_usage(charge) && is_short(charge));
    let last = used
        .map(|charge| charge.end_ms.div_euclid(DAY_MS) - 1)
        .max();
    let today = now.as_millisecond().div_euclid(DAY_MS);
    let spent = daily
        .range(first..end.min(today + 1))
        .map(|(_, amount)| *amount)
        .sum();
    let ahead = ahead(&daily, last, end);
    let forecast = ahead.as_ref().map_err(Clone::clone).map(|ahead| {
        // The rest of the period begins after the last whole day of the bills; what is charged
        // there already is the least it costs.
        let known: Amount = last.map_or(Amount::ZERO, |last| {
            daily
                .range(first..=last.max(first - 1))
                .map(|(_, amount)| *amount)
                .sum()
        });
        let rest: Amount = ahead
            .iter()
            .filter(|(day, _)| *day >= first)
            .map(|(day, expected)| (*expected).max(daily.get(day).copied().unwrap_or_default()))
            .sum();
        (known + rest).max(spent)
    });

    BudgetStatus {
        span,
        spent,
        forecast,
        data_until: last.map(day),
        days: daily
            .range(first..end)
            .map(|(at, amount)| (day(*at), *amount))
            .collect(),
        ahead: ahead
            .unwrap_or_default()
            .into_iter()
            .filter(|(at, _)| *at >= first)
            .map(|(at, amount)| (day(at), amount))
            .collect(),
        not_counted: others
            .into_iter()
            .map(|(currency, amount)| (currency.to_string(), amount))
            .collect(),
        evaluated_at: now,
    }
}

/// Returns the charges expected of each day after the last one of the bills, up to the end of the
/// period.
fn ahead(
    daily: &BTreeMap<i64, Amount>,
    last: Option<i64>,
    end: i64,
) -> Result<Vec<(i64, Amount)>, Obstacle> {
    let last = last.ok_or_else(|| "no bill has charges by the hour or day".to_owned())?;
    if last + 1 >= end {
        return Ok(Vec::new());
    }

    let begun = daily
        .range(..=last)
        .next()
        .map(|(day, _)| *day)
        .ok_or_else(|| "no charge is in the scope".to_owned())?;
    let begun = begun.max(last - HISTORY + 1);
    let days = last - begun + 1;

    if days < LEAST {
        return Err(Obstacle::of(format_args!(
            "{days} days of charges are too few for a forecast; it takes {LEAST}"
        )));
    }

    let points: Vec<Point> = (begun..=last)
        .map(|day| {
            (
                day * DAY_MS,
                daily.get(&day).map_or(0.0, |amount| amount.as_f64()),
            )
        })
        .collect();
    let grid = Grid::with_step(&points, DAY_MS).map_err(Obstacle::of)?;

    let steps = usize::try_from(end - 1 - last).unwrap_or(0);
    let settings = forecast::ForecastSettings {
        horizon: steps.min(31),
        ..forecast::ForecastSettings::default()
    };
    let model = forecast::fit(&grid, &settings).map_err(Obstacle::of)?;
    let bands = model.forecast(steps);

    Ok(bands
        .iter()
        .zip(last + 1..)
        .map(|(band, day)| (day, Amount::from_f64(band.p50).rounded(4)))
        .collect())
}

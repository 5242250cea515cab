//! Budgets, their standing and their alerts. Amounts are decimals as text, so that none is rounded.

use jiff::civil::Date;
use reeve_anomalies::budget::{
    Basis, Budget, BudgetAlert, BudgetId, BudgetStatus, Period, Scope, Span, Threshold,
};
use reeve_estate::Amount;
use serde::{Deserialize, Serialize};

use super::{RowError, named, time};

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct ThresholdRow {
    percent: u32,
    #[serde(with = "basis")]
    basis: Basis,
}

/// A basis by its name.
mod basis {
    use super::{Basis, Deserialize};

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
    pub(super) fn serialize<S: serde::Serializer>(
        basis: &Basis,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(basis.as_str())
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Basis, D::Error> {
        let text = String::deserialize(deserializer)?;
        Basis::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no basis")))
    }
}

impl From<Threshold> for ThresholdRow {
    fn from(threshold: Threshold) -> Self {
        ThresholdRow {
            percent: threshold.percent,
            basis: threshold.basis,
        }
    }
}

impl From<ThresholdRow> for Threshold {
    fn from(row: ThresholdRow) -> Self {
        Threshold {
            percent: row.percent,
            basis: row.basis,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BudgetRow {
    id: String,
    name: String,
    amount: String,
    currency: String,
    period: String,
    providers: Vec<String>,
    accounts: Vec<String>,
    services: Vec<String>,
    tags: Vec<(String, String)>,
    thresholds: Vec<ThresholdRow>,
    channels: Vec<String>,
    recipients: Vec<String>,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&Budget> for BudgetRow {
    fn from(budget: &Budget) -> Self {
        BudgetRow {
            id: budget.id.0.clone(),
            name: budget.name.clone(),
            amount: budget.amount.to_string(),
            currency: budget.currency.clone(),
            period: budget.period.as_str().to_owned(),
            providers: budget.scope.providers.clone(),
            accounts: budget.scope.accounts.clone(),
            services: budget.scope.services.clone(),
            tags: budget.scope.tags.clone(),
            thresholds: budget
                .thresholds
                .iter()
                .map(|threshold| (*threshold).into())
                .collect(),
            channels: budget.channels.clone(),
            recipients: budget.recipients.clone(),
            created_at: budget.created_at.to_string(),
            updated_at: budget.updated_at.to_string(),
            version: budget.version,
        }
    }
}

impl BudgetRow {
    pub(crate) fn into_budget(self) -> Result<Budget, RowError> {
        Ok(Budget {
            id: BudgetId(self.id),
            name: self.name,
            amount: amount(&self.amount)?,
            currency: self.currency,
            period: named("period", &self.period, Period::parse)?,
            scope: Scope {
                providers: self.providers,
                accounts: self.accounts,
                services: self.services,
                tags: self.tags,
            },
            thresholds: self.thresholds.into_iter().map(Into::into).collect(),
            channels: self.channels,
            recipients: self.recipients,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

/// Status of a budget.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StandingRow {
    start: String,
    end: String,
    spent: String,
    #[serde(default)]
    forecast: Option<String>,
    #[serde(default)]
    no_forecast: Option<String>,
    #[serde(default)]
    data_until: Option<String>,
    days: Vec<(String, String)>,
    ahead: Vec<(String, String)>,
    not_counted: Vec<(String, String)>,
    evaluated_at: String,
}

impl From<&BudgetStatus> for StandingRow {
    fn from(standing: &BudgetStatus) -> Self {
        let by_day = |days: &[(Date, Amount)]| {
            days.iter()
                .map(|(day, amount)| (day.to_string(), amount.to_string()))
                .collect()
        };
        StandingRow {
            start: standing.span.start.to_string(),
            end: standing.span.end.to_string(),
            spent: standing.spent.to_string(),
            forecast: standing.forecast.as_ref().ok().map(ToString::to_string),
            no_forecast: standing.forecast.as_ref().err().map(ToString::to_string),
            data_until: standing.data_until.map(|day| day.to_string()),
            days: by_day(&standing.days),
            ahead: by_day(&standing.ahead),
            not_counted: standing
                .not_counted
                .iter()
                .map(|(name, amount)| (name.clone(), amount.to_string()))
                .collect(),
            evaluated_at: standing.evaluated_at.to_string(),
        }
    }
}

impl StandingRow {
    pub(crate) fn into_status(self) -> Result<BudgetStatus, RowError> {
        let by_day = |days: Vec<(String, String)>| {
            days.into_iter()
                .map(|(day, spent)| Ok((date(&day)?, amount(&spent)?)))
                .collect::<Result<Vec<_>, RowError>>()
        };

        let not_counted = self
            .not_counted
            .into_iter()
            .map(|(name, spent)| Ok((name, amount(&spent)?)));
        Ok(BudgetStatus {
            span: Span {
                start: date(&self.start)?,
                end: date(&self.end)?,
            },
            spent: amount(&self.spent)?,
            forecast: match self.forecast {
                Some(forecast) => Ok(amount(&forecast)?),
                None => Err(self.no_forecast.unwrap_or_default().into()),
            },
            data_until: self.data_until.as_deref().map(date).transpose()?,
            days: by_day(self.days)?,
            ahead: by_day(self.ahead)?,
            not_counted: not_counted.collect::<Result<Vec<_>, RowError>>()?,
            evaluated_at: time(&self.evaluated_at)?,
        })
    }
}

/// A threshold that was reached.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BudgetAlertRow {
    id: String,
    budget: String,
    budget_name: String,
    period_start: String,
    threshold: ThresholdRow,
    value: String,
    amount: String,
    currency: String,
    raised_at: String,
}

impl From<&BudgetAlert> for BudgetAlertRow {
    fn from(alert: &BudgetAlert) -> Self {
        BudgetAlertRow {
            id: alert.id.clone(),
            budget: alert.budget.0.clone(),
            budget_name: alert.budget_name.clone(),
            period_start: alert.period_start.to_string(),
            threshold: alert.threshold.into(),
            value: alert.value.to_string(),
            amount: alert.amount.to_string(),
            currency: alert.currency.clone(),
            raised_at: alert.raised_at.to_string(),
        }
    }
}

impl BudgetAlertRow {
    pub(crate) fn into_alert(self) -> Result<BudgetAlert, RowError> {
        Ok(BudgetAlert {
            id: self.id,
            budget: BudgetId(self.budget),
            budget_name: self.budget_name,
            period_start: date(&self.period_start)?,
            threshold: self.threshold.into(),
            value: amount(&self.value)?,
            amount: amount(&self.amount)?,
            currency: self.currency,
            raised_at: time(&self.raised_at)?,
        })
    }
}

fn amount(text: &str) -> Result<Amount, RowError> {
    text.parse().map_err(|_| RowError::Unknown {
        field: "amount",
        value: text.to_owned(),
    })
}

fn date(text: &str) -> Result<Date, RowError> {
    text.parse().map_err(|_| RowError::Time(text.to_owned()))
}

//! The report of last uses of an account, as the connector writes it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

/// Kind of the report.
pub(super) const REPORT: &str = "last_access_report";

/// Last use of a principal or a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastUse {
    /// It was used on a day.
    On(Date),
    /// No use is recorded: the record of IAM goes back 400 days.
    Never,
    /// It was not read.
    Unknown,
}

/// Last uses of an account's principals and keys.
#[derive(Debug)]
pub(super) struct LastAccess {
    /// Day on which the report was read.
    pub(super) read_on: Date,
    report: Value,
}

impl LastAccess {
    pub(super) fn new(report: Value, read_at: Timestamp) -> LastAccess {
        LastAccess {
            read_on: read_at.to_zoned(TimeZone::UTC).date(),
            report,
        }
    }

    pub(super) fn of_key(&self, id: &str) -> LastUse {
        last_use(self.report["AccessKeys"].get(id))
    }

    /// Returns the last use of a user or role, by whatever it signed in with.
    pub(super) fn of_principal(&self, arn: &str) -> LastUse {
        let services = self.services(arn);
        let of_services = services.and_then(|services| services.values().max().copied());
        match (last_use(self.report["Principals"].get(arn)), of_services) {
            (LastUse::On(day), Some(other)) => LastUse::On(day.max(other)),
            (LastUse::Never, Some(day)) => LastUse::On(day),
            (last, _) => last,
        }
    }

    /// Returns the services that a principal used, with the day of the last use of each; `None` if
    /// they were not read.
    pub(super) fn services(&self, arn: &str) -> Option<BTreeMap<&str, Date>> {
        let services = self.report["Principals"].get(arn)?.get("Services")?;
        let of = services.as_object()?.iter();
        of.map(|(name, day)| Some((name.as_str(), day.as_str()?.parse().ok()?)))
            .collect()
    }

    /// Returns the services that a principal used since a day.
    pub(super) fn services_since(&self, arn: &str, since: Date) -> Option<BTreeSet<&str>> {
        let services = self.services(arn)?.into_iter();
        Some(
            services
                .filter(|(_, day)| *day >= since)
                .map(|(name, _)| name)
                .collect(),
        )
    }

    /// Returns the first day of a window that ends on the day of the report.
    pub(super) fn since(&self, days: i64) -> Date {
        self.read_on.saturating_sub(days.days())
    }
}

fn last_use(member: Option<&Value>) -> LastUse {
    match member.and_then(|member| member.get("LastUsed")) {
        Some(Value::Null) => LastUse::Never,
        Some(Value::String(day)) => day.parse().map_or(LastUse::Unknown, LastUse::On),
        _ => LastUse::Unknown,
    }
}

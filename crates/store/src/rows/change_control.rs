//! Change control, a part of the guardrails.

use jiff::tz::TimeZone;
use reeve_recommend::{ChangeControl, Day, Direction, Freeze, IacRule, MaintenanceWindow, Scope};
use serde::{Deserialize, Serialize};

use super::{RowError, named, time};

#[derive(Debug, Serialize, Deserialize)]
struct ScopeRow {
    accounts: Vec<String>,
    services: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WindowRow {
    name: String,
    scope: ScopeRow,
    days: Vec<String>,
    start: String,
    duration_minutes: u32,
    time_zone: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct FreezeRow {
    name: String,
    scope: ScopeRow,
    from: String,
    until: String,
}

/// Change control, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangeControlRow {
    windows: Vec<WindowRow>,
    freezes: Vec<FreezeRow>,
    direction: String,
    infrastructure_as_code: String,
}

impl Default for ChangeControlRow {
    fn default() -> Self {
        ChangeControlRow::from(&ChangeControl::default())
    }
}

impl From<&Scope> for ScopeRow {
    fn from(from: &Scope) -> Self {
        ScopeRow {
            accounts: from.accounts.clone(),
            services: from.services.clone(),
        }
    }
}

impl From<ScopeRow> for Scope {
    fn from(from: ScopeRow) -> Self {
        Scope {
            accounts: from.accounts,
            services: from.services,
        }
    }
}

impl From<&ChangeControl> for ChangeControlRow {
    fn from(from: &ChangeControl) -> Self {
        let window = |window: &MaintenanceWindow| WindowRow {
            name: window.name.clone(),
            scope: ScopeRow::from(&window.scope),
            days: window
                .days
                .iter()
                .map(|day| day.as_str().to_owned())
                .collect(),
            start: window.start.to_string(),
            duration_minutes: window.duration_minutes,
            time_zone: window.time_zone.iana_name().unwrap_or("UTC").to_owned(),
        };

        let freeze = |freeze: &Freeze| FreezeRow {
            name: freeze.name.clone(),
            scope: ScopeRow::from(&freeze.scope),
            from: freeze.from.to_string(),
            until: freeze.until.to_string(),
        };

        ChangeControlRow {
            windows: from.windows.iter().map(window).collect(),
            freezes: from.freezes.iter().map(freeze).collect(),
            direction: from.direction.as_str().to_owned(),
            infrastructure_as_code: from.infrastructure_as_code.as_str().to_owned(),
        }
    }
}

impl WindowRow {
    fn into_window(self) -> Result<MaintenanceWindow, RowError> {
        Ok(MaintenanceWindow {
            name: self.name,
            scope: self.scope.into(),
            days: self
                .days
                .iter()
                .map(|day| named("days", day, Day::parse))
                .collect::<Result<_, _>>()?,
            start: named("start", &self.start, |text| text.parse().ok())?,
            duration_minutes: self.duration_minutes,
            time_zone: named("time_zone", &self.time_zone, |name| {
                TimeZone::get(name).ok()
            })?,
        })
    }
}

impl ChangeControlRow {
    pub(super) fn into_change_control(self) -> Result<ChangeControl, RowError> {
        let freeze = |row: FreezeRow| {
            let (from, until) = (time(&row.from)?, time(&row.until)?);
            Ok(Freeze {
                name: row.name,
                scope: row.scope.into(),
                from,
                until,
            })
        };
        Ok(ChangeControl {
            windows: self
                .windows
                .into_iter()
                .map(WindowRow::into_window)
                .collect::<Result<_, _>>()?,
            freezes: self
                .freezes
                .into_iter()
                .map(freeze)
                .collect::<Result<_, RowError>>()?,
            direction: named("direction", &self.direction, Direction::parse)?,
            infrastructure_as_code: named(
                "infrastructure_as_code",
                &self.infrastructure_as_code,
                IacRule::parse,
            )?,
        })
    }
}

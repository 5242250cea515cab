//! Change control and exclusions on the wire.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use reeve_audit::FieldCode;
use reeve_recommend::agent::AgentScope;
use reeve_recommend::guardrail::change_control::{
    ChangeControl, Day, Direction, Freeze, IacRule, MaintenanceWindow,
};
use reeve_recommend::recommendation::exclusion::Exclusion;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::Problem;
use crate::time;
use crate::wire::form::enumeration;

/// Rules of when, in which direction and by which owner resources may be changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChangeControlBody {
    /// Windows in which interrupting changes may begin; a resource that none covers may be
    /// interrupted at any time.
    pub maintenance_windows: Vec<MaintenanceWindowBody>,
    /// Periods in which nothing is changed.
    pub freezes: Vec<FreezeBody>,
    /// `both`, `up_only`, `down_only`; a resource's tag `reeve:direction` overrules it.
    #[schema(value_type = enumeration::ChangeDirection)]
    pub direction: String,
    /// Treatment of resources that infrastructure as code owns.
    #[schema(value_type = enumeration::IacRule)]
    pub infrastructure_as_code: String,
}

impl Default for ChangeControlBody {
    fn default() -> Self {
        ChangeControlBody::from(&ChangeControl::default())
    }
}

/// A time of the week in which agents may change resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MaintenanceWindowBody {
    pub name: String,
    /// Account identifiers or connection names; empty is all.
    #[serde(default)]
    pub accounts: Vec<String>,
    /// Services; empty is all.
    #[serde(default)]
    pub services: Vec<String>,
    /// `monday` to `sunday`; empty is every day.
    #[serde(default)]
    pub days: Vec<String>,
    /// Local time at which it opens, as `22:00`.
    pub start: String,
    /// Time that it stays open, minutes.
    pub duration_minutes: u32,
    /// IANA time zone, as `Europe/Berlin`.
    #[serde(default = "utc")]
    pub time_zone: String,
}

fn utc() -> String {
    "UTC".to_owned()
}

/// A period in which nothing is changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FreezeBody {
    pub name: String,
    /// Account identifiers or connection names; empty is all.
    #[serde(default)]
    pub accounts: Vec<String>,
    /// Services; empty is all.
    #[serde(default)]
    pub services: Vec<String>,
    pub from: String,
    pub until: String,
}

impl From<&ChangeControl> for ChangeControlBody {
    fn from(from: &ChangeControl) -> Self {
        let window = |window: &MaintenanceWindow| MaintenanceWindowBody {
            name: window.name.clone(),
            accounts: window.scope.accounts.clone(),
            services: window.scope.services.clone(),
            days: window
                .days
                .iter()
                .map(|day| day.as_str().to_owned())
                .collect(),
            start: window.start.strftime("%H:%M").to_string(),
            duration_minutes: window.duration_minutes,
            time_zone: window.time_zone.iana_name().unwrap_or("UTC").to_owned(),
        };

        let freeze = |freeze: &Freeze| FreezeBody {
            name: freeze.name.clone(),
            accounts: freeze.scope.accounts.clone(),
            services: freeze.scope.services.clone(),
            from: time::text(freeze.from),
            until: time::text(freeze.until),
        };

        ChangeControlBody {
            maintenance_windows: from.windows.iter().map(window).collect(),
            freezes: from.freezes.iter().map(freeze).collect(),
            direction: from.direction.as_str().to_owned(),
            infrastructure_as_code: from.infrastructure_as_code.as_str().to_owned(),
        }
    }
}

fn one_of<T>(field: &str, text: &str, parsed: Option<T>, names: &str) -> Result<T, Problem> {
    let wrong = || {
        Problem::field(
            field,
            FieldCode::InvalidValue,
            format!("{text:?} is not one of {names}"),
        )
    };
    parsed.ok_or_else(wrong)
}

impl ChangeControlBody {
    /// The domain's form.
    ///
    /// # Errors
    /// 422 naming the field.
    pub fn into_change_control(self) -> Result<ChangeControl, Problem> {
        let rule = IacRule::parse(&self.infrastructure_as_code);
        let named = |(at, window): (usize, MaintenanceWindowBody)| window.into_window(at);
        let freeze = |(at, body): (usize, FreezeBody)| {
            let path = |field: &str| format!("change_control.freezes[{at}].{field}");
            let (from, until) = (
                time::parse(&path("from"), &body.from)?,
                time::parse(&path("until"), &body.until)?,
            );
            let scope = AgentScope {
                accounts: body.accounts,
                services: body.services,
            };
            Ok(Freeze {
                name: body.name,
                scope,
                from,
                until,
            })
        };

        Ok(ChangeControl {
            direction: one_of(
                "change_control.direction",
                &self.direction,
                Direction::parse(&self.direction),
                "both, up_only, down_only",
            )?,
            infrastructure_as_code: one_of(
                "change_control.infrastructure_as_code",
                &self.infrastructure_as_code,
                rule,
                "patch, allow",
            )?,
            windows: self
                .maintenance_windows
                .into_iter()
                .enumerate()
                .map(named)
                .collect::<Result<_, _>>()?,
            freezes: self
                .freezes
                .into_iter()
                .enumerate()
                .map(freeze)
                .collect::<Result<_, Problem>>()?,
        })
    }
}

impl MaintenanceWindowBody {
    fn into_window(self, at: usize) -> Result<MaintenanceWindow, Problem> {
        let path = |field: &str| format!("change_control.maintenance_windows[{at}].{field}");
        let wrong = |field: &str, message: String| {
            Problem::field(path(field), FieldCode::InvalidValue, message)
        };
        let day = |text: &String| one_of(&path("days"), text, Day::parse(text), "monday to sunday");
        let start: Time = self.start.parse().map_err(|_| {
            wrong(
                "start",
                format!("{:?} is not a time of day such as 22:00", self.start),
            )
        })?;

        let time_zone = TimeZone::get(&self.time_zone).map_err(|_| {
            wrong(
                "time_zone",
                format!(
                    "{:?} is not an IANA time zone such as Europe/Berlin",
                    self.time_zone
                ),
            )
        })?;

        Ok(MaintenanceWindow {
            days: self.days.iter().map(day).collect::<Result<_, _>>()?,
            name: self.name,
            scope: AgentScope {
                accounts: self.accounts,
                services: self.services,
            },
            start,
            duration_minutes: self.duration_minutes,
            time_zone,
        })
    }
}

/// Exclusion from recommendations, with its reason.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExclusionBody {
    pub id: String,
    /// The provider's identifier of a resource; absent is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// An account; absent is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// A type of recommendation; absent is all.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Part of resources, such as a check; absent is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
    pub reason: String,
    /// End; absent for one that lasts until somebody removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// `true` if it holds now.
    pub holds: bool,
    /// User who created it.
    pub by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
}

impl ExclusionBody {
    /// As it stands at a time.
    #[must_use]
    pub fn new(exclusion: &Exclusion, now: jiff::Timestamp) -> Self {
        ExclusionBody {
            id: exclusion.id.0.clone(),
            resource: exclusion.resource.clone(),
            account: exclusion.account.clone(),
            kind: exclusion.kind.map(|kind| kind.as_str().to_owned()),
            aspect: exclusion.aspect.clone(),
            reason: exclusion.reason.clone(),
            until: exclusion.until.map(time::text),
            holds: exclusion.holds(now),
            by: exclusion.by.clone(),
            at: time::text(exclusion.at),
        }
    }
}

/// A new exclusion: a resource, an account, a type, or several of them together.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExclusionCreateBody {
    /// The provider's identifier of a resource.
    pub resource: Option<String>,
    pub account: Option<String>,
    /// A type of recommendation.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Part of resources that findings are about, such as the check
    /// `aws.s3.blocks_public_access`.
    pub aspect: Option<String>,
    pub reason: String,
    pub until: Option<String>,
}

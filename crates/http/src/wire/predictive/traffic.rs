//! Traffic intelligence on the wire, as write it: `learn_patterns: true`,
//! `event_awareness: "calendar_integration"`, `pre_scale: "15m before a traffic spike"`.

use reeve_audit::FieldCode;
use reeve_estate::TimeSpan;
use reeve_predict::{Preparation, TrafficInput, TrafficIntelligence};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::Problem;
use crate::wire::form::quantity::{Spelled, TimeSpanText};

/// Value of a setting that is switched off.
const DISABLED: &str = "disabled";
/// Name of the source of events.
const CALENDARS: &str = "calendar_integration";
/// Occasion of a failover.
const MAINTENANCE: &str = "maintenance_windows";

/// Settings of traffic intelligence: which events forecasts consider.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TrafficIntelligenceBody {
    /// Peaks are forecast from the past of each series. Without it only events of calendars
    /// announce peaks.
    pub learn_patterns: bool,
    /// Forecasts of peaks know the days, weeks and years of a series.
    pub seasonal_adjustments: bool,
    /// `calendar_integration`: forecasts of peaks know the events of calendars; else `disabled`.
    pub event_awareness: String,
    /// Time before a traffic spike at which capacity is added, such as `15m`; `disabled` while its
    /// rule is off.
    #[schema(example = "15m")]
    pub pre_scale: String,
    /// Time before high traffic at which caches are warmed, such as `30m`; `disabled` while its
    /// rule is off.
    #[schema(example = "30m")]
    pub warm_cache: String,
    /// `maintenance_windows`: a failover is prepared before them; `disabled` while its rule is off.
    pub prepare_failover: String,
    /// Time before a maintenance window at which the failover is prepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare_failover_lead: Option<TimeSpanText>,
    /// Identifiers of the rules that prepare, by setting; a rule that was removed is missing.
    pub rules: std::collections::BTreeMap<&'static str, String>,
    /// Grows with every change of the first three settings.
    pub version: u64,
}

/// A change of traffic intelligence. What is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficIntelligencePut {
    /// Peaks are forecast from the past of each series.
    pub learn_patterns: Option<bool>,
    /// Forecasts of peaks know the days, weeks and years of a series.
    pub seasonal_adjustments: Option<bool>,
    /// `calendar_integration`, `disabled`, `true` or `false`.
    pub event_awareness: Option<Switch>,
    /// Time before a traffic spike, from `1m` to `7d`; `disabled` or `false` switches it off,
    /// `true` on.
    pub pre_scale: Option<Switch>,
    /// Time before high traffic, from `1m` to `7d`; `disabled` or `false` switches it off, `true`
    /// on.
    pub warm_cache: Option<Switch>,
    /// `maintenance_windows`, or the time before them; `disabled` or `false` switches it off,
    /// `true` on.
    pub prepare_failover: Option<Switch>,
    /// Time before a maintenance window at which the failover is prepared.
    pub prepare_failover_lead: Option<TimeSpanText>,
    /// Ignored: rules are changed by their own operations.
    pub rules: Option<serde_json::Map<String, serde_json::Value>>,
    /// Version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// A switch with a value.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Switch {
    /// Switches it on or off.
    Flag(bool),
    Text(String),
}

const NAMES: [(Preparation, &str); 3] = [
    (Preparation::PreScale, "pre_scale"),
    (Preparation::WarmCache, "warm_cache"),
    (Preparation::PrepareFailover, "prepare_failover"),
];

impl From<&TrafficIntelligence> for TrafficIntelligenceBody {
    fn from(of: &TrafficIntelligence) -> Self {
        let lead = |preparation| {
            of.lead_s(preparation)
                .map(|seconds| TimeSpan::from_seconds(seconds.unsigned_abs()))
        };

        let shown = |preparation| {
            lead(preparation).map_or_else(|| DISABLED.to_owned(), |span| span.to_string())
        };

        let named = |on: bool, name: &str| {
            if on {
                name.to_owned()
            } else {
                DISABLED.to_owned()
            }
        };

        let failover = lead(Preparation::PrepareFailover);
        let rules = NAMES.iter().filter_map(|(preparation, name)| {
            of.rules[*preparation as usize]
                .as_ref()
                .map(|rule| (*name, rule.id.0.clone()))
        });

        TrafficIntelligenceBody {
            learn_patterns: of.settings.learn_patterns,
            seasonal_adjustments: of.settings.seasonal_adjustments,
            event_awareness: named(of.settings.event_awareness, CALENDARS),
            pre_scale: shown(Preparation::PreScale),
            warm_cache: shown(Preparation::WarmCache),
            prepare_failover: named(failover.is_some(), MAINTENANCE),
            prepare_failover_lead: failover.map(Spelled),
            rules: rules.collect(),
            version: of.settings.version,
        }
    }
}

impl TrafficIntelligencePut {
    /// Returns the change. `before` gives the lead times that `true` switches on again.
    ///
    /// # Errors
    /// 422 naming the field.
    pub fn into_input(self, before: &TrafficIntelligence) -> Result<TrafficInput, Problem> {
        let event_awareness = match self.event_awareness {
            None => None,
            Some(Switch::Flag(on)) => Some(on),
            Some(Switch::Text(text)) => match plain(&text).as_str() {
                // `via calendar integration` is the wording of requirement A-210.
                "calendar_integration" | "via_calendar_integration" => Some(true),
                DISABLED => Some(false),
                _ => {
                    return Err(wrong(
                        "event_awareness",
                        "must be one of calendar_integration, disabled",
                    ));
                }
            },
        };

        let last = |preparation: Preparation| {
            let rule = before.rules[preparation as usize].as_ref();
            rule.map_or_else(|| usual(preparation), |rule| rule.condition.horizon_s)
        };

        let failover = match (self.prepare_failover_lead, self.prepare_failover) {
            (Some(lead), None) => Some(Switch::Text(lead.0.to_string())),
            (Some(lead), Some(Switch::Flag(true))) => Some(Switch::Text(lead.0.to_string())),
            (Some(lead), Some(Switch::Text(text))) if is_maintenance(&text) => {
                Some(Switch::Text(lead.0.to_string()))
            }
            (_, Some(Switch::Text(text))) if is_maintenance(&text) => Some(Switch::Flag(true)),
            (_, given) => given,
        };
        let given = [self.pre_scale, self.warm_cache, failover];

        let mut leads_s = [None; 3];
        for (((preparation, name), given), lead_s) in NAMES.into_iter().zip(given).zip(&mut leads_s)
        {
            *lead_s = given
                .map(|given| lead(name, &given, || last(preparation)))
                .transpose()?;
        }

        Ok(TrafficInput {
            learn_patterns: self.learn_patterns,
            seasonal_adjustments: self.seasonal_adjustments,
            event_awareness,
            leads_s,
            version: self.version,
        })
    }
}

/// Lead time of a preparation that was removed, seconds.
const fn usual(preparation: Preparation) -> i64 {
    match preparation {
        Preparation::PreScale => 15 * 60,
        Preparation::WarmCache => 30 * 60,
        Preparation::PrepareFailover => 3_600,
    }
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase().replace(' ', "_")
}

fn is_maintenance(text: &str) -> bool {
    matches!(
        plain(text).as_str(),
        "maintenance_windows" | "for_maintenance_windows"
    )
}

/// Seconds of a lead time: `15m`, and `15m before a traffic spike` as A-211 words it.
fn lead(field: &str, given: &Switch, last: impl FnOnce() -> i64) -> Result<Option<i64>, Problem> {
    let text = match given {
        Switch::Flag(true) => return Ok(Some(last())),
        Switch::Flag(false) => return Ok(None),
        Switch::Text(text) => text.trim(),
    };

    if text == DISABLED {
        return Ok(None);
    }

    let span = text.split_once(" before ").map_or(text, |(span, _)| span);
    let seconds = span
        .parse::<TimeSpan>()
        .ok()
        .and_then(|span| i64::try_from(span.seconds()).ok());
    seconds
        .map(Some)
        .ok_or_else(|| wrong(field, "must be a time span such as 15m, or disabled"))
}

fn wrong(field: &str, message: &str) -> Problem {
    Problem::field(field, FieldCode::InvalidValue, message.to_owned())
}

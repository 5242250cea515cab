//! Traffic intelligence: settings of what forecasts of traffic learn from. The lead times are those
//! of the rules that come with Reeve.

use reeve_recommend::predictive::PredictiveRule;
use reeve_recommend::recommendation::origin::RuleId;
use serde::{Deserialize, Serialize};

use super::preset::{MAINTENANCE_FAILOVER, TRAFFIC_PRE_SCALE, TRAFFIC_WARM_CACHE};

/// Sources that forecasts of peaks learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficSettings {
    /// Peaks are forecast from the past of each series. Without it only events of calendars
    /// announce peaks.
    pub learn_patterns: bool,
    /// Forecasts of peaks know days, weeks and years.
    pub seasonal_adjustments: bool,
    /// Forecasts of peaks know the events of calendars.
    pub event_awareness: bool,
    /// Grows with every change.
    pub version: u64,
}

impl Default for TrafficSettings {
    fn default() -> Self {
        TrafficSettings {
            learn_patterns: true,
            seasonal_adjustments: true,
            event_awareness: true,
            version: 0,
        }
    }
}

/// A preparation for traffic: the rule that prepares, and how long before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// More capacity before a peak.
    PreScale,
    /// Caches filled before a peak.
    WarmCache,
    /// Standby made ready before a maintenance.
    PrepareFailover,
}

impl Preparation {
    /// Every preparation, in the order of lead times in a change.
    pub const ALL: [Preparation; 3] = [
        Preparation::PreScale,
        Preparation::WarmCache,
        Preparation::PrepareFailover,
    ];

    /// Identifier of the rule that comes with Reeve.
    #[must_use]
    pub fn rule_id(self) -> RuleId {
        let id = match self {
            Preparation::PreScale => TRAFFIC_PRE_SCALE,
            Preparation::WarmCache => TRAFFIC_WARM_CACHE,
            Preparation::PrepareFailover => MAINTENANCE_FAILOVER,
        };
        RuleId(id.to_owned())
    }
}

/// Traffic intelligence as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficIntelligence {
    /// Sources that forecasts learn from.
    pub settings: TrafficSettings,
    /// Rule of each preparation; `None` for one that was removed.
    pub rules: [Option<PredictiveRule>; 3],
}

impl TrafficIntelligence {
    /// Seconds that a preparation begins before what it prepares for; `None` while it is switched
    /// off or its rule is gone.
    #[must_use]
    pub fn lead_s(&self, preparation: Preparation) -> Option<i64> {
        let rule = self.rules[preparation as usize].as_ref()?;
        rule.enabled.then_some(rule.condition.horizon_s)
    }
}

/// A change of traffic intelligence; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrafficInput {
    /// See [`TrafficSettings::learn_patterns`].
    pub learn_patterns: Option<bool>,
    /// See [`TrafficSettings::seasonal_adjustments`].
    pub seasonal_adjustments: Option<bool>,
    /// See [`TrafficSettings::event_awareness`].
    pub event_awareness: Option<bool>,
    /// Lead time of each preparation in seconds, in the order of [`Preparation::ALL`]; `Some(None)`
    /// switches it off.
    pub leads_s: [Option<Option<i64>>; 3],
    /// Version that was read.
    pub version: Option<u64>,
}

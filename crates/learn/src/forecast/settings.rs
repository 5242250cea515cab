//! Settings of a forecast, and the reasons to abstain.

/// Effort that a fit may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// One of thousands of series: about a millisecond.
    #[default]
    Estate,
    /// One series somebody waits for: more past origins, and seasons other than the calendar's are
    /// looked for.
    Thorough,
}

/// Kind of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ForecastKind {
    /// Detected from the values.
    #[default]
    Auto,
    /// A value may rise and fall.
    Gauge,
    /// A count that only grows until it restarts at zero. The forecast continues from the last
    /// value and foresees no restart.
    Counter,
}

/// A span of time with a name: a sale, a holiday, a backup. Spans with the same label are taken to
/// do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForecastEvent {
    /// Name of the event.
    pub label: String,
    /// First millisecond of it, since the epoch.
    pub from_ms: i64,
    /// First millisecond after it.
    pub until_ms: i64,
}

/// Settings of a forecast.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForecastSettings {
    /// Steps ahead that intervals are calibrated for; a longer forecast widens by how they grew up
    /// to there. 0: one week, or a third of the series where that is less.
    pub horizon: usize,
    /// Effort that the fit may spend.
    pub effort: Effort,
    /// Kind of the values.
    pub kind: ForecastKind,
    /// Spans with a known name, past and to come.
    pub events: Vec<ForecastEvent>,
    /// Leaves out seasons: the forecast follows level and trend alone.
    pub seasonless: bool,
}

/// Reason why there is no forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForecastAbstention {
    /// Too little was measured to say anything about the spread.
    #[error("{measured} values are too few for a forecast; it takes at least {needed}")]
    TooShort {
        /// Finite values there are.
        measured: usize,
        /// Finite values it takes.
        needed: usize,
    },
}

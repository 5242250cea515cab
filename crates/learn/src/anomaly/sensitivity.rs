//! Sensitivity: how much evidence an alarm takes.

/// Sensitivity of alarms. It changes scores only at alarms, whose rows score a half at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sensitivity {
    /// Only what is very strange.
    Low,
    /// Alarms only for points that are anomalous beyond doubt.
    #[default]
    Medium,
    /// Alarms for all points that are probably not due to chance.
    High,
}

impl Sensitivity {
    /// Every sensitivity, the least sensitive first.
    pub const ALL: [Sensitivity; 3] = [Sensitivity::Low, Sensitivity::Medium, Sensitivity::High];

    /// Strength in nats, beyond what the length of the past requires, that is an alarm. Half a nat
    /// more or less about doubles or halves the false alarms; `docs/learning/anomalies.md` has the
    /// figures of all three.
    pub(crate) const fn alarm_nats(self) -> f64 {
        match self {
            Sensitivity::Low => 2.2,
            Sensitivity::Medium => 1.5,
            Sensitivity::High => 1.0,
        }
    }
}

//! Incidents: groups of the alarms of one event.

use super::{AnomalyJudgement, Sign};

/// Strange points at most this many points apart are one incident.
const APART: u32 = 100;

/// A stretch of strangeness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Incident {
    /// Time of the alarm, in milliseconds since the epoch.
    pub start_ms: i64,
    /// Last anomalous point, milliseconds since 1970.
    pub end_ms: i64,
    /// The point with the highest score.
    pub peak_ms: i64,
    /// Highest score of the incident, 0.5 to 1.
    pub peak_score: f64,
    /// Value of the point with the highest score.
    pub value: f64,
    /// Expected value of that point.
    pub expected: f64,
    /// Sign that raised the alarm.
    pub sign: Sign,
    /// Strange points in it.
    pub points: u64,
}

/// Groups the judgements of one series into incidents.
#[derive(Debug, Clone, Default)]
pub struct Incidents {
    open: Option<Incident>,
    quiet: u32,
}

impl Incidents {
    /// The next point of the series. An incident that this point shows to be over is handed out.
    pub fn add(
        &mut self,
        at_ms: i64,
        value: f64,
        judgement: &AnomalyJudgement,
    ) -> Option<Incident> {
        let Some(open) = &mut self.open else {
            self.open = begun(at_ms, value, judgement);
            self.quiet = 0;
            return None;
        };

        if judgement.strange {
            open.end_ms = at_ms;
            open.points += 1;
            self.quiet = 0;
            if judgement.score > open.peak_score {
                let peak = Incident {
                    peak_ms: at_ms,
                    peak_score: judgement.score,
                    value,
                    ..*open
                };
                *open = Incident {
                    expected: judgement.expected,
                    sign: judgement.sign.unwrap_or(open.sign),
                    ..peak
                };
            }
            return None;
        }

        self.quiet += 1;
        if self.quiet > APART {
            self.open.take()
        } else {
            None
        }
    }

    /// The incident that is still going on.
    #[must_use]
    pub fn open(&self) -> Option<&Incident> {
        self.open.as_ref()
    }

    /// Ends the series: what was still open is handed out.
    pub fn finish(self) -> Option<Incident> {
        self.open
    }
}

fn begun(at_ms: i64, value: f64, judgement: &AnomalyJudgement) -> Option<Incident> {
    let sign = judgement.sign.filter(|_| judgement.alarm)?;
    Some(Incident {
        start_ms: at_ms,
        end_ms: at_ms,
        peak_ms: at_ms,
        peak_score: judgement.score,
        value,
        expected: judgement.expected,
        sign,
        points: 1,
    })
}

//! Evidence for and against a leak, and the verdict drawn from it.

use super::breaks::{self, Break};
use super::buckets::{Buckets, median, running_median, spread};
use super::fit::{LeakSeries, Prepared};
use super::season;
use super::shapes::{growth, slopes_in_parts};
use super::tail::student_quantile;
use super::{Assessment, LeakReason, LeakSettings, LeakVerdict, Release, SlopePerDay};
use crate::window::DAY_MS;

/// Buckets a piece needs for its own slope to count.
const LEAST_PIECE: usize = 12;
/// Share of the pieces that must grow.
const GROWING: f64 = 0.7;
/// A shape that levels off must explain the series better by this much (natural logarithm of the
/// odds, doubled).
const LEVELLING: f64 = 2.0;
/// The weakest third of the time must show this share of the growth.
const WEAKEST: f64 = 0.2;

/// A series made ready for judging.
#[derive(Debug)]
pub(super) struct LeakEvidence {
    values: Vec<f64>,
    pieces: Vec<usize>,
    weekend: Vec<f64>,
    days: Vec<f64>,
    since: Vec<f64>,
    first_ms: i64,
    level: f64,
    cycle_ms: Option<i64>,
    pub(super) releases: Vec<Release>,
    pub(super) reasons: Vec<LeakReason>,
}

/// Takes the season out, finds the breaks and cuts there.
pub(super) fn gather(buckets: &Buckets, restarts_ms: &[i64]) -> LeakEvidence {
    let profile = season::profile(buckets);
    let rest: Vec<f64> = buckets
        .values
        .iter()
        .zip(&profile)
        .map(|(value, usual)| value - usual)
        .collect();
    let mut cuts = breaks::find(&rest);

    for restart in restarts_ms {
        let index = buckets
            .slots
            .partition_point(|slot| slot * buckets.width_ms < *restart);
        if index > 0
            && index < buckets.len()
            && cuts.iter().all(|cut| cut.index.abs_diff(index) > 2)
        {
            cuts.push(Break {
                index,
                size: rest[index] - rest[index - 1],
            });
        }
    }

    cuts.sort_by_key(|cut| cut.index);
    let mut evidence = measure(buckets, &rest, &cuts);
    evidence.releases = cuts
        .iter()
        .filter(|cut| cut.size < 0.0)
        .map(|cut| Release {
            at_ms: buckets.at_ms(cut.index),
            size: -cut.size,
        })
        .collect();

    let mut gaps: Vec<f64> = evidence
        .releases
        .windows(2)
        .map(|pair| (pair[1].at_ms - pair[0].at_ms) as f64)
        .collect();
    evidence.cycle_ms = (!gaps.is_empty()).then(|| median(&mut gaps) as i64);
    evidence
}

/// The floors of short cycles, uncut.
pub(super) fn of_floors(floors: &Buckets) -> LeakEvidence {
    measure(floors, &floors.values, &[])
}

fn measure(buckets: &Buckets, values: &[f64], cuts: &[Break]) -> LeakEvidence {
    let days = buckets.days();
    let (mut pieces, mut since) = (
        Vec::with_capacity(days.len()),
        Vec::with_capacity(days.len()),
    );
    let (mut piece, mut start) = (0, 0.0);

    for (index, day) in days.iter().enumerate() {
        if cuts.iter().any(|cut| cut.index == index) {
            (piece, start) = (piece + 1, *day);
        }
        pieces.push(piece);
        since.push(day - start);
    }

    let mut levels: Vec<f64> = buckets.values.iter().map(|value| value.abs()).collect();
    let weekly = buckets.span_ms() >= 8 * DAY_MS;
    LeakEvidence {
        values: without_bursts(values),
        weekend: (0..days.len())
            .map(|index| f64::from(weekly && buckets.on_weekend(index)))
            .collect(),
        first_ms: buckets.at_ms(0),
        level: median(&mut levels),
        cycle_ms: None,
        releases: Vec::new(),
        reasons: if buckets.span_ms() < 13 * DAY_MS {
            vec![LeakReason::WeekNotSeen]
        } else {
            Vec::new()
        },
        pieces,
        days,
        since,
    }
}

/// Values held within three spreads of their neighbourhood, so that one burst does not tilt a line.
fn without_bursts(values: &[f64]) -> Vec<f64> {
    let around = running_median(values, 7);
    let away: Vec<f64> = values
        .iter()
        .zip(&around)
        .map(|(value, usual)| value - usual)
        .collect();
    let bound = 3.0 * spread(&away);

    values
        .iter()
        .zip(&around)
        .map(|(value, usual)| value.clamp(usual - bound, usual + bound))
        .collect()
}

impl LeakEvidence {
    /// The median time between releases, when there are enough of them and it is shorter than a
    /// day.
    pub(super) fn short_cycle(&self, least: usize) -> Option<i64> {
        self.cycle_ms
            .filter(|cycle| self.releases.len() >= least && *cycle < DAY_MS)
    }

    fn series(&self) -> LeakSeries<'_> {
        LeakSeries {
            values: &self.values,
            pieces: &self.pieces,
            covariate: &self.weekend,
        }
    }

    /// Weighs the evidence and returns the verdict with its reasons.
    pub(super) fn judge(mut self, settings: &LeakSettings) -> Assessment {
        let prepared = Prepared::new(&self.series());
        let still = prepared.loss_without_growth() <= f64::EPSILON * self.level.powi(2);
        let Some(growth) = growth(&prepared, &self.days, &self.since).filter(|_| !still) else {
            self.reasons.push(LeakReason::Constant);
            return self.conclude(
                LeakVerdict::NoLeak,
                1.0,
                SlopePerDay {
                    estimate: 0.0,
                    low: 0.0,
                    high: 0.0,
                },
                None,
            );
        };

        let p_value = growth.fit.p_value();
        let reach = student_quantile(
            (1.0 - settings.interval).max(1e-6) / 2.0,
            growth.fit.freedom,
        ) * growth.fit.error;
        let slope = growth.fit.slope;
        let interval = SlopePerDay {
            estimate: slope,
            low: slope - reach,
            high: slope + reach,
        };
        let onset = growth.onset_day.unwrap_or(0.0);
        let against = self.against(settings, p_value, slope, growth.levelling, onset);

        match against {
            Some(reason) => {
                self.reasons.push(reason);
                self.conclude(LeakVerdict::NoLeak, p_value, interval, None)
            }
            None => {
                self.reasons.push(LeakReason::Significant { p_value });
                let first_seen = self.first_ms + (onset * DAY_MS as f64) as i64;
                self.conclude(LeakVerdict::Leak, p_value, interval, Some(first_seen))
            }
        }
    }

    /// The first thing that contradicts a leak.
    fn against(
        &mut self,
        settings: &LeakSettings,
        p_value: f64,
        slope: f64,
        levelling: f64,
        onset: f64,
    ) -> Option<LeakReason> {
        if p_value > settings.significance {
            return Some(LeakReason::NotSignificant { p_value });
        }

        let (growing, pieces) = self.growing_pieces();
        if pieces >= 2 && (growing as f64) < GROWING * pieces as f64 {
            return Some(LeakReason::GrowsInFewStretches {
                growing,
                stretches: pieces,
            });
        }

        let share = slope * self.days.last().map_or(0.0, |last| last - onset)
            / self.level.max(f64::MIN_POSITIVE);
        if share < settings.least_growth {
            return Some(LeakReason::Slight { share });
        }
        if levelling > LEVELLING {
            return Some(LeakReason::LevelsOff);
        }

        let parts = slopes_in_parts(&self.series(), &self.days, onset, 3);
        // Within a third of the time the slope is uncertain: only one that is surely weak speaks
        // against a leak.
        if parts
            .iter()
            .any(|(part, error)| part + error < WEAKEST * slope)
        {
            return Some(LeakReason::Passing);
        }

        if pieces >= 2 {
            self.reasons.push(LeakReason::GrowsAfterEachRelease {
                growing,
                stretches: pieces,
            });
        }

        None
    }

    /// Returns the number of growing pieces and the number of all pieces, among those that are long
    /// enough.
    fn growing_pieces(&self) -> (u64, u64) {
        let (mut growing, mut long, mut start) = (0, 0, 0);
        while start < self.pieces.len() {
            let end = self
                .pieces
                .partition_point(|piece| *piece <= self.pieces[start]);
            if end - start >= LEAST_PIECE {
                let pieces = vec![0; end - start];
                let own = LeakSeries {
                    values: &self.values[start..end],
                    pieces: &pieces,
                    covariate: &self.weekend[start..end],
                };
                long += 1;
                growing += u64::from(
                    Prepared::new(&own)
                        .glance(&self.days[start..end])
                        .is_some_and(|(slope, _)| slope > 0.0),
                );
            }
            start = end;
        }

        (growing, long)
    }

    fn conclude(
        self,
        verdict: LeakVerdict,
        p_value: f64,
        slope: SlopePerDay,
        first_seen_ms: Option<i64>,
    ) -> Assessment {
        Assessment {
            verdict,
            p_value: Some(p_value),
            slope_per_day: Some(slope),
            first_seen_ms,
            releases: self.releases,
            reasons: self.reasons,
        }
    }
}

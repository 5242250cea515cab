//! The limit on the size of one export: estimated before it starts, with the narrower period that
//! would fit.

use jiff::Timestamp;

/// Largest export: 10 GB. A configuration may lower it.
pub const LIMIT_BYTES: u64 = 10_000_000_000;
/// Least bytes that an entry is estimated at.
const LEAST_BYTES: u64 = 200;

/// Expected size of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Entries that match at the time of the request.
    pub entries: u64,
    /// Bytes they are expected to have in the format.
    pub bytes: u64,
}

impl Estimate {
    /// Scales a sample to all matches.
    #[must_use]
    pub fn new(entries: u64, sampled_entries: u64, sampled_bytes: u64) -> Estimate {
        let each = sampled_bytes
            .checked_div(sampled_entries)
            .unwrap_or(LEAST_BYTES)
            .max(1);
        Estimate {
            entries,
            bytes: entries.saturating_mul(each),
        }
    }

    fn bytes_of(&self, entries: u64) -> u64 {
        let bytes = u128::from(self.bytes) * u128::from(entries) / u128::from(self.entries.max(1));
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Number of matches in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EstimateSpan {
    /// First instant of the span.
    pub start: Timestamp,
    /// Matches from there to the start of the next span.
    pub entries: u64,
}

/// A period that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EstimateFit {
    /// First instant; the end is that of the request.
    pub start: Timestamp,
    /// Number of matches in the period.
    pub entries: u64,
    /// Bytes they are expected to have.
    pub bytes: u64,
}

/// Returns the longest period up to the end of the request that fits the limit, made of whole spans
/// (ascending); `None` if the last span alone is too large, or there is none.
#[must_use]
pub fn narrower(
    estimate: &Estimate,
    spans: &[EstimateSpan],
    limit_bytes: u64,
) -> Option<EstimateFit> {
    let mut fit = None;
    let mut entries = 0u64;

    for span in spans.iter().rev().filter(|span| span.entries > 0) {
        entries = entries.saturating_add(span.entries);
        // A tenth is kept free: later entries may be longer than those that were sampled.
        let bytes = estimate.bytes_of(entries);
        if bytes > limit_bytes - limit_bytes / 10 {
            break;
        }
        fit = Some(EstimateFit {
            start: span.start,
            entries,
            bytes,
        });
    }

    fit
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn day(day: i8, entries: u64) -> EstimateSpan {
        EstimateSpan {
            start: format!("2026-11-{day:02}T00:00:00Z").parse().unwrap(),
            entries,
        }
    }

    #[test]
    fn a_sample_is_scaled() {
        assert_eq!(
            Estimate::new(1_000_000, 200, 240_000),
            Estimate {
                entries: 1_000_000,
                bytes: 1_200_000_000
            }
        );
        assert_eq!(
            Estimate::new(0, 0, 0),
            Estimate {
                entries: 0,
                bytes: 0
            }
        );
    }

    #[test]
    fn the_longest_period_that_fits_is_named() {
        let spans = [
            day(1, 500),
            day(2, 400),
            day(3, 0),
            day(4, 300),
            day(5, 100),
        ];

        let estimate = Estimate {
            entries: 1300,
            bytes: 1_300_000,
        };
        let fit = narrower(&estimate, &spans, 500_000).unwrap();
        assert_eq!(
            fit,
            EstimateFit {
                start: day(4, 0).start,
                entries: 400,
                bytes: 400_000
            }
        );

        assert_eq!(
            narrower(&estimate, &spans, 50_000),
            None,
            "not even the last day fits"
        );
        assert_eq!(narrower(&estimate, &[], 500_000), None);
    }
}

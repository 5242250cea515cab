//! Goals by the names of figures: the required value and the aim.

/// A goal. The machine is two cores, the load generator included; every acknowledgement comes after
/// fsync.
pub(crate) struct Goal {
    /// The figure it is about.
    pub(crate) key: &'static str,
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) reach: f64,
    pub(crate) aim: f64,
    pub(crate) higher_is_better: bool,
}

const fn less(
    key: &'static str,
    what: &'static str,
    unit: &'static str,
    reach: f64,
    aim: f64,
) -> Goal {
    Goal {
        key,
        what,
        unit,
        reach,
        aim,
        higher_is_better: false,
    }
}

const fn more(
    key: &'static str,
    what: &'static str,
    unit: &'static str,
    reach: f64,
    aim: f64,
) -> Goal {
    Goal {
        key,
        what,
        unit,
        reach,
        aim,
        higher_is_better: true,
    }
}

/// All goals, in the order of the table.
pub(crate) static GOALS: [Goal; 32] = [
    more(
        "append.rate",
        "append over HTTP, batches of 500, 8 connections",
        "entries/s",
        40_000.0,
        100_000.0,
    ),
    less(
        "append.visible.max",
        "until in a signed checkpoint, proven and found, longest",
        "ms",
        1_000.0,
        1_000.0,
    ),
    less(
        "single.p99",
        "append one at a time, 64 connections, p99",
        "ms",
        15.0,
        5.0,
    ),
    less("search.user.p99", "search: one user, p99", "ms", 50.0, 15.0),
    less(
        "search.resource.p99",
        "search: one resource, p99",
        "ms",
        50.0,
        15.0,
    ),
    less(
        "search.window.p99",
        "search: event type and time window, p99",
        "ms",
        50.0,
        15.0,
    ),
    less(
        "search.prefix.p99",
        "search: IP prefix, p99",
        "ms",
        50.0,
        15.0,
    ),
    less(
        "search.rare.p99",
        "search: rare free word, p99",
        "ms",
        50.0,
        15.0,
    ),
    less(
        "counts.event_type.p99",
        "counts by event type, p99",
        "ms",
        400.0,
        100.0,
    ),
    less("counts.user.p99", "counts by user, p99", "ms", 400.0, 100.0),
    less("counts.hour.p99", "counts by hour, p99", "ms", 400.0, 100.0),
    more(
        "alerts.rate",
        "alerts: 10,000 rules, entries appended and evaluated",
        "entries/s",
        20_000.0,
        50_000.0,
    ),
    less(
        "disk.ratio",
        "disk, hot with index, against raw JSON",
        "",
        0.35,
        0.2,
    ),
    more(
        "verify.per_core",
        "`reeve-verify` of everything, per core",
        "entries/s",
        300_000.0,
        1_000_000.0,
    ),
    less(
        "reports.run",
        "a report of 100,000 cited entries, request to files",
        "s",
        60.0,
        20.0,
    ),
    more(
        "exports.json.rate",
        "an export of 1,000,000 entries as JSON, a minute",
        "entries",
        1_000_000.0,
        5_000_000.0,
    ),
    less(
        "append.memory",
        "memory while appending, peak resident",
        "GiB",
        1.5,
        0.8,
    ),
    less("restart.ready", "start after `kill -9`", "s", 5.0, 1.0),
    less(
        "restart.cold",
        "start after `kill -9`, nothing in the page cache",
        "s",
        5.0,
        1.0,
    ),
    less(
        "estate.sqlite.dashboard.p99",
        "estate on SQLite: dashboard, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.sqlite.open.p99",
        "estate on SQLite: list, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.sqlite.detail.p99",
        "estate on SQLite: detail, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.sqlite.guardrail.p99",
        "estate on SQLite: guardrail check, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.sqlite.run",
        "estate on SQLite: one run over everything",
        "s",
        600.0,
        300.0,
    ),
    less(
        "estate.sqlite.run.memory",
        "estate on SQLite: memory of that",
        "GiB",
        2.0,
        1.0,
    ),
    less(
        "estate.postgresql.dashboard.p99",
        "estate on PostgreSQL: dashboard, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.postgresql.open.p99",
        "estate on PostgreSQL: list, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.postgresql.detail.p99",
        "estate on PostgreSQL: detail, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.postgresql.guardrail.p99",
        "estate on PostgreSQL: guardrail check, p99",
        "ms",
        100.0,
        50.0,
    ),
    less(
        "estate.postgresql.run",
        "estate on PostgreSQL: one run over everything",
        "s",
        600.0,
        300.0,
    ),
    less(
        "estate.postgresql.run.memory",
        "estate on PostgreSQL: memory of that",
        "GiB",
        2.0,
        1.0,
    ),
    less(
        "account.first.memory",
        "285,000 volumes of one account: memory of the first sync",
        "GiB",
        2.0,
        1.0,
    ),
];

impl Goal {
    /// Returns the verdict on a value: `aim`, `reached` or `**missed**`.
    pub(crate) fn verdict(&self, value: f64) -> &'static str {
        let holds = |limit: f64| {
            if self.higher_is_better {
                value >= limit
            } else {
                value <= limit
            }
        };
        match (holds(self.aim), holds(self.reach)) {
            (true, _) => "aim",
            (false, true) => "reached",
            (false, false) => "**missed**",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GOALS, less, more};

    #[test]
    fn verdicts_follow_the_direction() {
        let (fast, small) = (more("a", "", "", 10.0, 20.0), less("b", "", "", 10.0, 5.0));
        assert_eq!(
            [9.0, 10.0, 20.0].map(|value| fast.verdict(value)),
            ["**missed**", "reached", "aim"]
        );
        assert_eq!(
            [11.0, 10.0, 5.0].map(|value| small.verdict(value)),
            ["**missed**", "reached", "aim"]
        );

        let keys: std::collections::HashSet<_> = GOALS.iter().map(|goal| goal.key).collect();
        assert_eq!(keys.len(), GOALS.len(), "two goals for one figure");
    }
}

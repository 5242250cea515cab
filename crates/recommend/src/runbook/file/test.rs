//! Tests of a condition as their text has them: one table each, whose first member tells its kind.

use reeve_audit::FieldCode;
use reeve_estate::{Metric, ResourceKind, ResourceState, TimeSpan, Unit};
use serde::Deserialize;

use crate::runbook::condition::{LogTest, MetricTest, SeriesOf, Side, Statistic, Test};
use crate::runbook::document::{DocumentTest, EventTest, Expected};
use crate::runbook::faults::{DAY, Faults, HOUR, MINUTE, states};

/// Names that a list may have.
const MOST_NAMES: usize = 50;
/// Members of a path.
const DEEPEST: usize = 12;

/// A test: one of `metric`, `state`, `document`, `event` and `log`, with what belongs to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestFile {
    metric: Option<String>,
    of: Option<String>,
    statistic: Option<String>,
    over: Option<String>,
    above: Option<f64>,
    below: Option<f64>,
    clears_at: Option<f64>,
    #[serde(rename = "for")]
    dwell: Option<String>,
    percent_of_storage: Option<bool>,

    state: Option<Vec<String>>,

    document: Option<String>,
    is: Option<Vec<String>>,
    is_not: Option<Vec<String>>,
    missing: Option<bool>,

    event: Option<Vec<String>>,
    within: Option<String>,

    log: Option<Vec<String>>,
    at_least: Option<u64>,
}

impl TestFile {
    /// Checks the test of a resource of a kind.
    pub(super) fn checked(
        self,
        path: &str,
        kind: ResourceKind,
        faults: &mut Faults,
    ) -> Option<Test> {
        let kinds = [
            ("metric", self.metric.is_some()),
            ("state", self.state.is_some()),
            ("document", self.document.is_some()),
            ("event", self.event.is_some()),
            ("log", self.log.is_some()),
        ];
        let mut given = kinds.iter().filter(|(_, is_given)| *is_given);
        let Some((first, _)) = given.next() else {
            faults.missing(
                path,
                "must have one of metric, state, document, event and log",
            );
            return None;
        };
        if let Some((other, _)) = given.next() {
            let message = format!("is a test of its own: {first} is one already");
            faults.add(format!("{path}.{other}"), FieldCode::Conflicting, message);
            return None;
        }
        self.refuse_foreign(path, first, faults);

        match *first {
            "metric" => self.metric(path, kind, faults).map(Test::Metric),
            "state" => self.states(path, faults).map(Test::State),
            "document" => self.document(path, faults).map(Test::Document),
            "event" => self.event(path, faults).map(Test::Event),
            _ => Some(Test::Log(self.log(path, faults))),
        }
    }

    /// Refuses members of other tests.
    fn refuse_foreign(&self, path: &str, test: &str, faults: &mut Faults) {
        let members: [(&str, bool, &[&str]); 13] = [
            ("of", self.of.is_some(), &["metric"]),
            ("statistic", self.statistic.is_some(), &["metric"]),
            ("over", self.over.is_some(), &["metric"]),
            ("above", self.above.is_some(), &["metric", "document"]),
            ("below", self.below.is_some(), &["metric", "document"]),
            ("clears_at", self.clears_at.is_some(), &["metric"]),
            ("for", self.dwell.is_some(), &["metric"]),
            (
                "percent_of_storage",
                self.percent_of_storage.is_some(),
                &["metric"],
            ),
            ("is", self.is.is_some(), &["document"]),
            ("is_not", self.is_not.is_some(), &["document"]),
            ("missing", self.missing.is_some(), &["document"]),
            ("within", self.within.is_some(), &["event", "log"]),
            ("at_least", self.at_least.is_some(), &["log"]),
        ];
        for (name, is_given, tests) in members {
            if is_given && !tests.contains(&test) {
                let message = format!("is not a member of a test of {test}");
                faults.add(format!("{path}.{name}"), FieldCode::Conflicting, message);
            }
        }
    }

    fn metric(&self, path: &str, kind: ResourceKind, faults: &mut Faults) -> Option<MetricTest> {
        let field = |name: &str| format!("{path}.{name}");
        let of = self.of.as_deref().unwrap_or("own");
        let of = faults.named(&field("of"), of, SeriesOf::parse, "own, machine, balancer")?;
        let measured = match of {
            SeriesOf::Own => kind,
            SeriesOf::Machine => ResourceKind::VirtualMachine,
            SeriesOf::Balancer => ResourceKind::LoadBalancer,
        };
        let fits = match of {
            SeriesOf::Own => true,
            SeriesOf::Machine => kind == ResourceKind::Volume,
            SeriesOf::Balancer => kind == ResourceKind::ScalingGroup,
        };
        if !fits {
            let message = format!("is not for resources of the kind {kind}");
            faults.add(field("of"), FieldCode::Conflicting, message);
        }

        let text = self.metric.as_deref().unwrap_or_default();
        let names: Vec<&str> = measured.metrics().iter().map(|one| one.as_str()).collect();
        let known = |text: &str| Metric::parse(text).filter(|one| measured.has_metric(*one));
        let metric = faults.named(&field("metric"), text, known, &names.join(", "))?;
        let statistic = self.statistic.as_deref().unwrap_or("mean");
        let statistic = faults.named(
            &field("statistic"),
            statistic,
            Statistic::parse,
            "mean, min, max",
        )?;

        let percent_of_storage = self.percent_of_storage.unwrap_or(false);
        if percent_of_storage && metric.unit() != Unit::Bytes {
            let message = "is for metrics in bytes alone";
            faults.add(field("percent_of_storage"), FieldCode::Conflicting, message);
        }
        let (side, limit) = match (self.above, self.below) {
            (Some(limit), None) => (Side::Above, limit),
            (None, Some(limit)) => (Side::Below, limit),
            (Some(_), Some(_)) => {
                faults.add(field("below"), FieldCode::Conflicting, "excludes above");
                return None;
            }
            (None, None) => {
                faults.missing(path, "a test of metric must have above or below");
                return None;
            }
        };
        let most = f64::from(u32::MAX) * 1e9;
        let name = if side == Side::Above {
            "above"
        } else {
            "below"
        };
        faults.number(&field(name), limit, (-most, most));
        let clears_at = self.clears_at.unwrap_or(limit);
        let is_back = match side {
            Side::Above => clears_at <= limit,
            Side::Below => clears_at >= limit,
        };
        if !is_back || !clears_at.is_finite() {
            let message = format!("must be on the other side of {limit}");
            faults.add(field("clears_at"), FieldCode::OutOfRange, message);
        }

        Some(MetricTest {
            metric,
            of,
            statistic,
            over: faults.span(
                &field("over"),
                self.over.as_deref(),
                15 * MINUTE,
                (MINUTE, DAY),
            ),
            side,
            limit,
            clears_at,
            dwell: faults.span(&field("for"), self.dwell.as_deref(), 0, (0, 7 * DAY)),
            percent_of_storage,
        })
    }

    fn states(&self, path: &str, faults: &mut Faults) -> Option<Vec<ResourceState>> {
        let names = self.state.as_deref().unwrap_or_default();
        let field = format!("{path}.state");
        if names.is_empty() {
            faults.missing(field, "must name a state");
            return None;
        }
        let read = |name: &String| faults.named(&field, name, ResourceState::parse, &states());
        names.iter().map(read).collect()
    }

    fn document(&self, path: &str, faults: &mut Faults) -> Option<DocumentTest> {
        let field = |name: &str| format!("{path}.{name}");
        let text = self.document.as_deref().unwrap_or_default();
        let members: Vec<String> = text.split('.').map(str::to_owned).collect();
        if members.len() > DEEPEST || members.iter().any(String::is_empty) {
            let message = "must be members with dots between them, such as Status.IsLogging";
            faults.add(field("document"), FieldCode::InvalidValue, message);
        }

        let mut expected = [
            self.is.clone().map(Expected::Is),
            self.is_not.clone().map(Expected::IsNot),
            self.above.map(Expected::Above),
            self.below.map(Expected::Below),
            self.missing
                .filter(|missing| *missing)
                .map(|_| Expected::Missing),
        ]
        .into_iter()
        .flatten();
        let Some(first) = expected.next() else {
            faults.missing(
                path,
                "a test of document must have is, is_not, above, below or missing",
            );
            return None;
        };
        if expected.next().is_some() {
            let message = "may have one of is, is_not, above, below and missing";
            faults.add(path, FieldCode::Conflicting, message);
        }
        if let Expected::Is(names) | Expected::IsNot(names) = &first
            && (names.is_empty() || names.len() > MOST_NAMES)
        {
            let message = format!("must have 1 to {MOST_NAMES} values");
            faults.add(field("is"), FieldCode::OutOfRange, message);
        }
        Some(DocumentTest {
            path: members,
            expected: first,
        })
    }

    fn event(&self, path: &str, faults: &mut Faults) -> Option<EventTest> {
        let codes = self.event.clone().unwrap_or_default();
        if codes.is_empty() || codes.len() > MOST_NAMES {
            let message = "must name events, such as instance-retirement";
            faults.missing(format!("{path}.event"), message);
            return None;
        }
        let within = self.within.as_deref();
        Some(EventTest {
            codes,
            within: faults.span(
                &format!("{path}.within"),
                within,
                30 * DAY,
                (HOUR, 90 * DAY),
            ),
        })
    }

    fn log(&self, path: &str, faults: &mut Faults) -> LogTest {
        let operations = self.log.clone().unwrap_or_default();
        if operations.len() > MOST_NAMES {
            let message = format!("may have at most {MOST_NAMES} operations");
            faults.add(format!("{path}.log"), FieldCode::TooMany, message);
        }
        let at_least = self.at_least.unwrap_or(1);
        if at_least == 0 {
            faults.add(
                format!("{path}.at_least"),
                FieldCode::OutOfRange,
                "must be at least 1",
            );
        }
        let field = format!("{path}.within");
        let within: TimeSpan =
            faults.span(&field, self.within.as_deref(), 7 * DAY, (DAY, 30 * DAY));
        let days = within.whole_days().unwrap_or_else(|| {
            faults.add(&field, FieldCode::InvalidTime, "must be whole days");
            1
        });
        LogTest {
            operations,
            at_least,
            days: u32::try_from(days).unwrap_or(30),
        }
    }
}

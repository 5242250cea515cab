//! Reports of users with a scope, such as an auditor from outside: a run of theirs is narrowed to
//! the scope, and they see the runs that lie within it.
//!
//! A run without a scope cites entries that belong to no account (sign-ins of everyone), so its
//! filters do not bring it into a scope with accounts, unless it is of a custom report.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use reeve_access::{AccessError, AuditScope};
use reeve_audit::{Entry, ResourceRef, events, format_instant};

use crate::definition::{Filters, ReportId, ReportKind, ReportRequest};
use crate::document::Heading;
use crate::period::{PeriodChoice, ReportPeriod};
use crate::port::ReportStore;
use crate::review::Review;
use crate::run::{ReportRun, RunId};
use crate::templates::template;

/// Reason why a report has nothing within a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutsideScope {
    /// The framework is none of the scope's.
    #[error("the framework of the report is not in the scope of the user")]
    Framework,
    /// The filter leaves none of the scope's accounts.
    #[error("the report is about no account in the scope of the user")]
    Accounts,
    /// The period does not touch the times of the scope.
    #[error("the period of the report lies outside of the scope of the user")]
    Period,
}

impl ReportRequest {
    /// Returns the part of a request that lies in a scope. Its period counts from `now`.
    ///
    /// # Errors
    /// [`OutsideScope`]: nothing of the request lies in the scope.
    pub fn within(
        &self,
        scope: &AuditScope,
        now: Timestamp,
    ) -> Result<ReportRequest, OutsideScope> {
        if !is_of_framework(&self.kind, scope) {
            return Err(OutsideScope::Framework);
        }

        let mut narrowed = self.clone();
        if !scope.accounts.is_empty() {
            let is_asked = |account: &&String| includes(&self.filters, account, now);
            narrowed.filters.accounts = scope.accounts.iter().filter(is_asked).cloned().collect();
            if narrowed.filters.accounts.is_empty() {
                return Err(OutsideScope::Accounts);
            }
        }

        let asked = self.period.resolve(now);
        let allowed = ReportPeriod {
            start: scope.log_from.map_or(asked.start, |at| at.max(asked.start)),
            end: scope
                .log_until
                .map_or(asked.end, |at| after(at).min(asked.end)),
        };
        if allowed.start >= allowed.end {
            return Err(OutsideScope::Period);
        }
        if allowed != asked {
            narrowed.period = PeriodChoice::Between(allowed);
        }

        Ok(narrowed)
    }
}

impl ReportRun {
    /// Returns the run narrowed to the scope of the user whose rights it has. It is told to no
    /// channel: the channels of a report receive what the whole report says.
    ///
    /// # Errors
    /// [`OutsideScope`]: nothing of the run lies in the scope.
    pub fn within(self, scope: Option<&AuditScope>) -> Result<ReportRun, OutsideScope> {
        // The scope may have been taken away since the request.
        let Some(scope) = scope else {
            return Ok(ReportRun {
                scope: None,
                ..self
            });
        };
        let request = self.request.within(scope, self.created_at)?;
        Ok(ReportRun {
            request,
            scope: Some(scope.clone()),
            channels: Vec::new(),
            recipients: Vec::new(),
            ..self
        })
    }

    /// Returns `true` if everything that the run read lies in a scope.
    #[must_use]
    pub fn lies_in(&self, scope: &AuditScope) -> bool {
        is_of_framework(&self.request.kind, scope)
            && self.reads_accounts_of(scope)
            && self.reads_times_of(scope)
    }

    /// A framework's report cites the entries that recorded results of checks, and these may be
    /// older than its period, so that the period alone does not bring it into a scope.
    fn reads_times_of(&self, scope: &AuditScope) -> bool {
        let period = self.request.period.resolve(self.created_at);
        let own = self.scope.as_ref();
        let is_since = |from: Timestamp| {
            let cites_within = match self.request.kind {
                ReportKind::Custom { .. } => true,
                ReportKind::Compliance { .. } => own
                    .and_then(|own| own.log_from)
                    .is_some_and(|own| from <= own),
            };
            from <= period.start && cites_within
        };

        scope.log_from.is_none_or(is_since)
            && scope
                .log_until
                .is_none_or(|until| period.end <= after(until))
    }

    fn reads_accounts_of(&self, scope: &AuditScope) -> bool {
        if scope.accounts.is_empty() {
            return true;
        }
        let is_narrowed =
            |own: &AuditScope| !own.accounts.is_empty() && own.accounts.is_subset(&scope.accounts);
        if self.scope.as_ref().is_some_and(is_narrowed) {
            return true;
        }

        let accounts = &self.request.filters.accounts;
        matches!(self.request.kind, ReportKind::Custom { .. })
            && !accounts.is_empty()
            && accounts.iter().all(|name| scope.accounts.contains(name))
    }
}

impl Heading {
    /// Returns the limits of the user whose rights the report was made with; `None` without a
    /// scope.
    #[must_use]
    pub fn scope_words(&self) -> Option<String> {
        let scope = self.scope.as_ref()?;
        let names = |label: &str, names: &BTreeSet<String>| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            (!names.is_empty()).then(|| format!("{label} {}", names.join(", ")))
        };
        let limits = [
            names("accounts", &scope.accounts),
            names("frameworks", &scope.frameworks),
            scope
                .log_from
                .map(|at| format!("entries from {}", format_instant(at))),
            scope
                .log_until
                .map(|at| format!("entries until {}", format_instant(at))),
        ];

        let limits: Vec<String> = limits.into_iter().flatten().collect();
        Some(limits.join("; "))
    }
}

/// Returns the reviews of a report's exceptions that a user may read, the latest first: with a
/// scope those of runs that lie in it.
///
/// # Errors
/// The store failed.
pub async fn visible_reviews(
    store: &dyn ReportStore,
    report: &ReportId,
    scope: Option<&AuditScope>,
    limit: u64,
) -> Result<Vec<Review>, AccessError> {
    let mut reviews = store.review_list(report, limit).await?;
    let Some(scope) = scope else {
        return Ok(reviews);
    };

    let reviewed: BTreeSet<RunId> = reviews.iter().map(|review| review.run.clone()).collect();
    let mut is_visible = BTreeMap::new();
    for id in reviewed {
        let lies_in = match store.run_get(&id).await {
            Ok(run) => run.lies_in(scope),
            Err(AccessError::NotFound { .. }) => false,
            Err(error) => return Err(error),
        };
        is_visible.insert(id, lies_in);
    }
    reviews.retain(|review| is_visible.get(&review.run) == Some(&true));

    Ok(reviews)
}

/// Returns `true` if a report is of a framework of the scope. A template is known by the catalogue
/// of checks that it shows; custom reports are of none.
fn is_of_framework(kind: &ReportKind, scope: &AuditScope) -> bool {
    match kind {
        ReportKind::Custom { .. } => true,
        ReportKind::Compliance { framework } => {
            let checks = template(framework).and_then(|template| template.checks.as_deref());
            scope.has_framework(checks.unwrap_or(framework))
        }
    }
}

/// Returns `true` if the filters let entries of an account through, by the rules of the query
/// language.
fn includes(filters: &Filters, account: &str, now: Timestamp) -> bool {
    let accounts = Filters {
        accounts: filters.accounts.clone(),
        ..Filters::default()
    };
    let resource = ResourceRef {
        account_id: Some(account.to_owned()),
        ..ResourceRef::default()
    };
    let entry = Entry::for_event(&events::REPORT).on(resource);
    accounts
        .condition(false)
        .is_ok_and(|condition| condition.matches(&entry, now, now))
}

/// The first instant after the last one of a scope, which includes it. Entries have times in
/// milliseconds.
fn after(last: Timestamp) -> Timestamp {
    last.saturating_add(SignedDuration::from_millis(1))
        .unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::definition::{ReportDefinition, ReportMetric};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn request(framework: Option<&str>, accounts: &[&str]) -> ReportRequest {
        let kind = match framework {
            Some(framework) => ReportKind::Compliance {
                framework: framework.to_owned(),
            },
            None => ReportKind::Custom {
                query: String::new(),
                group_by: Vec::new(),
                metrics: ReportMetric::ALL.to_vec(),
            },
        };
        ReportRequest {
            kind,
            period: PeriodChoice::parse("30d").unwrap(),
            filters: Filters {
                accounts: accounts.iter().map(|one| (*one).to_owned()).collect(),
                ..Filters::default()
            },
        }
    }

    fn run(request: ReportRequest) -> ReportRun {
        let now = at("2026-06-01T00:00:00Z");
        let report = ReportDefinition {
            id: ReportId("r".into()),
            name: "Report".into(),
            request,
            schedule: None,
            next_run_at: None,
            channels: vec!["Everyone".into()],
            recipients: vec!["all@acme.example".into()],
            owner: "u".into(),
            owner_email: "u@acme.example".into(),
            owner_token: None,
            created_at: now,
            updated_at: now,
            version: 1,
        };
        ReportRun::scheduled(&report, RunId("1".into()), now)
    }

    fn accounts(names: &[&str]) -> AuditScope {
        AuditScope {
            accounts: names.iter().map(|one| (*one).to_owned()).collect(),
            ..AuditScope::default()
        }
    }

    #[test]
    fn a_run_is_narrowed_to_the_accounts_framework_and_times_of_a_scope() {
        let scope = AuditScope {
            frameworks: ["fedramp_moderate".to_owned()].into(),
            log_from: Some(at("2026-05-10T00:00:00Z")),
            log_until: Some(at("2026-05-19T23:59:59.999Z")),
            ..accounts(&["111122223333", "444455556666"])
        };
        let asked = run(request(Some("fedramp"), &["1111*", "999999999999"]));
        let narrowed = asked.clone().within(Some(&scope)).unwrap();

        assert_eq!(narrowed.request.filters.accounts, ["111122223333"]);
        let period = narrowed.request.period.resolve(narrowed.created_at);
        assert_eq!(period.start, at("2026-05-10T00:00:00Z"));
        assert_eq!(period.end, at("2026-05-20T00:00:00Z"));
        assert_eq!(narrowed.scope.as_ref(), Some(&scope));
        assert!(narrowed.channels.is_empty() && narrowed.recipients.is_empty());
        assert!(narrowed.lies_in(&scope) && !asked.lies_in(&scope));
        assert_eq!(narrowed.clone().within(Some(&scope)).unwrap(), narrowed);
        assert_eq!(asked.clone().within(None).unwrap(), asked);

        for (asked, fault) in [
            (request(Some("soc2"), &[]), OutsideScope::Framework),
            (request(None, &["999999999999"]), OutsideScope::Accounts),
        ] {
            assert_eq!(run(asked).within(Some(&scope)), Err(fault));
        }
        let past = AuditScope {
            log_until: Some(at("2026-01-01T00:00:00Z")),
            ..AuditScope::default()
        };
        let refused = run(request(None, &[])).within(Some(&past));
        assert_eq!(refused, Err(OutsideScope::Period));
    }

    #[test]
    fn a_run_of_the_whole_log_lies_in_a_scope_only_where_nothing_of_it_is_outside() {
        let scope = accounts(&["a", "b"]);
        for (asked, lies_in) in [
            (request(None, &["a"]), true),
            (request(None, &["a", "c"]), false),
            (request(None, &["a*"]), false),
            (request(None, &[]), false),
            // Entries without an account are in it.
            (request(Some("soc2"), &["a"]), false),
        ] {
            assert_eq!(run(asked.clone()).lies_in(&scope), lies_in, "{asked:?}");
        }

        // Results of checks may have been recorded before the period.
        let since = AuditScope {
            log_from: Some(at("2026-01-01T00:00:00Z")),
            ..AuditScope::default()
        };
        assert!(run(request(None, &[])).lies_in(&since));
        let whole = run(request(Some("soc2"), &[]));
        assert!(!whole.lies_in(&since));
        assert!(whole.within(Some(&since)).unwrap().lies_in(&since));

        // A run whose user lost the scope before it began reads everything.
        let widened = run(request(Some("soc2"), &[])).within(Some(&scope));
        let widened = widened.unwrap().within(None).unwrap();
        assert!(!widened.lies_in(&scope));

        // A wider scope's run is no run of a narrower one, and the other way round it is.
        let (asked, narrow) = (run(request(Some("soc2"), &[])), accounts(&["a"]));
        let wide = asked.clone().within(Some(&scope)).unwrap();
        assert!(!wide.lies_in(&narrow));
        assert!(asked.within(Some(&narrow)).unwrap().lies_in(&scope));
    }
}

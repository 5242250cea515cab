//! Surroundings of a report: what its findings are held against. Since when the log exists, who
//! submitted entries, which connections and sources were expected, which kinds of source the log
//! has ever had, and which exceptions were reviewed.

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use reeve_access::{ApiToken, Permission};
use reeve_audit::query::{Expr, FieldPath, Match, Query};
use reeve_audit::{Submitter, SubmitterField, SubmitterType};
use reeve_ledger::{Aggregation, GroupBy, Order, SearchRequest, TrailError};
use reeve_reports::{
    EventSource, ExpectedConnection, ReportConfiguration, ReportFindings, ReportPeriod, ReportRun,
    Review, SourceCoverage, submitter_words, visible_reviews,
};
use reeve_trail::Trail;

use crate::tasks::context::TaskContext;

/// Submitters told apart; further ones are one row.
const MOST_SOURCES: usize = 200;
/// Organization of a workspace that nobody has named.
const UNNAMED: &str = "Not named: set the name of the workspace under Settings";
/// Most reviews that are read for a report.
const MOST_REVIEWS: u64 = 1_000;

/// Everything that a report says beside its answers.
pub(super) struct Surroundings {
    pub(super) organization: String,
    pub(super) is_demo: bool,
    pub(super) expected: Vec<ExpectedConnection>,
    log_begins_at: Option<Timestamp>,
    sources: Vec<SourceCoverage>,
    connected: Vec<EventSource>,
    reviews: Vec<Review>,
    configuration: Option<ReportConfiguration>,
}

/// The log as a run reads it.
#[derive(Clone, Copy)]
pub(super) struct Trails<'a> {
    /// Entries that the user of the run may see.
    pub(super) seen: &'a Trail,
    /// Every entry: when the log begins, and which sources it has, is the same for every reader.
    pub(super) whole: &'a Trail,
}

impl Surroundings {
    pub(super) async fn gather(
        context: &TaskContext,
        trails: Trails<'_>,
        run: &ReportRun,
        period: ReportPeriod,
        configuration: Option<ReportConfiguration>,
    ) -> Result<Surroundings> {
        let now = run.created_at;
        let first = trails
            .whole
            .by_sequence(0)
            .await
            .context("the first entry could not be read")?;
        let workspace = context.workspace.workspace_get().await?;
        Ok(Surroundings {
            organization: if workspace.version == 0 {
                UNNAMED.to_owned()
            } else {
                workspace.name
            },
            is_demo: context.settings.is_demo,
            expected: expected(context, run).await?,
            log_begins_at: first.map(|stored| stored.recorded_at),
            sources: sources(context, trails.seen, run, period).await?,
            connected: connected(trails.whole, now).await,
            reviews: visible_reviews(
                &*context.reports,
                &run.report,
                run.scope.as_ref(),
                MOST_REVIEWS,
            )
            .await?,
            configuration,
        })
    }

    /// Completes what an evaluation found.
    pub(super) fn complete(self, findings: &mut ReportFindings) {
        findings.coverage.log_begins_at = self.log_begins_at;
        findings.coverage.sources = self.sources;
        findings.connected = self.connected;
        findings.reviews = self.reviews;
        findings.configuration = self.configuration;
    }
}

/// Returns the connections whose syncs are held against the period. The entries of syncs belong to
/// no account, so a run within accounts sees none, and expects none.
async fn expected(context: &TaskContext, run: &ReportRun) -> Result<Vec<ExpectedConnection>> {
    if is_within_accounts(run) {
        return Ok(Vec::new());
    }
    let connections = context.estate.connection_list().await?;
    let expected = connections
        .into_iter()
        .map(|connection| ExpectedConnection {
            id: connection.id.0,
            name: connection.name,
            created_at: connection.created_at,
        });
    Ok(expected.collect())
}

fn is_within_accounts(run: &ReportRun) -> bool {
    run.scope
        .as_ref()
        .is_some_and(|scope| !scope.accounts.is_empty())
}

/// Returns the kinds of source that the log has an entry of, whenever that was. A search that takes
/// too long counts as none: then a query without an answer is not taken for a quiet period.
async fn connected(trail: &Trail, now: Timestamp) -> Vec<EventSource> {
    let mut connected = Vec::new();
    for source in EventSource::ALL {
        let Some(probe) = source.probe() else {
            connected.push(source);
            continue;
        };
        let Ok(query) = Query::parse(probe) else {
            continue;
        };
        match edge(trail, query, Order::NewestFirst, now).await {
            Ok(Some(_)) => connected.push(source),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(source = source.as_str(), %error, "a report could not look for a source")
            }
        }
    }

    connected
}

/// Returns the time of recording of the newest or oldest entry that a query finds.
async fn edge(
    trail: &Trail,
    query: Query,
    order: Order,
    now: Timestamp,
) -> Result<Option<Timestamp>, TrailError> {
    let request = SearchRequest {
        order,
        ..SearchRequest::newest(query, 1, now)
    };
    Ok(trail
        .search(&request)
        .await?
        .entries
        .first()
        .map(|stored| stored.recorded_at))
}

/// Returns the submitters of the period's entries, the most entries first, and expected tokens
/// without any.
async fn sources(
    context: &TaskContext,
    trail: &Trail,
    run: &ReportRun,
    period: ReportPeriod,
) -> Result<Vec<SourceCoverage>> {
    let now = run.created_at;
    let by = |field| Aggregation {
        by: GroupBy::Field(FieldPath::Submitter(field)),
        limit: MOST_SOURCES,
    };

    let all = Query::all().and(period.condition());
    let counted = trail
        .count(
            all.clone(),
            vec![by(SubmitterField::Type), by(SubmitterField::TokenName)],
            now,
        )
        .await;

    // A long period of a large log may take longer than a search may: the report then says that
    // they were not counted.
    let (total, counts) = match counted {
        Ok(counted) => counted,
        Err(error) => {
            tracing::warn!(%error, "the submitters of a report's period were not counted");
            return Ok(Vec::new());
        }
    };

    let [kinds, tokens] = <[_; 2]>::try_from(counts).unwrap_or_default();

    let mut sources = Vec::new();
    let mut named = 0;

    for (kind, entries) in &kinds.values {
        named += entries;
        let Ok(kind) = kind.parse::<SubmitterType>() else {
            continue;
        };
        if kind != SubmitterType::Token {
            let condition = is(SubmitterField::Type, kind.as_str());
            sources.push(
                source(
                    trail,
                    kind_words(kind),
                    *entries,
                    all.clone().and(condition),
                    now,
                )
                .await,
            );
        }
    }

    for (name, entries) in &tokens.values {
        let condition = is(SubmitterField::TokenName, name);
        sources.push(
            source(
                trail,
                token_words(name),
                *entries,
                all.clone().and(condition),
                now,
            )
            .await,
        );
    }

    if total > named {
        let unnamed = Expr::negate(Expr::field(
            FieldPath::Submitter(SubmitterField::Type),
            Match::Exists,
        ));
        sources.push(
            source(
                trail,
                "not recorded".to_owned(),
                total - named,
                all.and(unnamed),
                now,
            )
            .await,
        );
    }

    sources.sort_by(|a, b| b.entries.cmp(&a.entries).then_with(|| a.name.cmp(&b.name)));
    if is_within_accounts(run) {
        return Ok(sources);
    }
    for token in context.access.token_list(None).await? {
        if is_log_source(&token, now) && !tokens.values.iter().any(|(name, _)| *name == token.name)
        {
            sources.push(SourceCoverage {
                name: token_words(&token.name),
                entries: 0,
                first_at: None,
                last_at: None,
            });
        }
    }

    Ok(sources)
}

async fn source(
    trail: &Trail,
    name: String,
    entries: u64,
    query: Query,
    now: Timestamp,
) -> SourceCoverage {
    let first_at = edge(trail, query.clone(), Order::OldestFirst, now)
        .await
        .ok()
        .flatten();
    let last_at = edge(trail, query, Order::NewestFirst, now)
        .await
        .ok()
        .flatten();
    SourceCoverage {
        name,
        entries,
        first_at,
        last_at,
    }
}

fn is(field: SubmitterField, value: &str) -> Expr {
    Expr::field(FieldPath::Submitter(field), Match::Exact(value.to_owned()))
}

fn kind_words(kind: SubmitterType) -> String {
    match kind {
        SubmitterType::Session => "people who were signed in".to_owned(),
        // One row stands for all imports, whoever ran them; the appendix names the account of each.
        SubmitterType::Source => "sources of entries".to_owned(),
        SubmitterType::Local => "imports on this machine".to_owned(),
        other => submitter_words(&Submitter::new(other)),
    }
}

fn token_words(name: &str) -> String {
    format!("token {name}")
}

/// Returns `true` for a token that is there to submit entries: it may append, and may not read the
/// log.
fn is_log_source(token: &ApiToken, now: Timestamp) -> bool {
    let may = |permission| {
        token
            .roles
            .iter()
            .any(|role| role.permissions().contains(&permission))
    };

    let is_active = token
        .expires_at_ms
        .is_none_or(|end| end > now.as_millisecond());
    is_active && may(Permission::AuditAppend) && !may(Permission::AuditViewAll)
}

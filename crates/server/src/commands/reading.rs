//! Reading the log page by page, the same wherever it is.

mod refusal;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use reeve_audit::format::{Exported, Integrity};
use reeve_audit::format_instant;
use reeve_audit::query::{Query, Sort, time_range};
use reeve_ledger::{EntryReader as _, Order, SearchRequest, StoredEntry};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::target::{LogAt, Remote, Reply};
use crate::service::{OpenedLog, with_lists_of};
use refusal::WrongQuery;

/// The most entries of a page.
pub(crate) const MOST: u32 = 1000;
/// Bytes of one page over HTTP; of one entry alone any number is taken.
const PAGE_BYTES: usize = 48 << 20;

/// Request for entries over the interface.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// In the query language.
    pub(crate) query: String,
    /// From this time on.
    pub(crate) from: Option<Timestamp>,
    /// Up to this time.
    pub(crate) to: Option<Timestamp>,
    /// At most this many, up to [`MOST`].
    pub(crate) limit: u32,
    /// End of the log that comes first.
    pub(crate) order: Order,
    /// Order by a column in place of `order`.
    pub(crate) sort: Option<Sort>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Fields to count, by the interface's names.
    pub(crate) counts: Vec<String>,
    /// Values told of each.
    pub(crate) values: u32,
    /// `true` if all matches are counted.
    pub(crate) total: bool,
    /// `true` if entries read in place carry the salts of their commitments, for a file that is
    /// checked offline.
    pub(crate) salts: bool,
}

impl Ask {
    /// The newest entries a query finds.
    pub(crate) fn newest(query: &str, limit: u32) -> Self {
        Self {
            query: query.to_owned(),
            from: None,
            to: None,
            limit,
            order: Order::NewestFirst,
            sort: None,
            cursor: None,
            counts: Vec::new(),
            values: 100,
            total: false,
            salts: false,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) entries: Vec<Exported>,
    /// Number of matches, if it was requested.
    pub(crate) total: u64,
    /// Value of `cursor` for the next page.
    pub(crate) next: Option<String>,
    /// Counts in the order they were requested.
    pub(crate) counts: Vec<ReadingCounts>,
}

/// Counts of the values of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadingCounts {
    /// Values with their counts.
    pub(crate) values: Vec<(String, u64)>,
    /// Counts of the second field for each value, if two are nested.
    pub(crate) nested: Vec<ReadingCounts>,
    /// Number of different values.
    pub(crate) distinct: u64,
    /// The sum of those not told.
    pub(crate) other: u64,
    /// Entries without a value.
    pub(crate) missing: u64,
}

impl LogAt {
    /// Reads a page. Entries that are too large to come together come in smaller pages: a page has
    /// at least one entry unless there is none.
    pub(crate) async fn page(&self, ask: &Ask) -> Result<Found> {
        match self {
            Self::Here(log) => here(log, ask).await,
            Self::There(remote) => {
                let mut ask = ask.clone();
                loop {
                    let most = if ask.limit > 1 {
                        PAGE_BYTES
                    } else {
                        usize::MAX
                    };
                    match there(remote, &ask, most).await? {
                        Some(found) => return Ok(found),
                        None => ask.limit = (ask.limit / 4).max(1),
                    }
                }
            }
        }
    }

    /// Reads the newest checkpoint of the log.
    pub(crate) async fn checkpoint(&self) -> Result<Checkpoint> {
        let note = match self {
            Self::Here(log) => log.ledger.checkpoint(),
            Self::There(remote) => match remote
                .ask(remote.get("audit-logs/checkpoint"), 1 << 20)
                .await?
            {
                Reply::Done(note) => String::from_utf8_lossy(&note).into_owned(),
                other => bail!(refused(remote, &other)),
            },
        };
        let mut lines = note.lines();

        let read = (|| {
            let origin = lines.next()?.to_owned();
            Some(Checkpoint {
                origin,
                size: lines.next()?.parse().ok()?,
                root: lines.next()?.to_owned(),
            })
        })();

        read.context("the checkpoint cannot be read")
    }

    /// Lets go of it.
    pub(crate) async fn close(&self) {
        if let Self::Here(log) = self {
            log.ledger.close().await;
        }
    }
}

/// Contents of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Checkpoint {
    pub(crate) origin: String,
    /// Number of entries that the root covers.
    pub(crate) size: u64,
    /// Root hash of the tree, base64.
    pub(crate) root: String,
}

/// Refusal of a service.
pub(crate) fn refused(remote: &Remote, reply: &Reply) -> String {
    match reply {
        Reply::Refused(problem) | Reply::Failed(problem) => remote.words(problem),
        Reply::Busy(seconds) => format!("{} is busy; try again in {seconds} s", remote.base()),
        Reply::TooMuch | Reply::Done(_) => format!("{} sent an unexpected response", remote.base()),
    }
}

/// Says on standard error what a search did not look at.
fn tell_left_out(segments: u64, entries: u64) {
    eprintln!(
        "{entries} entries in {segments} segments of the cold tier were not searched; see reeve audit restores"
    );
}

async fn here(log: &OpenedLog, ask: &Ask) -> Result<Found> {
    let now = Timestamp::now();
    let query = Query::parse(&ask.query).map_err(|error| WrongQuery::here(&ask.query, error))?;

    let query = with_lists_of(&log.data_dir, &query).await?;

    let cursor = ask
        .cursor
        .as_deref()
        .map(str::parse)
        .transpose()
        .context("the cursor was not issued for a data directory")?;

    let request = SearchRequest {
        query: query.and(time_range(ask.from, ask.to)).resolve(now),
        limit: ask.limit as usize,
        offset: 0,
        order: ask.order,
        sort: ask.sort,
        cursor,
        count_total: ask.total,
        aggregations: reeve_http::named_counts(&ask.counts, ask.values)
            .map_err(|problem| refusal::words(problem.body()))?,
        now,
    };
    let page = log.search.search(&request).await?;
    if ask.cursor.is_none() && page.left_out.segments > 0 {
        tell_left_out(page.left_out.segments, page.left_out.entries);
    }

    Ok(Found {
        entries: page
            .entries
            .iter()
            .map(|stored| exported(stored, ask.salts))
            .collect(),
        total: page.total.unwrap_or_default(),
        next: page.next_cursor.map(|sequence| sequence.to_string()),
        counts: page
            .aggregations
            .into_iter()
            .map(ReadingCounts::from)
            .collect(),
    })
}

impl From<reeve_ledger::EntryCounts> for ReadingCounts {
    fn from(counts: reeve_ledger::EntryCounts) -> Self {
        let reeve_ledger::EntryCounts {
            values,
            nested,
            distinct,
            other,
            missing,
        } = counts;
        Self {
            values,
            nested: nested.into_iter().map(Self::from).collect(),
            distinct,
            other,
            missing,
        }
    }
}

fn exported(stored: &StoredEntry, salts: bool) -> Exported {
    Exported {
        entry: stored.entry.clone(),
        recorded_at: stored.recorded_at,
        integrity: Integrity {
            sequence: stored.sequence,
            commitment: *stored.commitment.as_bytes(),
            leaf_hash: *stored.leaf_hash.as_bytes(),
            previous_hash: *stored.previous_hash.as_bytes(),
            hash: *stored.hash.as_bytes(),
            salt: salts.then_some(stored.salt),
        },
    }
}

/// A search's answer as far as it is read here.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
    total: Option<u64>,
    #[serde(default)]
    left_out: Option<LeftOut>,
    next_cursor: Option<String>,
    #[serde(default)]
    aggregations: BTreeMap<String, AnswerCounts>,
}

/// Part of the period that was not searched.
#[derive(Deserialize)]
struct LeftOut {
    segments: u64,
    entries: u64,
}

#[derive(Deserialize)]
struct AnswerCounts {
    buckets: Vec<AnswerCount>,
    distinct: u64,
    other: u64,
    missing: u64,
}

#[derive(Deserialize)]
struct AnswerCount {
    value: String,
    count: u64,
    nested: Option<AnswerCounts>,
}

impl From<AnswerCounts> for ReadingCounts {
    fn from(counts: AnswerCounts) -> Self {
        let AnswerCounts {
            buckets,
            distinct,
            other,
            missing,
        } = counts;

        let mut read = Self {
            distinct,
            other,
            missing,
            ..Self::default()
        };

        for bucket in buckets {
            read.values.push((bucket.value, bucket.count));
            read.nested.extend(bucket.nested.map(Self::from));
        }

        read
    }
}

/// `None` when the page is larger than `most` bytes.
async fn there(remote: &Remote, ask: &Ask, most: usize) -> Result<Option<Found>> {
    let mut body = json!({
        "query": ask.query, "limit": ask.limit.max(1), "aggregations": ask.counts, "aggregation_limit": ask.values,
        "count": ask.total,
    });
    let times = [("start_time", ask.from), ("end_time", ask.to)];
    for (name, time) in times
        .into_iter()
        .filter_map(|(name, time)| Some((name, time?)))
    {
        body[name] = format_instant(time).into();
    }

    if ask.order == Order::OldestFirst {
        body["order"] = "oldest_first".into();
    }
    if let Some(sort) = ask.sort {
        body["sort"] = sort.to_string().into();
    }
    if let Some(cursor) = &ask.cursor {
        body["cursor"] = cursor.as_str().into();
    }

    let bytes = match remote
        .ask(remote.post("audit-logs/search").json(&body), most)
        .await?
    {
        Reply::Done(bytes) => bytes,
        Reply::TooMuch => return Ok(None),
        Reply::Refused(problem) if problem["code"] == "invalid_query" => {
            return Err(WrongQuery::there(&ask.query, &problem).into());
        }
        other => bail!(refused(remote, &other)),
    };

    let answer: Answer<'_> =
        serde_json::from_slice(&bytes).context("the service's answer is not a page of entries")?;
    let shown = answer.items.iter().take(ask.limit as usize);
    let entries = shown
        .map(|item| Exported::read(item.get().as_bytes()))
        .collect::<Result<_, _>>()?;
    if let (None, Some(left_out)) = (&ask.cursor, &answer.left_out) {
        tell_left_out(left_out.segments, left_out.entries);
    }
    let mut aggregations = answer.aggregations;
    let mut counts = |name: &String| {
        aggregations
            .remove(name)
            .map(ReadingCounts::from)
            .unwrap_or_default()
    };
    let counts = ask.counts.iter().map(&mut counts).collect();

    Ok(Some(Found {
        entries,
        total: answer.total.unwrap_or_default(),
        next: answer.next_cursor,
        counts,
    }))
}

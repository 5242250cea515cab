//! Feeds of threat lists and the import of bundles.

use reeve_audit::{ActionStatus, FieldCode, FieldError, Json, ResourceRef, Severity};
use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::log_entry::{POLICY, entry};

use super::super::threat::feed::{FeedFormat, ThreatFeed};
use super::super::threat::stix::{self, NotUsed};
use super::super::threat::{ThreatList, parse};
use super::AnomalyService;
use super::configure::refuse_from_file;

/// Errors of lines that a failure of a feed names.
const MOST_NAMED: usize = 3;

impl AnomalyService {
    /// Keeps a list as an address has it, and reads the address at once. Where the first reading
    /// fails the list is as before, or empty, and the feed names the failure.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for a wrong address or interval; a conflict for a list that is read
    /// from a file.
    pub async fn threat_feed_put(
        &self,
        name: &str,
        (url, format, every_hours): (String, FeedFormat, u32),
        caller: &Caller,
    ) -> Result<ThreatFeed, EngineError> {
        let invalid = |error: FieldError| EngineError::Invalid(vec![error]);
        self.ports.feed_reader.check(&url).map_err(|reason| {
            invalid(FieldError::new(
                "url",
                FieldCode::InvalidValue,
                reason.to_string(),
            ))
        })?;
        let now = self.ports.clock.now();
        let feed = ThreatFeed::new(name.trim(), url, format, every_hours, now).map_err(invalid)?;

        let list = self.threat_list(&feed.name).await?;
        refuse_from_file(list.as_ref())?;
        if list.is_none() {
            self.threat_list_put(&feed.name, String::new(), None, caller)
                .await?;
        }

        let address = feed.url.split(['?', '#']).next().unwrap_or_default();
        let entry = entry(POLICY, "threat_feed.put", ActionStatus::Success, caller)
            .on(ResourceRef::new("threat_list", feed.name.clone()))
            .with_severity(Severity::Medium)
            .after(Json::object([
                ("url", Json::from(address.to_owned())),
                ("format", Json::from(feed.format.as_str())),
                ("every_hours", Json::from(u64::from(feed.every_hours))),
            ]));
        self.change(entry, self.ports.threats.threat_feed_put(&feed))
            .await?;
        self.threat_feed_refresh(feed, caller).await
    }

    /// Removes the feed of a list. The list stays as it is.
    ///
    /// # Errors
    /// The list has no feed.
    pub async fn threat_feed_delete(&self, name: &str, caller: &Caller) -> Result<(), EngineError> {
        let entry = entry(POLICY, "threat_feed.delete", ActionStatus::Success, caller)
            .on(ResourceRef::new("threat_list", name))
            .with_severity(Severity::Medium);
        self.change(entry, self.ports.threats.threat_feed_delete(name))
            .await
    }

    /// Returns the feed of a list.
    ///
    /// # Errors
    /// The list has none.
    pub async fn threat_feed(&self, name: &str) -> Result<ThreatFeed, EngineError> {
        let feeds = self.ports.threats.threat_feed_all().await?;
        let feed = feeds.into_iter().find(|feed| feed.name == name);
        feed.ok_or_else(|| EngineError::NotFound {
            what: "feed of threat list",
            id: name.to_owned(),
        })
    }

    /// Reads every feed that is due. Returns their number.
    ///
    /// # Errors
    /// The store or the log failed. A feed that fails keeps its list and names the failure.
    pub async fn threat_feeds_refresh(&self, caller: &Caller) -> Result<usize, EngineError> {
        let now = self.ports.clock.now();
        let feeds = self.ports.threats.threat_feed_all().await?;
        let due: Vec<ThreatFeed> = feeds
            .into_iter()
            .filter(|feed| feed.due_at <= now)
            .collect();
        let count = due.len();
        for feed in due {
            self.threat_feed_refresh(feed, caller).await?;
        }
        Ok(count)
    }

    /// Reads a feed now.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn threat_feed_refresh(
        &self,
        mut feed: ThreatFeed,
        caller: &Caller,
    ) -> Result<ThreatFeed, EngineError> {
        let read = self.ports.feed_reader.read(&feed.url).await;
        let text = read.and_then(|answer| feed.text_of(answer));
        let now = self.ports.clock.now();

        match text {
            Err(reason) => feed.fail(reason.to_string(), now),
            Ok((text, not_used)) => match self.take_over(&feed.name, text, caller).await {
                Ok(()) => feed.succeed(not_used, now),
                Err(EngineError::Invalid(errors)) => feed.fail(named(&errors), now),
                Err(error) => return Err(error),
            },
        }
        self.ports.threats.threat_feed_put(&feed).await?;
        Ok(feed)
    }

    /// Replaces a list by what its feed has now; a list without a difference is left alone.
    async fn take_over(
        &self,
        name: &str,
        text: String,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let before = self.threat_list(name).await?;
        // An answer without an indicator is more often a page about a failure than a list.
        if parse(&text).is_ok_and(|indicators| indicators.is_empty()) {
            return Err(EngineError::Invalid(vec![FieldError::new(
                "indicators",
                FieldCode::MissingField,
                "the answer has no indicator",
            )]));
        }
        if before.is_some_and(|list| list.text == text) {
            return Ok(());
        }
        self.threat_list_put(name, text, None, caller)
            .await
            .map(drop)
    }

    /// Adds a list of a STIX bundle, or replaces the list of this name. Returns it with the
    /// indicators that are not used.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for a text that is no bundle; the errors of
    /// [`AnomalyService::threat_list_put`].
    pub async fn threat_list_import(
        &self,
        name: &str,
        bundle: &str,
        caller: &Caller,
    ) -> Result<(ThreatList, Vec<NotUsed>), EngineError> {
        let import = stix::read(bundle).map_err(|reason| {
            let error = FieldError::new("bundle", FieldCode::InvalidValue, reason.to_string());
            EngineError::Invalid(vec![error])
        })?;
        let list = self
            .threat_list_put(name, import.text(), None, caller)
            .await?;
        Ok((list, import.not_used))
    }

    /// Returns a list as a STIX bundle.
    ///
    /// # Errors
    /// There is no such list, or it cannot be read.
    pub async fn threat_list_bundle(&self, name: &str) -> Result<serde_json::Value, EngineError> {
        let list = self.ports.threats.threat_list_get(name).await?;
        let indicators = parse(&list.text).map_err(|errors| {
            StoreError::Backend(format!("list {name:?} cannot be read: {}", named(&errors)))
        })?;
        Ok(stix::write(&list.name, &indicators, list.updated_at))
    }
}

/// The first errors as a sentence.
fn named(errors: &[FieldError]) -> String {
    let first = errors.iter().take(MOST_NAMED);
    let words: Vec<String> = first
        .map(|error| format!("{} {}", error.path, error.message))
        .collect();
    words.join("; ")
}

//! Calendars as people keep them: texts that they import, and addresses that are read again every
//! hour.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;

use super::calendar::{Calendar, CalendarId, CalendarKind, FetchedCalendar, Refresh, Subscription};
use super::log_entry;
use super::service::{RuleService, same_version};

/// Most calendars of a workspace.
const MOST_CALENDARS: usize = 50;
/// Time from now for which an imported calendar must be expandable.
const AHEAD: SignedDuration = SignedDuration::from_hours(24 * 366);
/// Characters of an address at most.
const MOST_URL: usize = 2_000;

/// A calendar as given; what is left out keeps its value.
#[derive(Debug, Clone, Default)]
pub struct CalendarInput {
    pub name: Option<String>,
    /// Either `traffic` or `maintenance`.
    pub kind: Option<String>,
    /// Zone of times without one; `Some(None)` takes it away.
    pub time_zone: Option<Option<String>>,
    /// The iCalendar text; ends a subscription.
    pub text: Option<String>,
    /// Address to read the text from.
    pub url: Option<String>,
}

impl RuleService {
    /// Imports a calendar or subscribes to one, or replaces the text, address, name, kind or zone
    /// of one.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field, also where the address cannot be read;
    /// conflicts of version and number.
    pub async fn calendar_put(
        &self,
        mut given: CalendarInput,
        known: Option<(&CalendarId, Option<u64>)>,
        caller: &Caller,
    ) -> Result<Calendar, EngineError> {
        let before = match known {
            Some((id, version)) => {
                let before = self.ports.rules.calendar_get(id).await?;
                same_version("calendar", before.version, version)?;
                Some(before)
            }
            None if self.ports.rules.calendar_list().await?.len() >= MOST_CALENDARS => {
                let message =
                    format!("the limit of {MOST_CALENDARS} calendars is reached; delete one first");
                return Err(EngineError::Conflict(message));
            }
            None => None,
        };

        let subscribed = self
            .subscribe(&mut given)
            .await
            .map_err(|error| EngineError::Invalid(vec![error]))?;
        let mut after = given
            .calendar(before.as_ref(), &caller.name, self.now())
            .map_err(EngineError::Invalid)?;
        if let Some(subscription) = &subscribed {
            after.subscription = Some(subscription.clone());
        }

        let rules = &self.ports.rules;
        let operation = if before.is_some() {
            "calendar.modify"
        } else {
            "calendar.create"
        };
        let entry = log_entry::calendar(operation, before.as_ref(), Some(&after), caller);

        match &before {
            Some(_) => self.recorded(entry, rules.calendar_update(&after)).await?,
            None => self.recorded(entry, rules.calendar_insert(&after)).await?,
        }

        if let Some(subscription) = subscribed {
            self.ports
                .rules
                .calendar_refreshed(&after.id, &subscription.refresh)
                .await?;
        }

        Ok(after)
    }

    /// Reads the address of an input into its text.
    async fn subscribe(
        &self,
        given: &mut CalendarInput,
    ) -> Result<Option<Subscription>, FieldError> {
        let Some(url) = given.url.take() else {
            return Ok(None);
        };

        let wrong = |message: String| FieldError::new("url", FieldCode::InvalidValue, message);
        if given.text.is_some() {
            return Err(wrong(
                "must not be given together with icalendar".to_owned(),
            ));
        }

        let url = address(&url).ok_or_else(|| {
            wrong(format!(
                "must be an https address, {MOST_URL} characters at most"
            ))
        })?;

        match self.ports.calendar_fetch.fetch(&url, None).await {
            Ok(FetchedCalendar::Text { text, etag }) => {
                given.text = Some(text);
                let refresh = Refresh {
                    etag,
                    checked_at: Some(self.now()),
                    problem: None,
                };
                Ok(Some(Subscription { url, refresh }))
            }
            Ok(FetchedCalendar::Unchanged) => Err(wrong(
                "answered that nothing changed, though nothing was known".to_owned(),
            )),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// Reads the addresses that are due again. A text that cannot be read or expanded is refused,
    /// and the one before it is kept. Returns how many texts changed.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn refresh_calendars(&self, caller: &Caller) -> Result<u64, EngineError> {
        let now = self.now();
        let mut changed = 0;

        for calendar in self.ports.rules.calendar_list().await? {
            let Some(subscription) = calendar.subscription.clone().filter(|one| one.is_due(now))
            else {
                continue;
            };
            let id = calendar.id.clone();
            let (refresh, after) = self.refreshed(calendar.clone(), subscription).await;
            if let Some(after) = after {
                let entry =
                    log_entry::calendar("calendar.modify", Some(&calendar), Some(&after), caller);
                match self
                    .recorded(entry, self.ports.rules.calendar_update(&after))
                    .await
                {
                    Ok(()) => changed += 1,
                    // A person changed it meanwhile; the next turn reads it again.
                    Err(EngineError::Conflict(_)) => continue,
                    Err(error) => return Err(error),
                }
            }
            self.ports.rules.calendar_refreshed(&id, &refresh).await?;
        }

        Ok(changed)
    }

    /// Reads one address. Returns the state, and the calendar where its text changed.
    async fn refreshed(&self, before: Calendar, of: Subscription) -> (Refresh, Option<Calendar>) {
        let now = self.now();
        let checked = Refresh {
            checked_at: Some(now),
            problem: None,
            ..of.refresh.clone()
        };

        match self
            .ports
            .calendar_fetch
            .fetch(&of.url, of.refresh.etag.as_deref())
            .await
        {
            Err(error) => (
                Refresh {
                    problem: Some(error.to_string()),
                    ..checked
                },
                None,
            ),
            Ok(FetchedCalendar::Unchanged) => (checked, None),
            Ok(FetchedCalendar::Text { text, etag }) if text == before.text => {
                (Refresh { etag, ..checked }, None)
            }
            Ok(FetchedCalendar::Text { text, etag }) => {
                let after = Calendar {
                    text,
                    updated_at: now,
                    version: before.version + 1,
                    ..before
                };
                match after
                    .events()
                    .and_then(|_| after.occurrences(now, now + AHEAD))
                {
                    Ok(_) => (Refresh { etag, ..checked }, Some(after)),
                    Err(error) => {
                        let problem = format!(
                            "its new text was refused, and the one before is kept: {error}"
                        );
                        (
                            Refresh {
                                problem: Some(problem),
                                ..checked
                            },
                            None,
                        )
                    }
                }
            }
        }
    }

    /// Removes a calendar that no rule names.
    ///
    /// # Errors
    /// A conflict while a rule names it.
    pub async fn calendar_remove(
        &self,
        id: &CalendarId,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let calendar = self.ports.rules.calendar_get(id).await?;
        let rules = self.ports.rules.rule_list().await?;
        if let Some(rule) = rules
            .iter()
            .find(|rule| rule.condition.calendars.contains(id))
        {
            return Err(EngineError::Conflict(format!(
                "the rule {:?} names this calendar; change it first",
                rule.name
            )));
        }

        let entry = log_entry::calendar("calendar.delete", Some(&calendar), None, caller);
        self.recorded(entry, self.ports.rules.calendar_delete(id))
            .await
    }
}

/// Returns an address as it is read; calendar programs write `webcal` for `https`.
fn address(given: &str) -> Option<String> {
    let given = given.trim();
    let (scheme, rest) = given.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let is_address = matches!(scheme.as_str(), "https" | "http" | "webcal" | "webcals")
        && given.len() <= MOST_URL;
    let scheme = if scheme.starts_with("webcal") {
        "https"
    } else {
        scheme.as_str()
    };

    (is_address && !rest.is_empty()).then(|| format!("{scheme}://{rest}"))
}

impl CalendarInput {
    fn calendar(
        self,
        before: Option<&Calendar>,
        by: &str,
        now: Timestamp,
    ) -> Result<Calendar, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut say = |field: &str, code: FieldCode, message: String| {
            errors.push(FieldError::new(field, code, message))
        };

        let name = self
            .name
            .map(|name| name.trim().to_owned())
            .or_else(|| before.map(|calendar| calendar.name.clone()));
        let name = name.unwrap_or_default();

        if !(1..=100).contains(&name.chars().count()) {
            say(
                "name",
                FieldCode::InvalidValue,
                "must have 1 to 100 characters".to_owned(),
            );
        }

        let kind = match self.kind.as_deref() {
            Some(text) => CalendarKind::parse(text),
            None => before.map(|calendar| calendar.kind),
        };
        if kind.is_none() {
            say(
                "kind",
                FieldCode::InvalidValue,
                "must be one of traffic, maintenance".to_owned(),
            );
        }

        let time_zone = self
            .time_zone
            .unwrap_or_else(|| before.and_then(|calendar| calendar.time_zone.clone()));
        let known = time_zone.as_deref().map(super::calendar::zone).transpose();
        if let Err(error) = &known {
            say("time_zone", FieldCode::InvalidValue, error.to_string());
        }

        let replaced = self.text.is_some();
        let text = self
            .text
            .or_else(|| before.map(|calendar| calendar.text.clone()));
        let calendar = Calendar {
            id: before.map_or_else(
                || CalendarId(uuid::Uuid::now_v7().to_string()),
                |calendar| calendar.id.clone(),
            ),
            name,
            kind: kind.unwrap_or(CalendarKind::Traffic),
            time_zone: if known.is_ok() { time_zone } else { None },
            text: text.clone().unwrap_or_default(),
            // A text that a person gives takes the place of the address.
            subscription: before
                .filter(|_| !replaced)
                .and_then(|calendar| calendar.subscription.clone()),
            created_by: before
                .map_or_else(|| by.to_owned(), |calendar| calendar.created_by.clone()),
            created_at: before.map_or(now, |calendar| calendar.created_at),
            updated_at: now,
            version: before.map_or(1, |calendar| calendar.version + 1),
        };

        if text.is_none() {
            say(
                "icalendar",
                FieldCode::MissingField,
                "is needed, or a url".to_owned(),
            );
        } else if let Err(error) = calendar
            .events()
            .and_then(|_| calendar.occurrences(now, now + AHEAD))
        {
            // What could not be expanded later is refused now.
            say("icalendar", FieldCode::InvalidValue, error.to_string());
        }

        if errors.is_empty() {
            Ok(calendar)
        } else {
            Err(errors)
        }
    }
}

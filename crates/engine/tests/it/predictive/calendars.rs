//! Calendars that are read from an address.

use async_trait::async_trait;
use jiff::SignedDuration;
use parking_lot::Mutex;
use reeve_predict::calendar::{CalendarFetch, FetchError, FetchedCalendar, Subscription};
use reeve_predict::{CalendarInput, RuleStore as _};
use reeve_recommend::error::EngineError;

use super::{fixture, text};
use crate::world::operator;

/// An address whose text has the number of its revision as validator.
#[derive(Default)]
pub(super) struct Address {
    served: Mutex<Option<Result<(String, u32), String>>>,
    /// Validators of the requests.
    asked: Mutex<Vec<Option<String>>>,
}

impl Address {
    fn serve(&self, text: &str, revision: u32) {
        *self.served.lock() = Some(Ok((text.to_owned(), revision)));
    }

    fn fail(&self, why: &str) {
        *self.served.lock() = Some(Err(why.to_owned()));
    }
}

#[async_trait]
impl CalendarFetch for Address {
    async fn fetch(&self, _url: &str, etag: Option<&str>) -> Result<FetchedCalendar, FetchError> {
        self.asked.lock().push(etag.map(str::to_owned));
        let (text, revision) = self
            .served
            .lock()
            .clone()
            .unwrap_or_else(|| Err("nothing is served".to_owned()))
            .map_err(FetchError)?;

        let own = format!("\"{revision}\"");
        Ok(if etag == Some(own.as_str()) {
            FetchedCalendar::Unchanged
        } else {
            FetchedCalendar::Text {
                text,
                etag: Some(own),
            }
        })
    }
}

fn sale(name: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:{name}\nDTSTART:20261201T090000Z\nDTEND:20261201T100000Z\nEND:VEVENT\nEND:VCALENDAR\n"
    )
}

fn subscription() -> CalendarInput {
    CalendarInput {
        name: text("Sales"),
        kind: text("traffic"),
        url: text("webcal://calendar.example.com/private-5ecre7/sales.ics?token=x"),
        ..CalendarInput::default()
    }
}

#[tokio::test]
async fn a_calendar_follows_its_address_and_keeps_the_last_good_text() {
    let it = fixture();
    it.address.serve(&sale("Summer"), 1);
    let calendar = it
        .service
        .calendar_put(subscription(), None, &operator())
        .await
        .unwrap();

    assert_eq!(
        calendar
            .subscription
            .as_ref()
            .map(Subscription::shown)
            .as_deref(),
        Some("https://calendar.example.com/...")
    );

    let kept = async || it.rules.calendar_get(&calendar.id).await.unwrap();
    let turn = async |hours: i64| {
        it.world
            .clock
            .advance(SignedDuration::from_mins(hours * 60));
        it.service.refresh_calendars(&operator()).await.unwrap()
    };
    assert_eq!(turn(0).await, 0, "it was read just now");

    assert_eq!(
        (turn(1).await, kept().await.version),
        (0, 1),
        "unchanged, and no new version"
    );
    it.address.serve(&sale("Winter"), 2);
    assert_eq!((turn(1).await, kept().await.version), (1, 2));
    assert!(kept().await.text.contains("SUMMARY:Winter"));

    let problem = async || kept().await.subscription.unwrap().refresh.problem;
    it.address
        .fail("the server answered with 503 Service Unavailable");
    assert_eq!(turn(1).await, 0);
    assert_eq!(
        problem().await.as_deref(),
        Some("the server answered with 503 Service Unavailable")
    );
    it.address.serve("<html>sign in</html>", 3);
    assert_eq!(turn(1).await, 0);
    assert!(
        problem().await.unwrap().contains("the one before is kept"),
        "a page to sign in is no calendar"
    );
    assert!(
        kept().await.text.contains("SUMMARY:Winter"),
        "the last good text"
    );
    it.address.serve(&sale("Spring"), 4);
    assert_eq!((turn(1).await, problem().await), (1, None));

    let validators: Vec<_> = it
        .address
        .asked
        .lock()
        .iter()
        .map(|etag| etag.clone().unwrap_or_default())
        .collect();

    assert_eq!(
        validators,
        ["", "\"1\"", "\"1\"", "\"2\"", "\"2\"", "\"2\""]
    );
}

#[tokio::test]
async fn an_address_that_cannot_be_read_names_its_field_and_a_text_ends_a_subscription() {
    let it = fixture();
    let field = async |input: CalendarInput| match it
        .service
        .calendar_put(input, None, &operator())
        .await
    {
        Err(EngineError::Invalid(errors)) => (errors[0].path.clone(), errors[0].message.clone()),
        other => panic!("{other:?}"),
    };

    it.address.fail("the address is private");
    assert_eq!(
        field(subscription()).await,
        ("url".to_owned(), "the address is private".to_owned())
    );
    assert_eq!(
        field(CalendarInput {
            url: text("file:///etc/passwd"),
            ..subscription()
        })
        .await
        .0,
        "url"
    );

    assert_eq!(
        field(CalendarInput {
            text: text("x"),
            ..subscription()
        })
        .await
        .0,
        "url"
    );

    it.address.serve("no calendar", 1);
    assert_eq!(field(subscription()).await.0, "icalendar");
    it.address.serve(&sale("Summer"), 1);
    let calendar = it
        .service
        .calendar_put(subscription(), None, &operator())
        .await
        .unwrap();

    let rename = CalendarInput {
        name: text("All sales"),
        ..CalendarInput::default()
    };
    let renamed = it
        .service
        .calendar_put(rename, Some((&calendar.id, None)), &operator())
        .await
        .unwrap();

    assert!(
        renamed.subscription.is_some(),
        "a new name keeps the address"
    );

    let own = CalendarInput {
        text: Some(sale("Own")),
        ..CalendarInput::default()
    };
    let imported = it
        .service
        .calendar_put(own, Some((&calendar.id, None)), &operator())
        .await
        .unwrap();
    assert_eq!(imported.subscription, None);
}

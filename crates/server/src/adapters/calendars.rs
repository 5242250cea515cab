//! Reading of calendar addresses through the guarded client: no private address, no other scheme,
//! no answer beyond the size of a calendar.

use std::time::Duration;

use async_trait::async_trait;
use reeve_connect_outbound::{
    Method, Outbound, OutboundLimits, OutboundPolicy, OutboundRequest, StatusCode, Url,
};
use reeve_predict::calendar::{CalendarFetch, FetchError, FetchedCalendar, MOST_BYTES};

/// Reader of calendar addresses.
pub(crate) struct CalendarReader {
    outbound: Outbound,
}

impl CalendarReader {
    /// Reads what the policy allows.
    pub(crate) fn new(policy: OutboundPolicy) -> CalendarReader {
        let limits = OutboundLimits {
            time: Duration::from_secs(20),
            body: MOST_BYTES,
            redirects: 3,
        };
        CalendarReader {
            outbound: Outbound::new(policy, limits),
        }
    }
}

#[async_trait]
impl CalendarFetch for CalendarReader {
    async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedCalendar, FetchError> {
        self.outbound
            .policy()
            .check_given(url)
            .map_err(|reason| FetchError(reason.into()))?;
        let url: Url = url
            .parse()
            .map_err(|_| FetchError("is not an address".to_owned()))?;
        let mut headers = vec![("accept".to_owned(), "text/calendar".to_owned())];
        headers.extend(etag.map(|etag| ("if-none-match".to_owned(), etag.to_owned())));
        let request = OutboundRequest {
            method: Method::GET,
            url,
            headers,
            body: Vec::new(),
        };

        let answer = self
            .outbound
            .send(request)
            .await
            .map_err(|error| FetchError(error.to_string()))?;

        match answer.status {
            StatusCode::NOT_MODIFIED if etag.is_some() => return Ok(FetchedCalendar::Unchanged),
            status if status.is_success() => {}
            status => return Err(FetchError(format!("the server answered with {status}"))),
        }

        let etag = answer
            .headers
            .get("etag")
            .and_then(|etag| etag.to_str().ok())
            .map(str::to_owned);
        let text = String::from_utf8(answer.body)
            .map_err(|_| FetchError("the answer is no text in UTF-8".to_owned()))?;
        Ok(FetchedCalendar::Text { text, etag })
    }
}

//! Calls to addresses of other security tools through the guarded client: feeds of threat lists, and
//! the closing of alerts at their senders.

use std::time::Duration;

use async_trait::async_trait;
use reeve_anomalies::threat::LONGEST_LIST;
use reeve_anomalies::threat::feed::ThreatFeedReader;
use reeve_audit::Obstacle;
use reeve_connect_outbound::{
    Method, Outbound, OutboundLimits, OutboundPolicy, OutboundRequest, Url,
};
use reeve_siem::{AlertCaller, CallbackMethod, CallbackRequest};

/// Beginning of an answer that a failure quotes, in characters.
const QUOTED: usize = 200;

/// Reader of the feeds that threat lists are kept by.
pub(crate) struct FeedReader {
    outbound: Outbound,
}

impl FeedReader {
    /// Reads what the policy allows.
    pub(crate) fn new(policy: OutboundPolicy) -> FeedReader {
        let limits = OutboundLimits {
            time: Duration::from_secs(30),
            // A bundle says more of an indicator than a list does.
            body: LONGEST_LIST * 4,
            redirects: 3,
        };
        FeedReader {
            outbound: Outbound::new(policy, limits),
        }
    }
}

#[async_trait]
impl ThreatFeedReader for FeedReader {
    fn check(&self, url: &str) -> Result<(), Obstacle> {
        self.outbound.policy().check_given(url)
    }

    async fn read(&self, url: &str) -> Result<String, Obstacle> {
        self.check(url)?;
        let url: Url = url.parse().map_err(|_| Obstacle::of("is not an address"))?;
        let request = OutboundRequest {
            method: Method::GET,
            url,
            headers: Vec::new(),
            body: Vec::new(),
        };

        let answer = self.outbound.send(request).await.map_err(Obstacle::of)?;
        if !answer.status.is_success() {
            let message = format_args!("the server answered with {}", answer.status);
            return Err(Obstacle::of(message));
        }
        String::from_utf8(answer.body).map_err(|_| Obstacle::of("the answer is no text in UTF-8"))
    }
}

/// Caller of the tools that send alerts.
pub(crate) struct CallbackSender {
    outbound: Outbound,
}

impl CallbackSender {
    /// Calls what the policy allows.
    pub(crate) fn new(policy: OutboundPolicy) -> CallbackSender {
        CallbackSender {
            outbound: Outbound::new(policy, OutboundLimits::default()),
        }
    }
}

#[async_trait]
impl AlertCaller for CallbackSender {
    fn check(&self, url: &str) -> Result<(), Obstacle> {
        self.outbound.policy().check_given(url)
    }

    async fn call(&self, call: &CallbackRequest) -> Result<(), Obstacle> {
        self.check(&call.url)?;
        let request = OutboundRequest {
            method: match call.method {
                CallbackMethod::Post => Method::POST,
                CallbackMethod::Put => Method::PUT,
                CallbackMethod::Patch => Method::PATCH,
            },
            url: call
                .url
                .parse()
                .map_err(|_| Obstacle::of("is not an address"))?,
            headers: call.headers.clone(),
            body: call.body.clone().into_bytes(),
        };

        let answer = self.outbound.send(request).await.map_err(Obstacle::of)?;
        if answer.status.is_success() {
            return Ok(());
        }
        let text: String = String::from_utf8_lossy(&answer.body)
            .chars()
            .filter(|letter| !letter.is_control())
            .take(QUOTED)
            .collect();
        let message = format_args!("the tool answered with {}: {text}", answer.status);
        Err(Obstacle::of(message))
    }
}

//! The table of services: for each channel type, the request that carries a message and the meaning
//! of an answer.

mod google_chat;
mod opsgenie;
mod pagerduty;
mod slack;
mod teams;

use reeve_notify::notification::{ChannelKind, ChannelSecret, ChannelSettings, Message};
use serde_json::Value;

use crate::outcome::NotifyOutcome;

/// A request to a service, with a JSON body.
pub(crate) struct Post {
    pub(crate) url: String,
    /// Value of the header `Authorization`.
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

/// Way in which a channel type is reached.
pub(crate) enum NotifyService {
    /// E-mail over SMTP.
    Mail,
    /// One POST a message.
    Http {
        post: fn(&ChannelSettings, &ChannelSecret, &Message) -> Post,
        /// Corrects the outcome, which is a success at every 2xx and worth another attempt at
        /// everything else.
        judged: fn(NotifyOutcome) -> NotifyOutcome,
    },
}

/// Returns the service of a channel type.
pub(crate) fn service(kind: ChannelKind) -> NotifyService {
    match kind {
        ChannelKind::Email => NotifyService::Mail,
        ChannelKind::Slack => NotifyService::Http {
            post: slack::post,
            judged: slack::judged,
        },
        ChannelKind::Teams => NotifyService::Http {
            post: teams::post,
            judged: |outcome| outcome,
        },
        ChannelKind::Pagerduty => NotifyService::Http {
            post: pagerduty::post,
            judged: pagerduty::judged,
        },
        ChannelKind::Opsgenie => NotifyService::Http {
            post: opsgenie::post,
            judged: opsgenie::judged,
        },
        ChannelKind::GoogleChat => NotifyService::Http {
            post: google_chat::post,
            judged: google_chat::judged,
        },
    }
}

/// Returns a request to an incoming webhook, whose address is the secret.
fn to_webhook(secret: &ChannelSecret, body: Value) -> Post {
    Post {
        url: secret.0.clone(),
        authorization: None,
        body,
    }
}

//! Tells people: e-mail over SMTP, Slack, Microsoft Teams and PagerDuty.
//!
//! Whatever address a person configured is resolved and judged before it is asked, mail servers
//! too. Mail is sent over TLS alone. A message is cut to what each service takes; what was cut is
//! in Reeve.

mod email;
mod html;
mod outcome;
mod pagerduty;
mod people;
mod slack;
mod teams;

pub use people::People;

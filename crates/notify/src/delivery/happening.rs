//! From what happened to what is sent: pure.

use jiff::Timestamp;
use reeve_recommend::agent::settings::alert;
use reeve_recommend::agent::{Agent, AgentId, Timing};
use serde_json::{Value, json};

use super::port::Outgoing;
use super::record::{DeliveryTarget, NotificationDelivery};
use super::topic::Topic;
use crate::notification::{Channel, Gravity, Message, Notice, NoticeId, next_digest};
use crate::webhook::{Facts, Webhook, WebhookEvent, WebhookFormat};

/// Largest body of a webhook, bytes. What is larger goes out with its identifier alone, to be
/// fetched.
const LARGEST: usize = 256 * 1024;

/// Something that people or programs outside may want to hear of.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    pub topic: Topic,
    /// The webhooks' event; `None` for what only people are told.
    pub event: Option<WebhookEvent>,
    /// Its name: the event's, or `approval_requested` and the like.
    pub name: &'static str,
    /// Key that identifies repeated notices about the same subject.
    pub subject: String,
    /// Time of the event.
    pub at: Timestamp,
    /// Agents whose finding it is: the promptest of their timings decides. What is no agent's goes
    /// out at once, since nobody has said that it may wait.
    pub agents: Vec<AgentId>,
    /// Values that filters match.
    pub facts: Facts,
    /// The record, as the HTTP interface gives it.
    pub data: Value,
    /// The record as an OCSF finding, and the event under which it is subscribed to; `None` for a
    /// record that is no security finding.
    pub finding: Option<(WebhookEvent, Value)>,
    /// Text for channels, which people read.
    pub message: Message,
    /// Channels to send to at once: kinds, names or identifiers. `None` leaves channel and time to
    /// the agent's timings.
    pub channels: Option<Vec<String>>,
}

/// Possible receivers of notices.
#[derive(Debug, Clone, Default)]
pub struct Audience {
    /// Webhook subscriptions of the workspace.
    pub webhooks: Vec<Webhook>,
    pub channels: Vec<Channel>,
    /// Agents, for their timings. Of one that is gone nothing is told to people.
    pub agents: Vec<Agent>,
}

/// Deliveries and notices to store.
#[derive(Debug, Clone, Default)]
pub struct DeliveryPlan {
    /// To be sent at once.
    pub outgoing: Vec<Outgoing>,
    /// To wait for a digest.
    pub notices: Vec<Notice>,
}

/// The body of a webhook: `type`, `timestamp`, `data`.
#[must_use]
pub fn body_of(event: &str, at: Timestamp, data: &Value) -> String {
    // Spelled out, so that the members stand in this order whatever serde_json keeps its objects
    // in.
    let (event, timestamp) = (
        Value::from(event),
        Value::from(reeve_audit::format_instant(at)),
    );
    let written =
        |data: &Value| format!(r#"{{"type":{event},"timestamp":{timestamp},"data":{data}}}"#);
    let body = written(data);
    if body.len() <= LARGEST {
        return body;
    }

    written(&json!({ "id": data["id"], "truncated": true }))
}

impl Happening {
    /// Returns the body for a webhook; `None` if it is not subscribed to this.
    fn body_for(&self, webhook: &Webhook) -> Option<String> {
        match webhook.format {
            WebhookFormat::Json => self
                .event
                .filter(|event| *event == webhook.event)
                .map(|event| body_of(event.as_str(), self.at, &self.data)),
            WebhookFormat::Ocsf => self
                .finding
                .as_ref()
                .filter(|(event, _)| *event == webhook.event)
                .map(|(_, finding)| finding.to_string()),
        }
    }

    fn to(&self, channel: &Channel, now: Timestamp) -> Outgoing {
        let target = DeliveryTarget::Channel(channel.id.clone());
        let delivery = NotificationDelivery::new(target, self.name, self.subject.clone(), now);
        Outgoing {
            delivery,
            body: self.message.encode(),
        }
    }
}

impl Audience {
    /// Returns the deliveries and notices for these events.
    #[must_use]
    pub fn plan(&self, happenings: &[Happening], now: Timestamp) -> DeliveryPlan {
        let mut plan = DeliveryPlan::default();
        for happening in happenings {
            self.webhooks_of(happening, now, &mut plan);
            self.people_of(happening, now, &mut plan);
        }
        plan
    }

    fn webhooks_of(&self, happening: &Happening, now: Timestamp, plan: &mut DeliveryPlan) {
        for webhook in &self.webhooks {
            let Some(body) = happening.body_for(webhook) else {
                continue;
            };
            if webhook.enabled && webhook.filter.matches(&happening.facts) {
                let target = DeliveryTarget::Webhook(webhook.id.clone());
                let event = webhook.event.as_str();
                let delivery =
                    NotificationDelivery::new(target, event, happening.subject.clone(), now);
                plan.outgoing.push(Outgoing { delivery, body });
            }
        }
    }

    /// Channels that hear of a finding at once, whatever its agent's timings are: those that the
    /// agent's settings name for findings of such a priority.
    fn alerted(&self, happening: &Happening) -> Vec<&Channel> {
        if happening.topic != Topic::Recommendations {
            return Vec::new();
        }
        let priority = happening.facts.priority.as_deref();
        let owners = self
            .agents
            .iter()
            .filter(|agent| happening.agents.contains(&agent.id));
        let names: Vec<String> = owners
            .filter(|agent| priority.is_some_and(|one| alert::is_alerted(&agent.settings, one)))
            .flat_map(|agent| agent.settings.names(&alert::CHANNELS))
            .collect();

        let named = |channel: &&Channel| channel.is_named(&names, happening.topic);
        self.channels.iter().filter(named).collect()
    }

    fn people_of(&self, happening: &Happening, now: Timestamp, plan: &mut DeliveryPlan) {
        if let Some(names) = &happening.channels {
            let named = self
                .channels
                .iter()
                .filter(|channel| channel.is_named(names, happening.topic));
            plan.outgoing
                .extend(named.map(|channel| happening.to(channel, now)));
            return;
        }

        let alerted = self.alerted(happening);
        plan.outgoing
            .extend(alerted.iter().map(|channel| happening.to(channel, now)));
        let is_told = |channel: &Channel| alerted.iter().any(|told| told.id == channel.id);
        let channels = self
            .channels
            .iter()
            .filter(|channel| channel.takes(happening.topic) && !is_told(channel));
        let owners = self
            .agents
            .iter()
            .filter(|agent| happening.agents.contains(&agent.id));
        let Some(agent) = owners.min_by_key(|agent| timing_of(agent, happening.topic)) else {
            // Findings of an agent that is gone are told to nobody.
            if happening.agents.is_empty() {
                plan.outgoing
                    .extend(channels.map(|channel| happening.to(channel, now)));
            }
            return;
        };

        let timing = timing_of(agent, happening.topic);
        match next_digest(timing, now) {
            None if timing == Timing::Never => {}
            None => plan
                .outgoing
                .extend(channels.map(|channel| happening.to(channel, now))),
            // Without anybody to tell, nothing is gathered either.
            Some(due_at) if channels.count() > 0 => plan.notices.push(Notice {
                id: NoticeId(uuid::Uuid::now_v7().to_string()),
                agent: agent.id.clone(),
                topic: happening.topic,
                timing,
                subject: happening.subject.clone(),
                message: happening.message.clone(),
                at: happening.at,
                due_at,
            }),
            Some(_) => {}
        }
    }
}

/// Returns the timing that an agent has for a topic. Timings are ordered by promptness.
fn timing_of(agent: &Agent, topic: Topic) -> Timing {
    match topic {
        Topic::Recommendations => agent.notifications.recommendations,
        Topic::Actions => agent.notifications.actions_taken,
        Topic::Anomalies => agent.notifications.anomalies,
        Topic::Approvals | Topic::Alerts | Topic::Reports => Timing::Immediate,
    }
}

/// Severity from the name of a priority, a severity or an impact.
impl From<&str> for Gravity {
    fn from(name: &str) -> Gravity {
        match name {
            "critical" => Gravity::Critical,
            "high" => Gravity::Error,
            "medium" => Gravity::Warning,
            _ => Gravity::Info,
        }
    }
}

#[cfg(test)]
mod tests;

//! Timings of agents, channels, filters and bodies: who is told of a happening, and when.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::agent::{AgentScope, AgentType, AutoApply, Impact, Mode, Notifications};

use super::*;
use crate::notification::{ChannelId, ChannelKind, ChannelSettings, Item};
use crate::webhook::{WebhookFilter, WebhookFormat, WebhookId};

#[test]
fn a_body_is_bounded() {
    let at: Timestamp = Timestamp::UNIX_EPOCH;
    let small = body_of("action_completed", at, &json!({ "id": "a-1", "steps": [] }));
    assert_eq!(
        small,
        r#"{"type":"action_completed","timestamp":"1970-01-01T00:00:00.000Z","data":{"id":"a-1","steps":[]}}"#
    );

    let large = body_of(
        "action_completed",
        at,
        &json!({ "id": "a-1", "steps": "x".repeat(LARGEST) }),
    );

    assert_eq!(
        large,
        r#"{"type":"action_completed","timestamp":"1970-01-01T00:00:00.000Z","data":{"id":"a-1","truncated":true}}"#
    );
}

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

/// An agent with timings of recommendations, actions and anomalies.
fn agent(id: &str, [recommendations, actions_taken, anomalies]: [Timing; 3]) -> Agent {
    Agent {
        id: AgentId(id.into()),
        agent_type: AgentType::COST_OPTIMIZER,
        name: id.into(),
        mode: Mode::SafeMode,
        scope: AgentScope {
            accounts: Vec::new(),
            services: Vec::new(),
        },
        learning_period_days: 14,
        confidence_threshold: 85.0,
        auto_apply: AutoApply {
            enabled: false,
            max_impact: Impact::Low,
            approval_required: Impact::Medium,
        },
        notifications: Notifications {
            recommendations,
            actions_taken,
            anomalies,
        },
        schedule: None,
        learning_waived: None,
        settings: AgentSettings::default(),
        version: 1,
        created_at: now(),
        last_run: None,
        last_change_run: None,
    }
}

fn channel(id: &str, topics: &[Topic], enabled: bool) -> Channel {
    Channel {
        id: ChannelId(id.into()),
        name: id.into(),
        settings: ChannelSettings::parse(ChannelKind::Slack, &serde_json::Map::new()).unwrap(),
        topics: topics.to_vec(),
        enabled,
        created_at: now(),
        updated_at: now(),
        version: 1,
    }
}

fn webhook(id: &str, event: WebhookEvent, filter: &str) -> Webhook {
    Webhook {
        id: WebhookId(id.into()),
        name: id.into(),
        event,
        format: WebhookFormat::Json,
        url: "https://hooks.example/".into(),
        filter: WebhookFilter::parse(filter, event).unwrap(),
        enabled: true,
        disabled_reason: None,
        created_at: now(),
        updated_at: now(),
        version: 1,
    }
}

fn happening(topic: Topic, agent: Option<&str>) -> Happening {
    let event = match topic {
        Topic::Recommendations => Some(WebhookEvent::RecommendationReady),
        Topic::Actions => Some(WebhookEvent::ActionCompleted),
        Topic::Anomalies => Some(WebhookEvent::AnomalyDetected),
        Topic::Approvals | Topic::Alerts | Topic::Reports => None,
    };
    Happening {
        topic,
        event,
        name: topic.as_str(),
        subject: format!("{topic}:1"),
        at: now(),
        agents: agent.into_iter().map(|id| AgentId(id.into())).collect(),
        facts: Facts {
            priority: Some("high".into()),
            types: vec!["cost".into()],
            impact: Some("low".into()),
        },
        data: json!({ "id": "1" }),
        finding: event.map(|event| (event, json!({ "class_uid": 2004 }))),
        message: Message {
            title: "It happened".into(),
            gravity: Gravity::Info,
            items: vec![Item {
                title: "It happened".into(),
                facts: Vec::new(),
                link: None,
            }],
            about: format!("{topic}:1"),
            to: Vec::new(),
            attachment: None,
        },
        channels: None,
    }
}

/// Returns the channels that are sent to at once, and the timing and time of the digest that waits.
fn people(audience: &Audience, happening: &Happening) -> (Vec<String>, Option<(Timing, String)>) {
    let plan = audience.plan(std::slice::from_ref(happening), now());
    let at_once = plan
        .outgoing
        .iter()
        .map(|outgoing| outgoing.delivery.target.id().to_owned())
        .collect();
    assert!(plan.notices.len() <= 1, "{:?}", plan.notices);

    (
        at_once,
        plan.notices
            .first()
            .map(|notice| (notice.timing, notice.due_at.to_string())),
    )
}

#[test]
fn a_webhook_gets_what_its_format_says() {
    let json = webhook("json", WebhookEvent::AnomalyDetected, "");
    let ocsf = Webhook {
        id: WebhookId("ocsf".into()),
        format: WebhookFormat::Ocsf,
        ..json.clone()
    };
    let audience = Audience {
        webhooks: vec![json, ocsf],
        ..Audience::default()
    };
    let sent = |happening: Happening| -> Vec<(String, String)> {
        let plan = audience.plan(&[happening], now());
        let outgoing = plan.outgoing.into_iter();
        outgoing
            .map(|one| (one.delivery.target.id().to_owned(), one.body))
            .collect()
    };

    let detected = sent(happening(Topic::Anomalies, None));
    assert_eq!(detected.len(), 2);
    assert!(detected[0].1.starts_with(r#"{"type":"anomaly_detected""#));
    assert_eq!(
        detected[1],
        ("ocsf".to_owned(), r#"{"class_uid":2004}"#.to_owned())
    );

    // A change of the status is told in OCSF alone, and what is no security finding is not.
    let changed = Happening {
        event: None,
        ..happening(Topic::Anomalies, None)
    };
    assert_eq!(sent(changed).len(), 1);
    let cost = Happening {
        finding: None,
        ..happening(Topic::Anomalies, None)
    };
    assert_eq!(sent(cost)[0].0, "json");
}

#[test]
fn the_timings_of_an_agent_decide_by_topic() {
    use Timing::{DailyDigest, Immediate, Never, WeeklyDigest};

    let audience = Audience {
        channels: vec![
            channel("all", &[], true),
            channel("actions", &[Topic::Actions], true),
            channel("off", &[], false),
        ],
        agents: vec![
            agent("mixed", [DailyDigest, Immediate, Never]),
            agent("weekly", [WeeklyDigest; 3]),
        ],
        ..Audience::default()
    };

    let (daily, weekly) = ("2026-11-22T08:00:00Z", "2026-11-23T08:00:00Z");
    for (topic, agent, at_once, digest) in [
        (
            Topic::Recommendations,
            "mixed",
            vec![],
            Some((DailyDigest, daily)),
        ),
        (Topic::Actions, "mixed", vec!["all", "actions"], None),
        (Topic::Anomalies, "mixed", vec![], None),
        (
            Topic::Recommendations,
            "weekly",
            vec![],
            Some((WeeklyDigest, weekly)),
        ),
        (
            Topic::Actions,
            "weekly",
            vec![],
            Some((WeeklyDigest, weekly)),
        ),
        (
            Topic::Anomalies,
            "weekly",
            vec![],
            Some((WeeklyDigest, weekly)),
        ),
        // A request for a signature cannot wait, whatever the agent's timings are.
        (Topic::Approvals, "weekly", vec!["all"], None),
        // The agent is gone.
        (Topic::Actions, "gone", vec![], None),
    ] {
        let digest = digest.map(|(timing, at)| (timing, at.to_owned()));
        assert_eq!(
            people(&audience, &happening(topic, Some(agent))),
            (at_once.into_iter().map(str::to_owned).collect(), digest),
            "{topic} of {agent}"
        );
    }
}

#[test]
fn the_timings_of_an_agent_apply_to_its_own_findings() {
    use Timing::{DailyDigest, Immediate, Never, WeeklyDigest};

    let timings = [WeeklyDigest, DailyDigest, Never, Immediate];
    let audience = Audience {
        channels: vec![channel("all", &[], true)],
        agents: timings
            .iter()
            .map(|timing| agent(timing.as_str(), [Never, Never, *timing]))
            .collect(),
        ..Audience::default()
    };

    let of = |owners: &[Timing]| {
        let agents = owners
            .iter()
            .map(|timing| AgentId(timing.as_str().into()))
            .collect();
        people(
            &audience,
            &Happening {
                agents,
                ..happening(Topic::Anomalies, None)
            },
        )
    };

    let at_once = (vec!["all".to_owned()], None);
    // The agent that wants everything at once does not decide about the findings of others.
    assert_eq!(of(&[Never]), (Vec::new(), None));

    let (_, digest) = of(&[WeeklyDigest]);
    assert_eq!(digest.map(|(timing, _)| timing), Some(WeeklyDigest));

    let (_, digest) = of(&[WeeklyDigest, DailyDigest]);
    assert_eq!(digest.map(|(timing, _)| timing), Some(DailyDigest));
    assert_eq!(of(&[WeeklyDigest, Immediate]), at_once);
    assert_eq!(of(&[]), at_once, "nobody has said that it may wait");
}

#[test]
fn nothing_is_gathered_for_nobody() {
    let audience = Audience {
        channels: vec![channel("approvals", &[Topic::Approvals], true)],
        agents: vec![agent("a", [Timing::DailyDigest; 3])],
        ..Audience::default()
    };
    assert_eq!(
        people(&audience, &happening(Topic::Recommendations, Some("a"))),
        (Vec::new(), None)
    );
}

#[test]
fn webhooks_are_notified_at_once_by_event_and_filter() {
    let audience = Audience {
        webhooks: vec![
            webhook("ready", WebhookEvent::RecommendationReady, ""),
            webhook("done", WebhookEvent::ActionCompleted, "type=cost"),
            webhook("grave", WebhookEvent::ActionCompleted, "impact=high"),
            Webhook {
                enabled: false,
                ..webhook("off", WebhookEvent::ActionCompleted, "")
            },
        ],
        agents: vec![agent("a", [Timing::Never; 3])],
        ..Audience::default()
    };

    let plan = audience.plan(
        &[
            happening(Topic::Actions, Some("a")),
            happening(Topic::Approvals, Some("a")),
        ],
        now(),
    );

    let targets: Vec<_> = plan
        .outgoing
        .iter()
        .map(|outgoing| outgoing.delivery.target.id())
        .collect();
    assert_eq!(targets, ["done"], "timings are those of people");

    let body: Value = serde_json::from_str(&plan.outgoing[0].body).unwrap();
    assert_eq!(
        body,
        json!({ "type": "action_completed", "timestamp": "2026-11-21T12:00:00.000Z", "data": { "id": "1" } })
    );
}

#[test]
fn grave_findings_reach_the_channels_that_an_agent_names_at_once() {
    let mut own = agent("compliance", [Timing::WeeklyDigest; 3]);
    let named = [("alert.channels", Some("compliance team".to_owned()))];
    let named = named.map(|(path, names)| (path.to_owned(), names)).into();
    let known = [alert::CHANNELS, alert::PRIORITIES];
    own.settings = own.settings.overlay(&known, &named).unwrap();
    let mut audience = Audience {
        channels: vec![
            channel("all", &[], true),
            channel("compliance team", &[Topic::Actions], true),
        ],
        agents: vec![own.clone()],
        ..Audience::default()
    };

    let grave = happening(Topic::Recommendations, Some("compliance"));
    let (at_once, digest) = people(&audience, &grave);
    assert_eq!(at_once, ["compliance team"]);
    assert!(digest.is_some(), "the others wait for the digest");

    let mut slight = grave.clone();
    slight.facts.priority = Some("medium".into());
    assert_eq!(people(&audience, &slight).0, Vec::<String>::new());
    let action = happening(Topic::Actions, Some("compliance"));
    assert_eq!(people(&audience, &action).0, Vec::<String>::new());

    // Priorities can be named too.
    let wider = [("alert.priorities".to_owned(), Some("medium".to_owned()))];
    own.settings = own.settings.overlay(&known, &wider.into()).unwrap();
    audience.agents = vec![own];
    assert_eq!(people(&audience, &slight).0, ["compliance team"]);
    assert_eq!(people(&audience, &grave).0, Vec::<String>::new());
}

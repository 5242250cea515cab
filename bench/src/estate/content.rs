//! Content of the generated estate, by number.

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Connection, ConnectionId, Money, Resource, ResourceId, ResourceKind, SyncReport,
};
use reeve_recommend::action::Action;
use reeve_recommend::agent::{Agent, AgentId, AgentType, RunExtent, RunReport};
use reeve_recommend::approval::{Approval, ApprovalStatus};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{
    Closing, Priority, Recommendation, RecommendationId, RecommendationType,
};

use super::{Size, records};

/// The agent whose run is measured.
pub(crate) const AGENT: &str = "agent-0";
/// Connections that the resources belong to.
const CONNECTIONS: u64 = 20;
/// Agents, of which the first is a cost optimizer.
const AGENTS: u64 = 8;
/// Actions, fifty a day.
const ACTIONS: u64 = 3_000;
/// Approval requests, a twentieth of which wait.
const APPROVALS: u64 = 4_000;
/// Services of machines, databases, volumes and buckets, as a cloud names them.
const KINDS: [(ResourceKind, &str, &str); 4] = [
    (ResourceKind::VirtualMachine, "ec2", "m5.xlarge"),
    (ResourceKind::VirtualMachine, "ec2", "m5.2xlarge"),
    (ResourceKind::Database, "rds", "db.m5.xlarge"),
    (ResourceKind::Volume, "ebs", "gp3"),
];
const TYPES: [RecommendationType; 4] = [
    RecommendationType::RightSize,
    RecommendationType::IdleResourceCleanup,
    RecommendationType::ReservedInstances,
    RecommendationType::StorageOptimization,
];

/// The estate of a size, as it is at a time.
pub(crate) struct Content {
    size: Size,
    now: Timestamp,
}

impl Content {
    pub(crate) const fn new(size: Size, now: Timestamp) -> Self {
        Content { size, now }
    }

    pub(crate) fn resource_id(number: u64) -> ResourceId {
        ResourceId::new(format!(
            "i-{:016x}",
            number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ))
    }

    pub(crate) fn recommendation_id(number: u64) -> RecommendationId {
        RecommendationId(format!(
            "r-{:016x}",
            number.wrapping_mul(0xd134_2543_de82_ef95)
        ))
    }

    pub(crate) fn connection_of(&self, resource: u64) -> ConnectionId {
        ConnectionId(format!(
            "c-{:02}",
            resource * CONNECTIONS / self.size.resources.max(1)
        ))
    }

    pub(crate) const fn is_measured(resource: u64) -> bool {
        resource % 4 < 3
    }

    /// Utilization of a machine in an hour, percent: half of them are nearly idle.
    pub(crate) fn value(resource: u64, hour: i64) -> f64 {
        let base = if resource.is_multiple_of(2) {
            4.0
        } else {
            35.0
        };

        let noise = (resource
            .wrapping_mul(31)
            .wrapping_add(hour.unsigned_abs().wrapping_mul(17))
            % 7) as f64;
        let day = if (8..18).contains(&(hour % 24)) {
            6.0
        } else {
            0.0
        };

        base + day + noise
    }

    pub(crate) fn hours_ago(&self, hours: i64) -> Result<Timestamp> {
        Ok(self.now.checked_sub(SignedDuration::from_hours(hours))?)
    }

    pub(crate) fn connections(&self) -> Vec<Connection> {
        let synced = SyncReport {
            started_at: self.now,
            finished_at: self.now,
            resources: self.size.resources / CONNECTIONS,
            samples: 0,
            denied: Vec::new(),
            problems: Vec::new(),
        };

        let one = |number: u64| Connection {
            account: account(number),
            last_sync: Some(synced.clone()),
            ..records::connection(format!("c-{number:02}"), self.now)
        };

        (0..CONNECTIONS).map(one).collect()
    }

    pub(crate) fn resources_of(&self, connection: &ConnectionId) -> Result<Vec<Resource>> {
        let own =
            (0..self.size.resources).filter(|number| self.connection_of(*number) == *connection);
        own.map(|number| self.resource(number)).collect()
    }

    fn resource(&self, number: u64) -> Result<Resource> {
        let (kind, service, size) = KINDS[(number % 4) as usize];
        let connection = self.connection_of(number);
        let base = records::resource(connection, Self::resource_id(number), self.now);
        let tags = [
            ("team", format!("team-{}", number % 40)),
            ("env", ["prod", "dev"][(number % 2) as usize].to_owned()),
        ];
        let mut specification = base.specification.clone();
        specification.instance_type = Some(size.to_owned());

        Ok(Resource {
            account: account(number * CONNECTIONS / self.size.resources.max(1)),
            region: ["eu-west-1", "us-east-1", "eu-central-1"][(number % 3) as usize].to_owned(),
            service: service.to_owned(),
            kind,
            name: format!("{service}-{number}"),
            specification,
            tags: tags
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
            created_at: Some(self.hours_ago(24 * 90)?),
            ..base
        })
    }

    pub(crate) fn agents(&self) -> Vec<Agent> {
        let types = [
            AgentType::COST_OPTIMIZER,
            AgentType::STORAGE_OPTIMIZER,
            AgentType::DB_OPTIMIZER,
        ];

        let one = |number: u64| {
            let id = format!("run-{number}");
            let report = RunReport {
                resources_seen: self.size.resources,
                days_observed: 14,
                ..RunReport::begun(id, RunExtent::Full, self.now)
            };
            // It ran just now, so that only what is asked for runs.
            let agent_type = types[number as usize % types.len()];
            Agent {
                last_run: Some(report),
                ..records::agent(format!("agent-{number}"), agent_type, self.now)
            }
        };

        (0..AGENTS).map(one).collect()
    }

    /// The first hundredth is open, at most one of a kind on a resource; the rest has ended.
    pub(crate) fn recommendation(&self, number: u64) -> Result<Recommendation> {
        let is_open = number < self.size.open();
        // Three of four open ones are alone on their resource.
        let resource = if is_open {
            number / 4 * 3 + (number % 4) % 3
        } else {
            number % self.size.resources.max(1)
        };
        let id = Self::resource_id(resource);
        let base = records::recommendation(Self::recommendation_id(number), &id, self.now);

        let status = if is_open { Status::Open } else { ended(number) };
        let age = if is_open {
            (number % 200) as i64
        } else {
            24 * 15 + (number % (24 * 700)) as i64
        };

        let mut subject = base.subject.clone();
        subject.connection = self.connection_of(resource);
        subject.account = account(resource * CONNECTIONS / self.size.resources.max(1));
        let kind = if is_open {
            TYPES[(number % 4) as usize]
        } else {
            TYPES[(number / 7 % 4) as usize]
        };

        let usd = 1.0 + (number % 997) as f64 / 10.0;
        let mut ranking = base.ranking.clone();
        ranking.expected_value = usd * 0.9;

        Ok(Recommendation {
            agent_id: Some(AgentId(format!("agent-{}", number % AGENTS))),
            kind,
            subject,
            priority: Priority::ALL[(number % 4) as usize],
            confidence: 50.0 + (number % 50) as f64,
            savings_monthly: Some(Money::from_usd(usd)),
            status,
            ranking,
            created_at: self.hours_ago(age + 1)?,
            updated_at: self.hours_ago(age)?,
            expires_at: self.now.checked_add(SignedDuration::from_hours(24 * 14))?,
            closing: (status == Status::Dismissed && number.is_multiple_of(3))
                .then_some(Closing::Excluded),
            ..base
        })
    }

    /// Actions of recommendations that succeeded, back from now.
    pub(crate) fn actions(&self) -> Result<Vec<Action>> {
        let done = (self.size.open()..self.size.recommendations)
            .filter(|number| ended(*number) == Status::Succeeded);
        let one = |(index, number): (usize, u64)| -> Result<Action> {
            let started_at = self
                .now
                .checked_sub(SignedDuration::from_mins(29 * index as i64 + 60))?;
            let resource = number % self.size.resources.max(1);
            let id = format!("action-{index}");
            Ok(Action {
                agent_id: Some(AgentId(AGENT.to_owned())),
                connection: self.connection_of(resource),
                finished_at: Some(started_at + SignedDuration::from_mins(4)),
                ..records::action(
                    id,
                    Self::recommendation_id(number),
                    Self::resource_id(resource),
                    started_at,
                )
            })
        };

        done.take(ACTIONS as usize).enumerate().map(one).collect()
    }

    pub(crate) fn approvals(&self) -> Result<Vec<Approval>> {
        let one = |number: u64| -> Result<Approval> {
            let status = if number.is_multiple_of(20) {
                ApprovalStatus::Pending
            } else {
                ApprovalStatus::Approved
            };
            let base = records::approval(
                format!("approval-{number}"),
                Self::recommendation_id(number),
                self.now,
            );
            let requested_at = self.hours_ago(number as i64 % 40)?;
            let expires_at = self.now.checked_add(SignedDuration::from_hours(24 * 7))?;
            Ok(Approval {
                status,
                requested_at,
                expires_at,
                ..base
            })
        };
        (0..APPROVALS.min(self.size.recommendations))
            .map(one)
            .collect()
    }
}

fn account(number: u64) -> String {
    format!("{:012}", 100_000_000_000_u64 + number)
}

/// End of a recommendation: the status in which it ended and its cause.
fn ended(number: u64) -> Status {
    match number % 100 {
        0..=59 => Status::Expired,
        60..=74 => Status::Superseded,
        75..=89 => Status::Dismissed,
        90..=96 => Status::Succeeded,
        97 | 98 => Status::RolledBack,
        _ => Status::Failed,
    }
}

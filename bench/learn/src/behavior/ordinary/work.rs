//! A made-up company's ordinary CloudTrail activity: people in offices, robots around the clock,
//! the odd evening, journey and new task. A pure function of its seed.

use std::ops::Range;

use reeve_learn::behavior::{
    ActivityEvent, BehaviorOutcome, BehaviorPlace, BehaviorPrincipalKind, Trait, Traits,
};

use crate::chance::Chance;

/// Midnight UTC at the beginning of a Monday.
pub(in crate::behavior) const START_MS: i64 = 1_788_739_200_000;
const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// A team: its people, and what they do, with how often.
struct Team {
    name: &'static str,
    people: usize,
    begins: i64,
    does: &'static [(&'static str, &'static str, f64)],
    /// Done now and then.
    seldom: &'static [(&'static str, &'static str)],
}

const TEAMS: [Team; 4] = [
    Team {
        name: "developers",
        people: 14,
        begins: 8,
        does: &[
            ("logs", "FilterLogEvents", 4.0),
            ("logs", "DescribeLogGroups", 2.0),
            ("ec2", "DescribeInstances", 2.0),
            ("lambda", "ListFunctions20150331", 1.0),
            ("lambda", "GetFunction20150331v2", 1.0),
            ("cloudwatch", "GetMetricData", 3.0),
            ("s3", "ListBuckets", 0.6),
            ("dynamodb", "DescribeTable", 1.0),
            ("ecs", "DescribeServices", 1.5),
            ("ecs", "UpdateService", 0.3),
            ("secretsmanager", "GetSecretValue", 0.08),
            ("codebuild", "StartBuild", 0.4),
        ],
        seldom: &[
            ("lambda", "UpdateFunctionConfiguration20150331v2"),
            ("ec2", "CreateSecurityGroup"),
            ("ec2", "StopInstances"),
            ("ec2", "StartInstances"),
            ("dynamodb", "CreateTable"),
            ("s3", "PutBucketLifecycle"),
            ("ssm", "DescribeInstanceInformation"),
            ("sns", "CreateTopic"),
        ],
    },
    Team {
        name: "data",
        people: 8,
        begins: 7,
        does: &[
            ("athena", "StartQueryExecution", 4.0),
            ("athena", "GetQueryResults", 4.0),
            ("glue", "GetTables", 2.0),
            ("glue", "StartJobRun", 0.4),
            ("s3", "ListBuckets", 1.0),
            ("rds", "DescribeDBInstances", 0.5),
            ("redshift", "DescribeClusters", 0.6),
        ],
        seldom: &[
            ("glue", "CreateTable"),
            ("glue", "UpdateJob"),
            ("rds", "CreateDBSnapshot"),
            ("s3", "CreateBucket"),
        ],
    },
    Team {
        name: "platform",
        people: 6,
        begins: 8,
        does: &[
            ("ec2", "DescribeInstances", 3.0),
            ("ec2", "DescribeSecurityGroups", 1.5),
            ("iam", "ListRoles", 0.8),
            ("iam", "GetRole", 0.8),
            ("ec2", "AuthorizeSecurityGroupIngress", 0.12),
            ("ec2", "RevokeSecurityGroupIngress", 0.08),
            ("ssm", "StartSession", 0.3),
            ("ec2", "RunInstances", 0.1),
            ("ec2", "TerminateInstances", 0.1),
            ("rds", "ModifyDBInstance", 0.08),
            ("kms", "DescribeKey", 0.4),
            ("cloudtrail", "DescribeTrails", 0.1),
        ],
        seldom: &[
            ("iam", "CreateRole"),
            ("iam", "AttachRolePolicy"),
            ("iam", "PutRolePolicy"),
            ("ec2", "ModifyInstanceAttribute"),
            ("ec2", "CreateImage"),
            ("ec2", "DeleteSnapshot"),
            ("cloudwatch", "DeleteAlarms"),
            ("route53", "ChangeResourceRecordSets"),
        ],
    },
    Team {
        name: "corporate-it",
        people: 3,
        begins: 7,
        does: &[
            ("iam", "ListUsers", 1.0),
            ("iam", "ListAccessKeys", 0.5),
            ("iam", "CreateUser", 0.05),
            ("iam", "AddUserToGroup", 0.06),
            ("iam", "CreateLoginProfile", 0.04),
            ("iam", "DeactivateMFADevice", 0.02),
            ("organizations", "ListAccounts", 0.3),
            ("sso", "ListApplications", 0.5),
        ],
        seldom: &[
            ("iam", "DeleteUser"),
            ("iam", "CreateAccessKey"),
            ("iam", "DeleteAccessKey"),
            ("iam", "UpdateLoginProfile"),
        ],
    },
];

/// A robot: its role, minutes between its runs, and the calls of a run, each so many times.
struct Robot {
    role: &'static str,
    every_min: i64,
    run: &'static [(&'static str, &'static str, usize)],
}

const ROBOTS: [Robot; 6] = [
    Robot {
        role: "deployer",
        every_min: 47,
        run: &[
            ("ecs", "DescribeServices", 20),
            ("ecs", "RegisterTaskDefinition", 1),
            ("ecs", "UpdateService", 1),
            ("lambda", "UpdateFunctionCode20150331v2", 2),
        ],
    },
    Robot {
        role: "terraform",
        every_min: 340,
        run: &[
            ("ec2", "DescribeVpcs", 15),
            ("ec2", "DescribeSecurityGroups", 30),
            ("iam", "GetRole", 25),
            ("iam", "GetPolicy", 20),
            ("s3", "GetBucketEncryption", 20),
            ("ec2", "AuthorizeSecurityGroupIngress", 1),
            ("iam", "PutRolePolicy", 1),
            ("iam", "CreateRole", 1),
        ],
    },
    Robot {
        role: "monitoring",
        every_min: 5,
        run: &[
            ("ec2", "DescribeInstances", 4),
            ("cloudwatch", "GetMetricData", 12),
        ],
    },
    Robot {
        role: "backup",
        every_min: 360,
        run: &[
            ("ec2", "CreateSnapshot", 12),
            ("ec2", "DescribeSnapshots", 4),
            ("ec2", "DeleteSnapshot", 12),
        ],
    },
    Robot {
        role: "patching",
        every_min: 1440,
        run: &[
            ("ssm", "DescribeInstanceInformation", 30),
            ("ssm", "SendCommand", 8),
        ],
    },
    Robot {
        role: "app",
        every_min: 30,
        run: &[
            ("secretsmanager", "GetSecretValue", 2),
            ("kms", "Decrypt", 6),
            ("s3", "PutObject", 5),
        ],
    },
];

/// Company whose activity is generated from a seed.
pub(in crate::behavior) struct Office {
    seed: u64,
}

impl Office {
    pub(in crate::behavior) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the actions of all people on these days, in order of time.
    pub(in crate::behavior) fn days(&self, days: Range<i64>) -> Vec<ActivityEvent> {
        let mut events = Vec::new();
        for day in days {
            for (number, (team, person)) in people().enumerate() {
                self.person(day, number, team, person, &mut events);
            }
            for robot in &ROBOTS {
                self.robot(day, robot, &mut events);
            }
        }

        events.sort_by(|a, b| {
            a.at_ms
                .cmp(&b.at_ms)
                .then_with(|| a.principal.cmp(&b.principal))
        });
        events
    }

    /// Returns the number of ordinary users that an attack may come from: all but those who
    /// administer the estate.
    pub(in crate::behavior) fn victims(&self) -> usize {
        TEAMS[..2].iter().map(|team| team.people).sum()
    }

    /// A user in the middle of a working day, or somewhere else at night.
    pub(in crate::behavior) fn victim(&self, number: usize, own_place: bool) -> ActivityEvent {
        let Some((team, person)) = people().nth(number) else {
            return ActivityEvent::default();
        };

        let day = 57 - (number as i64 % 3);
        let mut event = user(team, person);
        event.at_ms =
            START_MS + day * 24 * HOUR_MS + (if own_place { team.begins + 4 } else { 1 }) * HOUR_MS;
        event.place = if own_place {
            office(team)
        } else {
            place("203.0.113.0/24")
        };

        event
    }

    /// Returns the number of people who administer the estate.
    pub(in crate::behavior) fn administrators(&self) -> usize {
        TEAMS[2..].iter().map(|team| team.people).sum()
    }

    /// Someone who administers the estate, in the middle of a working day.
    pub(in crate::behavior) fn administrator(&self, number: usize) -> ActivityEvent {
        self.victim(self.victims() + number, true)
    }

    /// A tool that deploys, from its own network or from elsewhere.
    pub(in crate::behavior) fn tool(&self, number: usize, own_place: bool) -> ActivityEvent {
        let role = ROBOTS[number % 2].role;
        ActivityEvent {
            at_ms: START_MS + 56 * 24 * HOUR_MS + 11 * HOUR_MS,
            principal: format!("1:{role}"),
            kind: BehaviorPrincipalKind::Role,
            peers: format!("1:role:{role}"),
            place: place(if own_place {
                "10.8.1.0/24"
            } else {
                "203.0.113.0/24"
            }),
            ..ActivityEvent::default()
        }
    }

    fn person(
        &self,
        day: i64,
        number: usize,
        team: &Team,
        person: usize,
        into: &mut Vec<ActivityEvent>,
    ) {
        let mut chance = Chance::new(self.seed ^ (day as u64) << 20, 100 + number as u64);
        let weekend = day.rem_euclid(7) >= 5;
        let works = if weekend {
            chance.happens(0.02)
        } else {
            !chance.happens(0.08)
        };

        if !works {
            return;
        }

        let travels = chance.happens(1.0 / 60.0);
        let home = chance.happens(0.3);
        let from = match (travels, home) {
            (true, _) => place(&format!(
                "100.{}.{}.0/24",
                64 + chance.below(40),
                chance.below(200)
            )),
            (false, true) => place(&format!("81.{}.7.0/24", 10 + number)),
            _ => office(team),
        };

        let begins = team.begins * 60 + chance.between(-40.0, 70.0) as i64;
        let mut ends = begins + chance.between(440.0, 560.0) as i64;
        if chance.happens(0.05) {
            ends += 180;
        }

        let mut put = |minute: i64, service: &str, operation: &str, chance: &mut Chance| {
            let mut event = user(team, person);
            event.at_ms =
                START_MS + day * 24 * HOUR_MS + minute * MINUTE_MS + chance.below(60_000) as i64;
            (event.service, event.operation) = (service.to_owned(), operation.to_owned());
            event.place = from.clone();
            event.resource = format!("{operation}/{}", chance.below(6));
            event.outcome = if chance.happens(0.01) {
                BehaviorOutcome::Denied
            } else {
                BehaviorOutcome::Done
            };
            if operation == "ConsoleLogin" {
                event.traits = Traits::default().with(Trait::SecondFactor);
                event.outcome = if chance.happens(0.06) {
                    BehaviorOutcome::Failed
                } else {
                    BehaviorOutcome::Done
                };
            }
            into.push(event);
        };
        put(begins, "signin", "ConsoleLogin", &mut chance);

        let mut minute = begins + 1;
        while minute < ends {
            let (service, operation) = pick(team, &mut chance);
            // Consoles ask the same thing several times.
            for _ in 0..=chance.below(4) {
                put(minute, service, operation, &mut chance);
            }
            minute += chance.exponential(16.0).ceil() as i64 + 1;
        }

        if chance.happens(0.12) {
            let (service, operation) = team.seldom[chance.below(team.seldom.len())];
            put(
                begins + 60 + chance.below(300) as i64,
                service,
                operation,
                &mut chance,
            );
        }
    }

    fn robot(&self, day: i64, robot: &Robot, into: &mut Vec<ActivityEvent>) {
        let mut chance = Chance::new(self.seed ^ (day as u64) << 20, 900 + robot.every_min as u64);
        let mut minute = chance.below(robot.every_min as usize) as i64;

        while minute < 24 * 60 {
            for (service, operation, times) in robot.run {
                for n in 0..*times {
                    let at_ms = START_MS
                        + day * 24 * HOUR_MS
                        + minute * MINUTE_MS
                        + n as i64 * 900
                        + chance.below(500) as i64;
                    into.push(ActivityEvent {
                        at_ms,
                        principal: format!("1:{}", robot.role),
                        kind: BehaviorPrincipalKind::Role,
                        peers: format!("1:role:{}", robot.role),
                        service: (*service).to_owned(),
                        operation: (*operation).to_owned(),
                        resource: format!("{operation}/{}", chance.below(*times)),
                        place: place("10.8.1.0/24"),
                        ..ActivityEvent::default()
                    });
                }
            }
            minute += robot.every_min + chance.below(3) as i64;
        }
    }
}

fn people() -> impl Iterator<Item = (&'static Team, usize)> {
    TEAMS
        .iter()
        .flat_map(|team| (0..team.people).map(move |person| (team, person)))
}

fn user(team: &Team, person: usize) -> ActivityEvent {
    ActivityEvent {
        principal: format!("1:{}/{person}", team.name),
        kind: BehaviorPrincipalKind::Person,
        peers: format!("1:{}", team.name),
        ..ActivityEvent::default()
    }
}

fn pick(team: &Team, chance: &mut Chance) -> (&'static str, &'static str) {
    let all: f64 = team.does.iter().map(|(_, _, weight)| weight).sum();
    let mut at = chance.unit() * all;

    for (service, operation, weight) in team.does {
        at -= weight;
        if at <= 0.0 {
            return (service, operation);
        }
    }
    (team.does[0].0, team.does[0].1)
}

fn office(team: &Team) -> BehaviorPlace {
    place(&format!("192.0.{}.0/24", team.begins))
}

fn place(network: &str) -> BehaviorPlace {
    BehaviorPlace {
        network: network.to_owned(),
        public: !network.starts_with("10."),
        region: "eu-central-1".to_owned(),
        ..BehaviorPlace::default()
    }
}

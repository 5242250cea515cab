//! An endpoint that has the states of RDS in between and refuses what RDS refuses there, neither of
//! which moto does: a call in a state that is not `available`, a name that is taken, a rate of a
//! small `gp3`, a restore of a snapshot that is not complete. It keeps its calls in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use reeve_estate::{Provider, ResourceId, Specification};

use super::*;
use crate::strict::{Answers, answering};
use crate::throttle::machine;

type Refusal = (u16, &'static str);

/// Looks for which a state in between lasts.
const LOOKS: usize = 2;

#[derive(Clone, Default)]
struct Instance {
    /// States that the next looks see; the last one stays.
    states: VecDeque<&'static str>,
    groups: Vec<String>,
    tags: BTreeMap<String, String>,
    is_encrypted: bool,
    parameter_group: String,
    backups: u32,
    /// The name that it gets once it is renamed.
    next_name: Option<String>,
}

impl Instance {
    fn state(&self) -> &'static str {
        self.states.front().copied().unwrap_or("available")
    }

    fn pass(&mut self, through: &'static str, to: &'static str) {
        self.states = std::iter::repeat_n(through, LOOKS).chain([to]).collect();
    }
}

#[derive(Default)]
struct Account {
    instances: BTreeMap<String, Instance>,
    /// Snapshots: the time, `true` for an encrypted one, and the looks until it is complete.
    snapshots: BTreeMap<String, (String, bool, usize)>,
    calls: Vec<String>,
    /// A restore leaves the parameter group out.
    forgets_parameters: bool,
}

fn field(form: &[(String, String)], name: &str) -> String {
    let found = form.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.clone()).unwrap_or_default()
}

fn fields(form: &[(String, String)], start: &str) -> Vec<String> {
    let found = form.iter().filter(|(key, _)| key.starts_with(start));
    found.map(|(_, value)| value.clone()).collect()
}

fn parsed(body: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((&first, tail)) = rest.split_first() {
            rest = tail;
            match first {
                b'%' => {
                    let hex = std::str::from_utf8(&tail[..2]).unwrap();
                    bytes.push(u8::from_str_radix(hex, 16).unwrap());
                    rest = &tail[2..];
                }
                other => bytes.push(other),
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    body.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (decoded(key), decoded(value)))
        .collect()
}

fn arn(name: &str) -> String {
    format!("arn:aws:rds:us-east-1:123456789012:db:{name}")
}

fn described(name: &str, instance: &Instance) -> String {
    let groups: String = instance
        .groups
        .iter()
        .map(|group| format!("<VpcSecurityGroupMembership><VpcSecurityGroupId>{group}</VpcSecurityGroupId><Status>active</Status></VpcSecurityGroupMembership>"))
        .collect();
    let tags: String = instance
        .tags
        .iter()
        .map(|(key, value)| format!("<Tag><Key>{key}</Key><Value>{value}</Value></Tag>"))
        .collect();
    format!(
        "<DBInstance><DBInstanceIdentifier>{name}</DBInstanceIdentifier><DBInstanceArn>{}</DBInstanceArn><DBInstanceClass>db.m7g.large</DBInstanceClass>\
         <Engine>postgres</Engine><EngineVersion>16.6</EngineVersion><DBInstanceStatus>{}</DBInstanceStatus><AllocatedStorage>100</AllocatedStorage>\
         <StorageType>gp3</StorageType><Iops>3000</Iops><StorageThroughput>125</StorageThroughput><StorageEncrypted>{}</StorageEncrypted>\
         <MultiAZ>true</MultiAZ><BackupRetentionPeriod>{}</BackupRetentionPeriod><IAMDatabaseAuthenticationEnabled>false</IAMDatabaseAuthenticationEnabled>\
         <Endpoint><Address>{name}.c1</Address><Port>6432</Port></Endpoint><PendingModifiedValues/><ReadReplicaDBInstanceIdentifiers/>\
         <DBParameterGroups><DBParameterGroup><DBParameterGroupName>{}</DBParameterGroupName><ParameterApplyStatus>in-sync</ParameterApplyStatus>\
         </DBParameterGroup></DBParameterGroups><VpcSecurityGroups>{groups}</VpcSecurityGroups><TagList>{tags}</TagList></DBInstance>",
        arn(name),
        instance.state(),
        instance.is_encrypted,
        instance.backups,
        instance.parameter_group,
    )
}

impl Account {
    fn with_orders() -> Account {
        let orders = Instance {
            groups: vec!["sg-app".to_owned()],
            parameter_group: "own".to_owned(),
            backups: 7,
            ..Instance::default()
        };
        Account {
            instances: [("orders".to_owned(), orders)].into(),
            ..Account::default()
        }
    }

    /// A look at an instance, with which time passes.
    fn look(&mut self, name: &str) -> Option<String> {
        let instance = self.instances.get_mut(name)?;
        let answer = described(name, instance);
        if instance.states.len() > 1 {
            instance.states.pop_front();
        }
        if instance.states.len() == 1
            && let Some(next) = instance.next_name.take()
            && let Some(renamed) = self.instances.remove(name)
        {
            self.instances.insert(next, renamed);
        }
        Some(answer)
    }

    fn free(&mut self, name: &str) -> Result<&mut Instance, Refusal> {
        let instance = self.instances.get_mut(name);
        let instance = instance.ok_or((404, "DBInstanceNotFound"))?;
        match instance.state() {
            "available" => Ok(instance),
            _ => Err((400, "InvalidDBInstanceState")),
        }
    }

    fn modify(&mut self, form: &[(String, String)]) -> Result<(), Refusal> {
        let to = field(form, "NewDBInstanceIdentifier");
        let is_taken = |instance: &Instance| instance.next_name.as_ref() == Some(&to);
        if self.instances.contains_key(&to) || self.instances.values().any(is_taken) {
            return Err((400, "DBInstanceAlreadyExists"));
        }
        let instance = self.free(&field(form, "DBInstanceIdentifier"))?;
        if to.is_empty() {
            instance.pass("modifying", "available");
        } else {
            instance.pass("renaming", "available");
            instance.next_name = Some(to);
        }
        let groups = fields(form, "VpcSecurityGroupIds");
        if !groups.is_empty() {
            instance.groups = groups;
        }
        if let Ok(days) = field(form, "BackupRetentionPeriod").parse() {
            instance.backups = days;
        }
        Ok(())
    }

    fn restore(&mut self, form: &[(String, String)]) -> Result<(), Refusal> {
        let snapshot = self.snapshots.get(&field(form, "DBSnapshotIdentifier"));
        let (_, is_encrypted, looks) = snapshot.ok_or((404, "DBSnapshotNotFound"))?;
        if *looks > 0 {
            return Err((400, "InvalidDBSnapshotState"));
        }
        if !field(form, "Iops").is_empty() || field(form, "Port") != "6432" {
            return Err((400, "InvalidParameterCombination"));
        }
        let tags = form.iter().filter(|(key, _)| key.ends_with(".Key"));
        let tags = tags.map(|(key, tag)| {
            let value = key.replace(".Key", ".Value");
            (tag.clone(), field(form, &value))
        });
        let mut made = Instance {
            groups: fields(form, "VpcSecurityGroupIds"),
            tags: tags.collect(),
            is_encrypted: *is_encrypted,
            parameter_group: match self.forgets_parameters {
                true => "default.postgres16".to_owned(),
                false => field(form, "DBParameterGroupName"),
            },
            backups: 1,
            ..Instance::default()
        };
        made.pass("creating", "available");
        self.instances
            .insert(field(form, "DBInstanceIdentifier"), made);
        Ok(())
    }

    fn tagged(&mut self, form: &[(String, String)]) -> Result<&mut Instance, Refusal> {
        let resource = field(form, "ResourceName");
        let name = resource.rsplit(':').next().unwrap_or_default().to_owned();
        self.instances
            .get_mut(&name)
            .ok_or((404, "DBInstanceNotFound"))
    }

    fn answer(&mut self, action: &str, form: &[(String, String)]) -> Result<String, Refusal> {
        let name = field(form, "DBInstanceIdentifier");
        match action {
            "DescribeDBInstances" => {
                let found = self.look(&name).ok_or((404, "DBInstanceNotFound"))?;
                return Ok(format!("<DBInstances>{found}</DBInstances>"));
            }
            "DescribeDBSnapshots" => return self.described_snapshots(form),
            "ModifyDBInstance" => self.modify(form)?,
            "RebootDBInstance" => self.free(&name)?.pass("rebooting", "available"),
            "StopDBInstance" => self.free(&name)?.pass("stopping", "stopped"),
            "StartDBInstance" => match self.instances.get_mut(&name) {
                Some(instance) if instance.state() == "stopped" => {
                    instance.pass("starting", "available");
                }
                _ => return Err((400, "InvalidDBInstanceState")),
            },
            "CreateDBSnapshot" => {
                self.free(&name)?;
                let now = jiff::Timestamp::now().to_string();
                let id = field(form, "DBSnapshotIdentifier");
                self.snapshots.insert(id, (now, false, 0));
            }
            "CopyDBSnapshot" => {
                let source = field(form, "SourceDBSnapshotIdentifier");
                let (time, ..) = self.snapshots.get(&source).cloned().unwrap();
                assert_eq!(field(form, "KmsKeyId"), "alias/aws/rds");
                let id = field(form, "TargetDBSnapshotIdentifier");
                self.snapshots.insert(id, (time, true, LOOKS));
            }
            "RestoreDBInstanceFromDBSnapshot" => self.restore(form)?,
            "AddTagsToResource" => {
                let (key, value) = (
                    field(form, "Tags.Tag.1.Key"),
                    field(form, "Tags.Tag.1.Value"),
                );
                self.tagged(form)?.tags.insert(key, value);
            }
            "RemoveTagsFromResource" => {
                let keys = fields(form, "TagKeys");
                self.tagged(form)?.tags.retain(|key, _| !keys.contains(key));
            }
            _ => return Err((400, "InvalidAction")),
        }
        let words = [action, &name, &field(form, "NewDBInstanceIdentifier")];
        self.calls.push(words.join(" ").trim().to_owned());
        Ok(String::new())
    }

    fn described_snapshots(&mut self, form: &[(String, String)]) -> Result<String, Refusal> {
        let wanted = field(form, "DBSnapshotIdentifier");
        let mut found = String::new();
        for (id, (time, is_encrypted, looks)) in &mut self.snapshots {
            if !wanted.is_empty() && *id != wanted {
                continue;
            }
            let state = if *looks > 0 { "creating" } else { "available" };
            *looks = looks.saturating_sub(1);
            found += &format!(
                "<DBSnapshot><DBSnapshotIdentifier>{id}</DBSnapshotIdentifier><SnapshotCreateTime>{time}</SnapshotCreateTime>\
                 <Status>{state}</Status><Encrypted>{is_encrypted}</Encrypted></DBSnapshot>"
            );
        }
        if !wanted.is_empty() && found.is_empty() {
            return Err((404, "DBSnapshotNotFound"));
        }
        Ok(format!("<DBSnapshots>{found}</DBSnapshots>"))
    }
}

/// EC2's security groups: `sg-app` and the isolating one, both in `vpc-1`.
fn security_groups() -> String {
    let group = |id: &str, name: &str| {
        format!(
            "<item><groupId>{id}</groupId><groupName>{name}</groupName><vpcId>vpc-1</vpcId><ipPermissions/><ipPermissionsEgress/></item>"
        )
    };
    let groups = group("sg-shut", reeve_estate::QUARANTINE);
    format!(
        "<DescribeSecurityGroupsResponse><securityGroupInfo>{groups}</securityGroupInfo></DescribeSecurityGroupsResponse>"
    )
}

fn answers(account: Arc<Mutex<Account>>) -> Answers {
    Box::new(move |action, body, _| {
        if action == "GetCallerIdentity" {
            return None;
        }
        if action == "DescribeSecurityGroups" {
            return Some(Ok(security_groups()));
        }
        let answer = account.lock().unwrap().answer(action, &parsed(body));
        Some(answer.map(|content| {
            format!(
                "<{action}Response><{action}Result>{content}</{action}Result></{action}Response>"
            )
        }))
    })
}

async fn slow(account: Account) -> (AwsConnection, Resource, Arc<Mutex<Account>>) {
    let account = Arc::new(Mutex::new(account));
    let endpoint = answering(answers(Arc::clone(&account))).await;
    let aws = open(&connection(&endpoint, &[REGION])).await;
    let orders = Resource {
        id: ResourceId::new(arn("orders")),
        kind: ResourceKind::Database,
        provider: Provider::Aws,
        name: "orders".to_owned(),
        specification: Specification::default(),
        ..machine()
    };
    (aws, orders, account)
}

fn calls(account: &Mutex<Account>) -> Vec<String> {
    let calls = std::mem::take(&mut account.lock().unwrap().calls);
    calls
        .into_iter()
        .filter(|call| !call.ends_with("TagsToResource") && !call.ends_with("FromResource"))
        .collect()
}

#[tokio::test]
async fn no_call_is_made_in_a_state_that_refuses_it() {
    let (aws, orders, account) = slow(Account::with_orders()).await;
    done(&aws, &orders, DatabaseEncryption::Quiesce).await;
    assert_eq!(
        calls(&account),
        ["ModifyDBInstance orders", "RebootDBInstance orders"],
        "connections end with the restart, after the change of groups"
    );
    snapshot(&aws, &orders).await;
    done(&aws, &orders, DatabaseEncryption::Copy).await;
    done(&aws, &orders, DatabaseEncryption::Restore).await;
    assert_eq!(
        account.lock().unwrap().instances["orders-encrypted"].backups,
        7
    );
    _ = calls(&account);

    done(&aws, &orders, DatabaseEncryption::Swap).await;
    assert_eq!(
        calls(&account),
        [
            "ModifyDBInstance orders orders-unencrypted",
            "ModifyDBInstance orders-encrypted orders",
            "StopDBInstance orders-unencrypted",
            "ModifyDBInstance orders",
        ],
        "clients are let in last"
    );
    let orders_now = account.lock().unwrap().instances["orders"].clone();
    assert!(orders_now.is_encrypted && orders_now.groups == ["sg-app"]);

    done(&aws, &orders, DatabaseEncryption::GiveBack).await;
    assert_eq!(
        calls(&account),
        [
            "StartDBInstance orders-unencrypted",
            "ModifyDBInstance orders",
            "ModifyDBInstance orders orders-encrypted",
            "ModifyDBInstance orders-unencrypted orders",
            "ModifyDBInstance orders",
            "StopDBInstance orders-encrypted",
        ]
    );
    let orders_now = account.lock().unwrap().instances["orders"].clone();
    assert!(!orders_now.is_encrypted && orders_now.groups == ["sg-app"]);
    assert_eq!(orders_now.tags, BTreeMap::new());
}

#[tokio::test]
async fn a_snapshot_from_before_the_clients_left_is_not_copied() {
    let mut account = Account::with_orders();
    let early = ("2020-01-01T00:00:00Z".to_owned(), false, 0);
    account
        .snapshots
        .insert("reeve-orders-early".to_owned(), early);
    let (aws, orders, account) = slow(account).await;
    done(&aws, &orders, DatabaseEncryption::Quiesce).await;

    let refused = ended(&aws, &orders, DatabaseEncryption::Copy).await;
    let why = refused.unwrap_err();
    assert!(
        why.contains("no complete snapshot of orders since"),
        "{why}"
    );
    assert!(!calls(&account).iter().any(|call| call.starts_with("Copy")));
}

#[tokio::test]
async fn a_copy_with_another_setting_does_not_take_the_name() {
    let mut account = Account::with_orders();
    account.forgets_parameters = true;
    let (aws, orders, account) = slow(account).await;
    done(&aws, &orders, DatabaseEncryption::Quiesce).await;
    snapshot(&aws, &orders).await;
    done(&aws, &orders, DatabaseEncryption::Copy).await;

    let refused = ended(&aws, &orders, DatabaseEncryption::Restore).await;
    let why = refused.unwrap_err();
    assert!(
        why.contains("DBParameterGroup is default.postgres16, not own"),
        "{why}"
    );
    done(&aws, &orders, DatabaseEncryption::GiveBack).await;
    let account = account.lock().unwrap();
    assert_eq!(account.instances["orders"].groups, ["sg-app"]);
    assert_eq!(account.instances["orders-encrypted"].state(), "stopping");
}

#[tokio::test]
async fn a_database_is_found_while_neither_instance_has_its_name() {
    let (aws, orders, account) = slow(Account::with_orders()).await;
    assert_eq!(seen(&aws, &orders).await.state, ResourceState::Running);
    {
        let mut locked = account.lock().unwrap();
        let mut old = locked.instances.remove("orders").unwrap();
        old.tags.insert(COPY_TAG.to_owned(), "orders".to_owned());
        locked.instances.insert("orders-encrypted".to_owned(), old);
    }

    assert_eq!(seen(&aws, &orders).await.state, ResourceState::Changing);
    account.lock().unwrap().instances.clear();
    assert!(aws.observe(&orders).await.is_err());
}

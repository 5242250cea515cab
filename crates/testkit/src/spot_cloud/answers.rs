//! Answers of the account, by action.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ACCOUNT, Account, HIDDEN, Launch, Machine, REGION, SIZE, Shared};

/// Machines of a page at most, as with EC2.
const PAGE: usize = 1000;
/// Messages of an answer, and entries of a batch, at most.
const BATCH: usize = 10;

/// Answer to a request.
pub(super) enum Reply {
    Xml(String),
    Json(Value),
    /// A refusal of a service that speaks XML, or JSON, with its code.
    Refused(&'static str, bool),
    /// Nothing yet: ask again until so much time has passed.
    Later(Duration),
}

impl Reply {
    /// Status line, content type and body.
    pub(super) fn parts(self) -> (&'static str, &'static str, String) {
        let (xml, json) = ("text/xml", "application/x-amz-json-1.0");
        match self {
            Reply::Xml(text) => ("200 OK", xml, text),
            Reply::Json(value) => ("200 OK", json, value.to_string()),
            Reply::Later(_) => ("200 OK", json, "{}".to_owned()),
            Reply::Refused(code, true) => (
                "400 Bad Request",
                json,
                json!({ "__type": code, "message": "refused" }).to_string(),
            ),
            Reply::Refused(code, false) => {
                let status = match code {
                    "RequestLimitExceeded" => "503 Service Unavailable",
                    "UnauthorizedOperation" => "403 Forbidden",
                    _ => "400 Bad Request",
                };
                let text = format!(
                    "<Response><Errors><Error><Code>{code}</Code><Message>refused</Message></Error></Errors><RequestID>0</RequestID></Response>"
                );
                (status, xml, text)
            }
        }
    }
}

/// Answers a request: by the target header, or the form in its body.
pub(super) fn answer(target: &str, body: &str, shared: &Shared) -> Reply {
    if let Some(action) = target.strip_prefix("AmazonSQS.") {
        return queue(action, body, shared);
    }
    if !target.is_empty() {
        return Reply::Refused("AccessDeniedException", true);
    }
    let form: BTreeMap<String, String> = body
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (unescaped(name), unescaped(value)))
        .collect();
    let action = form.get("Action").map_or("", String::as_str);
    let mut account = shared.lock();
    *account.calls.entry(action.to_owned()).or_default() += 1;
    match action {
        "GetCallerIdentity" => Reply::Xml(format!(
            "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::{ACCOUNT}:user/reeve</Arn><UserId>AIDAEXAMPLE</UserId><Account>{ACCOUNT}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
        )),
        "DescribeInstances" => machines(&account, &form),
        "DescribeInstanceAttribute" => Reply::Xml(
            "<DescribeInstanceAttributeResponse><userData/></DescribeInstanceAttributeResponse>"
                .to_owned(),
        ),
        "RunInstances" => run(&mut account, &form),
        "TerminateInstances" => terminate(&mut account, &form),
        "DescribeTargetGroups" => target_groups(&account),
        "DescribeTargetHealth" => targets(&account, &form),
        "RegisterTargets" | "DeregisterTargets" => register(&mut account, &form, action),
        _ => Reply::Refused("UnauthorizedOperation", false),
    }
}

/// Decodes a value of a form.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits).into_owned();
                bytes.extend(u8::from_str_radix(&digits, 16).ok());
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn numbered<'f>(form: &'f BTreeMap<String, String>, prefix: &str) -> Vec<&'f str> {
    let named = |number: usize| form.get(&format!("{prefix}.{number}"));
    (1..).map_while(named).map(String::as_str).collect()
}

fn machines(account: &Account, form: &BTreeMap<String, String>) -> Reply {
    let wanted = numbered(form, "InstanceId");
    let mut chosen: Vec<(&String, &Machine)> = Vec::new();
    let mut next = None;
    if !wanted.is_empty() {
        for id in wanted {
            let Some(found) = account.machines.get_key_value(id) else {
                return Reply::Refused("InvalidInstanceID.NotFound", false);
            };
            chosen.push(found);
        }
    } else if let Some(name) = form.get("Filter.1.Name") {
        if name != "tag:reeve:replaces" {
            return Reply::Refused("InvalidParameterValue", false);
        }
        for id in numbered(form, "Filter.1.Value") {
            let own = account.successors.get(id).into_iter().flatten();
            chosen.extend(own.filter_map(|id| account.machines.get_key_value(id)));
        }
    } else {
        let first = form.get("NextToken").and_then(|token| token.parse().ok());
        let first: usize = first.unwrap_or(0);
        chosen.extend(account.machines.iter().skip(first).take(PAGE));
        next = (first + PAGE < account.machines.len()).then_some(first + PAGE);
    }

    let items: String = chosen.into_iter().map(|(id, one)| item(id, one)).collect();
    let next = next.map_or(String::new(), |next| {
        format!("<nextToken>{next}</nextToken>")
    });
    Reply::Xml(format!(
        "<DescribeInstancesResponse><reservationSet><item><instancesSet>{items}</instancesSet></item></reservationSet>{next}</DescribeInstancesResponse>"
    ))
}

fn item(id: &str, machine: &Machine) -> String {
    let state = match (machine.is_ended, machine.runs_from <= Instant::now()) {
        (true, _) => "terminated",
        (false, true) => "running",
        (false, false) => "pending",
    };
    let tags: String = machine
        .tags
        .iter()
        .map(|(key, value)| format!("<item><key>{key}</key><value>{value}</value></item>"))
        .collect();
    let lifecycle = match machine.is_spot {
        true => "<instanceLifecycle>spot</instanceLifecycle>",
        false => "",
    };
    format!(
        "<item><instanceId>{id}</instanceId><imageId>ami-0123456789abcdef0</imageId><instanceState><name>{state}</name></instanceState>\
         <instanceType>{SIZE}</instanceType><launchTime>{}</launchTime><placement><availabilityZone>{REGION}{}</availabilityZone>\
         <tenancy>default</tenancy></placement><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId><architecture>x86_64</architecture>\
         <platformDetails>Linux/UNIX</platformDetails><rootDeviceType>ebs</rootDeviceType>{lifecycle}<groupSet><item><groupId>sg-1</groupId>\
         <groupName>workers</groupName></item></groupSet><networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId></item>\
         </networkInterfaceSet><tagSet>{tags}</tagSet></item>",
        machine.launched_at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        machine.zone,
    )
}

fn run(account: &mut Account, form: &BTreeMap<String, String>) -> Reply {
    let now = Instant::now();
    let given = |name: &str| form.get(name).map(String::as_str);
    let (Some(token), Some(SIZE), Some("1")) = (
        given("ClientToken"),
        given("InstanceType"),
        given("MaxCount"),
    ) else {
        return Reply::Refused("InvalidParameterValue", false);
    };
    let launched = |id: &str| {
        Reply::Xml(format!(
            "<RunInstancesResponse><instancesSet><item><instanceId>{id}</instanceId></item></instancesSet></RunInstancesResponse>"
        ))
    };
    if let Some(known) = account.tokens.get(token) {
        return launched(known);
    }
    let tag = |number: usize, part: &str| {
        form.get(&format!("TagSpecification.1.Tag.{number}.{part}"))
            .cloned()
    };
    let tags: Vec<(String, String)> = (1..)
        .map_while(|number| Some((tag(number, "Key")?, tag(number, "Value")?)))
        .collect();
    let replaced = tags.iter().find(|(key, _)| key == "reeve:replaces");
    let Some((_, replaces)) = replaced.cloned() else {
        return Reply::Refused("UnauthorizedOperation", false);
    };
    if !account.may_launch(now) {
        account.throttled += 1;
        return Reply::Refused("RequestLimitExceeded", false);
    }

    let id = format!("i-{:017x}", account.number());
    let zone = account.machines.get(&replaces).map_or('a', |one| one.zone);
    account.machines.insert(
        id.clone(),
        Machine {
            is_spot: form.contains_key("InstanceMarketOptions.MarketType"),
            zone,
            launched_at: Timestamp::now(),
            runs_from: now + account.size.starts_in,
            is_ended: false,
            tags,
        },
    );
    account.tokens.insert(token.to_owned(), id.clone());
    let own = account.successors.entry(replaces.clone()).or_default();
    own.push(id.clone());
    account.launches.push(Launch {
        replaces,
        successor: id.clone(),
        at: now,
    });
    launched(&id)
}

fn terminate(account: &mut Account, form: &BTreeMap<String, String>) -> Reply {
    for id in numbered(form, "InstanceId") {
        let Some(machine) = account.machines.get_mut(id) else {
            return Reply::Refused("InvalidInstanceID.NotFound", false);
        };
        machine.is_ended = true;
    }
    Reply::Xml(
        "<TerminateInstancesResponse><instancesSet/></TerminateInstancesResponse>".to_owned(),
    )
}

fn arn(number: usize) -> String {
    format!(
        "arn:aws:elasticloadbalancing:{REGION}:{ACCOUNT}:targetgroup/front-{number}/0123456789abcdef"
    )
}

/// Number of the target group that a form names.
fn group(account: &Account, form: &BTreeMap<String, String>) -> Option<usize> {
    let named = form.get("TargetGroupArn")?;
    (0..account.groups.len()).find(|number| arn(*number) == *named)
}

fn target_groups(account: &Account) -> Reply {
    let groups: String = (0..account.groups.len())
        .map(|number| {
            format!(
                "<member><TargetGroupArn>{}</TargetGroupArn><TargetType>instance</TargetType><LoadBalancerArns/></member>",
                arn(number)
            )
        })
        .collect();
    Reply::Xml(format!(
        "<DescribeTargetGroupsResponse><DescribeTargetGroupsResult><TargetGroups>{groups}</TargetGroups></DescribeTargetGroupsResult></DescribeTargetGroupsResponse>"
    ))
}

fn targets(account: &Account, form: &BTreeMap<String, String>) -> Reply {
    let Some(number) = group(account, form) else {
        return Reply::Refused("TargetGroupNotFound", false);
    };
    let registered = account.groups.get(number).into_iter().flatten();
    let members: String = registered
        .map(|id| format!("<member><Target><Id>{id}</Id><Port>80</Port></Target></member>"))
        .collect();
    Reply::Xml(format!(
        "<DescribeTargetHealthResponse><DescribeTargetHealthResult><TargetHealthDescriptions>{members}</TargetHealthDescriptions></DescribeTargetHealthResult></DescribeTargetHealthResponse>"
    ))
}

fn register(account: &mut Account, form: &BTreeMap<String, String>, action: &str) -> Reply {
    let Some(number) = group(account, form) else {
        return Reply::Refused("TargetGroupNotFound", false);
    };
    let ids: Vec<String> = (1..)
        .map_while(|number| form.get(&format!("Targets.member.{number}.Id")).cloned())
        .collect();
    for id in ids {
        let runs = |one: &Machine| one.runs_from <= Instant::now() && !one.is_ended;
        let may = account.machines.get(&id).is_some_and(runs);
        let Some(own) = account.groups.get_mut(number) else {
            break;
        };
        if action == "DeregisterTargets" {
            own.remove(&id);
        } else if may {
            own.insert(id.clone());
            account.served.entry(id).or_insert_with(Instant::now);
        } else {
            return Reply::Refused("InvalidTarget", false);
        }
    }
    Reply::Xml(format!(
        "<{action}Response><{action}Result/></{action}Response>"
    ))
}

fn queue(action: &str, body: &str, shared: &Shared) -> Reply {
    let Ok(given) = serde_json::from_str::<Value>(body) else {
        return Reply::Refused("InvalidMessageContents", true);
    };
    let is_own = given["QueueUrl"]
        .as_str()
        .is_some_and(|url| url.ends_with(&format!(":{}/{ACCOUNT}/reeve-spot", shared.port)));
    if !is_own {
        return Reply::Refused("QueueDoesNotExist", true);
    }
    let mut account = shared.lock();
    match action {
        "ReceiveMessage" => receive(&mut account, &given),
        "DeleteMessage" => {
            *account.calls.entry(action.to_owned()).or_default() += 1;
            let receipt = given["ReceiptHandle"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            delete(&mut account, &receipt);
            Reply::Json(json!({}))
        }
        "DeleteMessageBatch" => {
            *account.calls.entry(action.to_owned()).or_default() += 1;
            let entries = given["Entries"].as_array().cloned().unwrap_or_default();
            if entries.is_empty() || entries.len() > BATCH {
                return Reply::Refused("TooManyEntriesInBatchRequest", true);
            }
            let mut done = Vec::new();
            for entry in entries {
                let receipt = entry["ReceiptHandle"].as_str().unwrap_or_default();
                delete(&mut account, receipt);
                done.push(json!({ "Id": entry["Id"] }));
            }
            Reply::Json(json!({ "Successful": done, "Failed": [] }))
        }
        _ => Reply::Refused("InvalidAction", true),
    }
}

fn receive(account: &mut Account, given: &Value) -> Reply {
    let most = given["MaxNumberOfMessages"].as_u64().unwrap_or(1);
    let wait = given["WaitTimeSeconds"].as_u64().unwrap_or(0);
    if !(1..=10).contains(&most) || wait > 20 {
        return Reply::Refused("InvalidParameterValue", true);
    }
    let now = Instant::now();
    let mut found = Vec::new();
    for at in 0..account.messages.len() {
        if found.len() as u64 >= most {
            break;
        }
        let receipt = account.number();
        let Some(message) = account.messages.get_mut(at) else {
            break;
        };
        if message.hidden_until > now {
            continue;
        }
        (message.hidden_until, message.receipt) = (now + HIDDEN, receipt);
        found.push(json!({
            "MessageId": format!("m-{receipt}"), "ReceiptHandle": receipt.to_string(), "Body": message.body,
        }));
    }
    if found.is_empty() && wait > 0 {
        return Reply::Later(Duration::from_secs(wait));
    }
    *account
        .calls
        .entry("ReceiveMessage".to_owned())
        .or_default() += 1;
    Reply::Json(json!({ "Messages": found }))
}

fn delete(account: &mut Account, receipt: &str) {
    account
        .messages
        .retain(|message| message.receipt.to_string() != receipt);
}

//! Flow logs over HTTP: objects that a flow log delivered to S3, the least rules of a security group
//! from them, the exchange of the group on the cloud, and its return at the first refused flow that
//! was accepted before.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, pairs};
use crate::unused::{ended, signed};

/// Flow logs are looked at once a minute, and so is a change that is watched.
const PATIENCE: Duration = Duration::from_secs(300);
const REGION: &str = "us-east-1";
const CLIENT: &str = "172.31.200.9";
const STORE: &str = "172.31.200.20";

/// A network interface with a wide security group, and the flow log of its network.
struct Cloud {
    moto: Moto,
    group: String,
    interface: String,
    own: String,
    flow_log: String,
}

impl Cloud {
    async fn start() -> Cloud {
        let moto = Moto::start().await.unwrap();
        let (network, subnets) = moto.network(REGION).await.unwrap();
        let group = moto.security_group(REGION, &network, "app").await.unwrap();
        let ask = async |action: &str, parameters: &[(&str, &str)]| {
            moto.query(&EC2, REGION, action, &pairs(parameters))
                .await
                .unwrap()
        };

        for (from, to, peer) in [("0", "65535", "172.31.0.0/16"), ("22", "22", "0.0.0.0/0")] {
            let rule = [
                ("GroupId", group.as_str()),
                ("IpPermissions.1.IpProtocol", "tcp"),
                ("IpPermissions.1.FromPort", from),
                ("IpPermissions.1.ToPort", to),
                ("IpPermissions.1.IpRanges.1.CidrIp", peer),
            ];
            ask("AuthorizeSecurityGroupIngress", &rule).await;
        }
        // Of an attached interface moto names the machine's groups too, whatever it was given since.
        let given = [
            ("SubnetId", subnets[0].as_str()),
            ("SecurityGroupId.1", group.as_str()),
        ];
        let made = ask("CreateNetworkInterface", &given).await;
        let interface = texts(&made, "networkInterfaceId")[0].to_owned();
        let own = texts(&made, "privateIpAddress")[0].to_owned();
        moto.bucket(REGION, "flows", &[]).await.unwrap();
        let made = ask(
            "CreateFlowLogs",
            &[
                ("ResourceType", "VPC"),
                ("ResourceId.1", &network),
                ("TrafficType", "ALL"),
                ("LogDestinationType", "s3"),
                ("LogDestination", "arn:aws:s3:::flows"),
            ],
        )
        .await;
        let flow_log = texts(&made, "item")[0].trim().to_owned();
        Cloud {
            moto,
            group,
            interface,
            own,
            flow_log,
        }
    }

    /// Delivers an object with lines, as AWS names and compresses it.
    async fn deliver(&self, at: Timestamp, name: &str, lines: &[String]) {
        let mut object = GzEncoder::new(Vec::new(), Compression::fast());
        let header = "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status";
        writeln!(object, "{header}").unwrap();
        for line in lines {
            writeln!(object, "{line}").unwrap();
        }
        let path = format!(
            "flows/AWSLogs/123456789012/vpcflowlogs/{REGION}/{}/123456789012_vpcflowlogs_{REGION}_{}_{}_{name}.log.gz",
            at.strftime("%Y/%m/%d"),
            self.flow_log,
            at.strftime("%Y%m%dT%H%MZ"),
        );
        let content = object.finish().unwrap();
        self.moto.object(REGION, &path, content).await.unwrap();
    }

    fn line(
        &self,
        (from, from_port): (&str, u16),
        (to, to_port): (&str, u16),
        packets: u32,
        at: i64,
        action: &str,
    ) -> String {
        format!(
            "2 123456789012 {} {from} {to} {from_port} {to_port} 6 {packets} 900 {at} {} {action} OK",
            self.interface,
            at + 50
        )
    }

    /// Delivers a day of traffic: a client, a data store, and a scan of the port that is open.
    async fn day(&self, back: i64) {
        let now = Timestamp::now().as_second();
        let start = now.div_euclid(86_400) * 86_400 - back * 86_400;
        let (own, noon) = (self.own.as_str(), start + 43_200);
        let mut lines: Vec<String> = (0..24)
            .map(|hour| {
                let at = start + hour * 3600;
                let id = &self.interface;
                format!(
                    "2 123456789012 {id} - - - - - - - {at} {} - NODATA",
                    at + 60
                )
            })
            .collect();
        lines.extend([
            self.line((CLIENT, 40_000), (own, 443), 20, noon, "ACCEPT"),
            self.line((own, 443), (CLIENT, 40_000), 20, noon, "ACCEPT"),
            self.line((own, 41_000), (STORE, 5432), 30, noon, "ACCEPT"),
            self.line((STORE, 5432), (own, 41_000), 30, noon, "ACCEPT"),
            self.line(("203.0.113.7", 50_000), (own, 22), 2, noon, "ACCEPT"),
        ]);
        let at = Timestamp::from_second(start).unwrap();
        self.deliver(at, "ab12", &lines).await;
    }

    /// Security groups of the interface.
    async fn groups(&self) -> String {
        let one = pairs(&[("NetworkInterfaceId.1", &self.interface)]);
        let described = self
            .moto
            .query(&EC2, REGION, "DescribeNetworkInterfaces", &one)
            .await;
        described.unwrap()
    }
}

/// Returns the finding about the group, once the flow logs were read and an agent judged it.
async fn finding(admin: &Api, group: &str) -> Value {
    until("the flow log is read", PATIENCE, async || {
        let sources = admin.get("intelligence/flow-sources").await.expect(200);
        let source = sources.items().first()?.clone();
        (source["state"] == "reading" && source["records"] == 40).then_some(source)
    })
    .await;

    let agent = json!({
        "agent_type": "security_intelligence", "name": "Watch", "mode": "active", "reason": "a test",
        "auto_apply": { "enabled": false },
        "settings": { "recommend_security_groups": { "window": "7d", "observe": "0d" } },
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let run = admin
        .post(&format!("intelligence/agents/{agent}/run"), json!({}))
        .await
        .expect(200);
    assert_eq!(run.body["error"], Value::Null, "{}", run.text);

    let listed = admin
        .get("intelligence/recommendations?limit=1000")
        .await
        .expect(200);
    let own = listed.items().iter().find(|one| {
        one["resource"]["id"] == group && one["resource"]["aspect"] == "recommend_security_groups"
    });
    own.unwrap_or_else(|| panic!("{:#?}", listed.items()))
        .clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_is_narrowed_by_its_flows_and_comes_back_at_the_first_refused_one() {
    let cloud = Cloud::start().await;
    for back in 0..8 {
        cloud.day(back).await;
    }
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, director) = admin.person("dora@acme.example", &["director"], &[]).await;
    let security = ["security_analyst"];
    let (_, security) = admin.person("sam@acme.example", &security, &[]).await;
    let _ = connect(&admin, cloud.moto.endpoint()).await;
    let found = finding(&admin, &cloud.group).await;
    assert_eq!(
        found["plan"]["change"]["name"], "tighten_group",
        "{found:#}"
    );

    let path = format!("intelligence/security-groups?resource={}", cloud.group);
    let judged = admin.get(&path).await.expect(200).items()[0].clone();
    let rule = |rule: &Value| {
        format!(
            "{} {} {}",
            rule["direction"], rule["from_port"], rule["peer"]
        )
    };
    let rules: Vec<String> = judged["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(rule)
        .collect();
    assert_eq!(
        rules,
        [
            format!("\"ingress\" 443 \"{CLIENT}/32\""),
            format!("\"egress\" 5432 \"{STORE}/32\""),
        ],
        "{judged:#}"
    );
    assert_eq!(judged["cut"][0]["reason"], "scan");
    assert_eq!(judged["days"].as_array().unwrap().len(), 7);

    let flows = admin
        .get(&format!("resources/{}/flows", cloud.group))
        .await
        .expect(200)
        .body;
    assert_eq!(flows["interfaces"], json!([cloud.interface]));
    assert!(flows["total"].as_u64() >= Some(3), "{flows:#}");

    signed(&admin, &[&director, &security], &found).await;
    let action = ended(&admin, &found).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    let narrowed = cloud.groups().await;
    let wide = format!("<groupId>{}</groupId>", cloud.group);
    assert!(!narrowed.contains(&wide), "{narrowed}");
    assert!(
        narrowed.contains(&format!("reeve-tight-{}", cloud.group)),
        "{narrowed}"
    );

    // A scan that is refused harms nobody; a client that was accepted before does.
    let now = Timestamp::now() + SignedDuration::from_secs(2);
    let refused = |peer: &str, port| {
        cloud.line(
            (peer, 40_001),
            (&cloud.own, port),
            1,
            now.as_second(),
            "REJECT",
        )
    };
    let lines = [refused("203.0.113.7", 22), refused("172.31.200.77", 8080)];
    cloud.deliver(now, "cd34", &lines).await;

    let undone = until("the wide group is back", PATIENCE, async || {
        let path = format!("intelligence/actions/{}", action["id"].as_str().unwrap());
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "rolled_back").then_some(now)
    })
    .await;
    let why = undone["watch"]["detail"].as_str().unwrap_or_default();
    assert!(why.contains("tcp 8080 from 172.31.200.77"), "{undone:#}");
    assert!(!why.contains("203.0.113.7"), "{why}");
    let back = cloud.groups().await;
    assert!(
        back.contains(&wide) && !back.contains("reeve-tight-"),
        "{back}"
    );
}

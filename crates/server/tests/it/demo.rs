//! `reeve demo`: somebody signs in and finds a living estate; stopped and started again it
//! continues.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Answer, Api, encoded, until};
use reeve_testkit::service::{Service, verify};
use serde_json::{Value, json};

/// Length of the simulated clouds' periods.
const PERIOD_MS: i64 = 300_000;

/// Signs in as the page does, and gives a client that continues with a token of its own.
async fn signed_in(service: &Service) -> (Api, String, String) {
    let (email, password) = (
        service.printed("Sign in").unwrap(),
        service.printed("Password").unwrap(),
    );
    let nobody = service.nobody();
    let wrong = json!({ "email": email, "password": format!("{password}x") });
    let _ = nobody
        .post("sessions", wrong)
        .await
        .problem(401, "wrong_credentials");
    let answer = nobody
        .post("sessions", json!({ "email": email, "password": password }))
        .await
        .expect(201);
    assert_eq!(
        (&answer.body["demo"], &answer.body["roles"]),
        (&json!(true), &json!(["administrator"]))
    );

    let cookie = answer.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite"),
        "{cookie}"
    );

    let cookie = cookie.split(';').next().unwrap().to_owned();
    // A cookie changes things from Reeve's own pages alone.
    let _ = with_cookie(&nobody, &cookie, false)
        .await
        .problem(403, "forbidden");
    let token = with_cookie(&nobody, &cookie, true)
        .await
        .expect(201)
        .text_at("/secret");

    (nobody.with_token(&token), email, password)
}

async fn with_cookie(api: &Api, cookie: &str, own_page: bool) -> Answer {
    let mut headers = vec![("cookie", cookie)];
    headers.push((
        "sec-fetch-site",
        if own_page {
            "same-origin"
        } else {
            "cross-site"
        },
    ));

    api.send_with(
        "POST",
        "tokens",
        &headers,
        Some("application/json"),
        json!({ "name": "test" }).to_string().into_bytes(),
    )
    .await
}

/// Returns the end of the newest sample's five minutes, ms since the epoch; `None` if the machine
/// has no metrics at present.
async fn newest_sample(api: &Api, resource: &str) -> Option<i64> {
    let start = Timestamp::now() - SignedDuration::from_mins(30);
    let path = format!(
        "resources/{}/samples?metrics=cpu_utilization&start_time={start:.3}",
        encoded(resource)
    );
    let samples = api.get(&path).await.expect(200);
    Some(samples.body["series"][0]["points"].as_array()?.last()?[0].as_i64()? + PERIOD_MS)
}

async fn last_syncs(api: &Api) -> Vec<String> {
    let listed = api.get("connections").await.expect(200);
    assert_eq!(listed.items().len(), 3);
    listed
        .items()
        .iter()
        .map(|one| {
            one["last_sync"]["finished_at"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

fn values<'a>(items: &'a [Value], name: &str) -> BTreeSet<&'a str> {
    items.iter().filter_map(|one| one[name].as_str()).collect()
}

/// Tile, list and filter total the same, and every recommendation that has not ended is counted in
/// one state of applicability.
async fn figures_agree(api: &Api) {
    let open = "open,pending_approval,approved,scheduled,snoozed,executing,verifying,testing";
    until(
        "totals between two runs of agents",
        Duration::from_secs(60),
        || async {
            let tile = async || {
                api.get("intelligence/dashboard").await.expect(200).body["savings_open_monthly"]
                    .clone()
            };
            let list = async |query: &str| {
                let path = format!("intelligence/recommendations?{query}");
                api.get(&path).await.expect(200).body["savings_monthly"].clone()
            };
            let before = tile().await;
            let page = list("limit=3").await;
            let filtered = list(&format!("limit=1000&status={open}")).await;
            (before == tile().await && page == before && filtered == before).then_some(())
        },
    )
    .await;

    until(
        "applicability between two moves",
        Duration::from_secs(60),
        || async {
            let total = async |query: &str| {
                let path = format!("intelligence/recommendations?limit=1&{query}");
                api.get(&path).await.expect(200).body["total"]
                    .as_u64()
                    .unwrap()
            };
            let (ready, blocked) = (
                total("applicability=ready").await,
                total("applicability=blocked").await,
            );
            let advice = total("applicability=advice_only").await;
            let waiting = total("status=open,pending_approval,approved,scheduled,snoozed").await;
            (ready > 0 && blocked > 0 && ready + blocked + advice == waiting).then_some(())
        },
    )
    .await;

    let found = api
        .get("intelligence/recommendations?applicability=blocked&limit=1000")
        .await
        .expect(200);
    assert!(
        found
            .items()
            .iter()
            .all(|one| one["applicability"]["reason"].is_string()),
        "each says why"
    );

    let held = api
        .get("intelligence/recommendations?limit=1000")
        .await
        .expect(200);
    let agents = api.get("intelligence/agents").await.expect(200);
    for one in held
        .items()
        .iter()
        .filter(|one| one["agent_id"].is_string())
    {
        let owner = agents
            .items()
            .iter()
            .find(|agent| agent["id"] == one["agent_id"])
            .unwrap();
        assert_eq!(
            owner["agent_type"], one["origin"]["agent_type"],
            "{}",
            one["title"]
        );
    }
}

/// Characters of a title: one line in lists, mails and chats.
const TITLE: usize = 70;

/// Every title fits a line, and no explanation begins with the confidence, which comes behind the
/// other factors.
async fn recommendations_read_well(api: &Api) {
    let found = api
        .get("intelligence/recommendations?limit=1000")
        .await
        .expect(200);
    let length = |one: &Value| one["title"].as_str().unwrap().chars().count();
    let longest = found.items().iter().max_by_key(|one| length(one)).unwrap();
    assert!(
        length(longest) <= TITLE,
        "{} characters: {}",
        length(longest),
        longest["title"]
    );

    for one in found.items() {
        let factors: Vec<&str> = one["explanation"]["explanation"]["factors"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let is_confidence = |text: &&str| CONFIDENCE.iter().any(|words| text.contains(words));
        let first = factors
            .iter()
            .position(is_confidence)
            .unwrap_or(factors.len());
        assert!(first > 0, "{}: {factors:#?}", one["title"]);
        assert!(
            factors[first..]
                .iter()
                .all(|text| is_confidence(text) || text.starts_with("Signals: ")),
            "{factors:#?}"
        );
    }
}

/// Words of factors that say how sure a finding is.
const CONFIDENCE: &[&str] = &[
    "confidence",
    "No forecast of the coming weeks",
    "No longer history",
    "No usage model",
    "Probability ",
];

/// Resources that nothing uses are found, each with its entry in the log, and commitments are
/// simulated on the use of the account with prices.
async fn costs_are_found(api: &Api) {
    // Predictions come after the runs, once the models are trained.
    let found = until(
        "three findings of each agent",
        Duration::from_secs(180),
        || async {
            let found = api
                .get("intelligence/recommendations?limit=1000")
                .await
                .expect(200);
            let count = |agent_type: &str| {
                let is_of_agent = |one: &&Value| one["origin"]["agent_type"] == agent_type;
                found.items().iter().filter(is_of_agent).count()
            };
            let types = [
                "cost_optimizer",
                "performance_optimizer",
                "storage_optimizer",
                "workload_classifier",
            ];
            types.map(count).iter().all(|n| *n >= 3).then_some(found)
        },
    )
    .await;
    let all = found.items();

    let rules = [
        "clean_snapshots",
        "abort_uploads",
        "expire_versions",
        "convert_provisioned",
        "tier_objects",
    ];

    for rule in rules.into_iter().chain(["shrink_volumes"]) {
        let one = all
            .iter()
            .find(|one| one["rule"] == rule)
            .unwrap_or_else(|| panic!("no {rule} in the demo"));
        assert_eq!(one["origin"]["agent_type"], "storage_optimizer", "{one:#}");
        let story = format!(
            "audit-logs?query=metadata.recommendation_id:{}",
            one["id"].as_str().unwrap()
        );
        assert!(
            !api.get(&story).await.expect(200).items().is_empty(),
            "{rule} has no entry"
        );
    }

    let changes = [
        "delete_volume",
        "release_address",
        "delete_nat_gateway",
        "delete_load_balancer",
        "stop_database",
    ];

    for change in changes.into_iter().chain(["change_group_size"]) {
        let one = found
            .items()
            .iter()
            .find(|one| one["plan"]["change"]["name"] == change);
        let one = one.unwrap_or_else(|| panic!("no {change} in the demo"));
        let story = format!(
            "audit-logs?query=metadata.recommendation_id:{}",
            one["id"].as_str().unwrap()
        );
        assert!(
            !api.get(&story).await.expect(200).items().is_empty(),
            "{change} has no entry"
        );
    }

    let commitment = found
        .items()
        .iter()
        .find(|one| one["type"] == "reserved_instances");
    let commitment =
        commitment.unwrap_or_else(|| panic!("no commitment of an account in the demo"));
    assert_eq!(
        (
            &commitment["resource"]["type"],
            &commitment["applicability"]["state"]
        ),
        (&json!("account"), &json!("advice_only"))
    );

    assert!(
        commitment["savings"]["monthly"].as_f64() > Some(0.0),
        "{commitment:#}"
    );

    let agents = api.get("intelligence/agents").await.expect(200);
    let portfolio = agents
        .items()
        .iter()
        .find_map(|agent| agent["status"]["last_run"]["portfolios"].get(0));
    let portfolio =
        portfolio.unwrap_or_else(|| panic!("no commitment was simulated: {}", agents.text));
    let of = |level: &str, figure: &str| portfolio[level][figure].as_f64().unwrap();
    assert!(
        of("safe", "savings_monthly") > 0.0
            && of("best", "savings_monthly") >= of("safe", "savings_monthly")
    );
    assert_eq!(of("safe", "losing_weeks_percent"), 0.0, "{portfolio:#}");
    assert!(
        portfolio["levels"].as_array().unwrap().len() > 20
            && portfolio["machines"].as_u64() > Some(5)
    );
}

/// The company is as careless as real ones: a rule that alone exposes a machine, a role that can make
/// itself an administrator, access that nothing uses, and missing patches, each with its change where
/// one exists.
async fn security_is_found(api: &Api) {
    let found = api
        .get("intelligence/recommendations?agent=security_intelligence&limit=1000")
        .await
        .expect(200);
    let named = |title: &str| {
        let one = found
            .items()
            .iter()
            .find(|one| one["title"].as_str().unwrap().contains(title));
        let one = one.unwrap_or_else(|| panic!("no finding {title:?}: {}", found.text));
        one["plan"]["change"]["name"].as_str().map(str::to_owned)
    };
    for (title, change) in [
        (": it exposes", Some("revoke_open_rule")),
        ("ci-release can become an administrator", None),
        ("unused permissions of shop", Some("tighten_role_policy")),
        (
            "role quarterly-export-2024: nothing uses it",
            Some("suspend_unused_role"),
        ),
        (
            "access key of backup: nothing uses it",
            Some("deactivate_access_key"),
        ),
        ("missing patches on old-wiki", Some("patch_machine")),
    ] {
        assert_eq!(named(title).as_deref(), change, "{title}");
    }

    let encryption = api
        .get("intelligence/recommendations?type=encryption&limit=1000")
        .await
        .expect(200);
    let is_database = |one: &&Value| one["title"].as_str().unwrap().contains("reviews");
    assert!(
        encryption.items().iter().any(|one| is_database(&one)),
        "{}",
        encryption.text
    );
}

/// A runbook knows the machine without CPU credits, and the change that mends it.
async fn a_known_issue_is_found(api: &Api) {
    let found = api
        .get("intelligence/recommendations?type=known_issue&limit=1000")
        .await
        .expect(200);
    let drained = |one: &&Value| one["title"] == "edge-proxy-1: its CPU credits are used up";
    let one = found.items().iter().find(drained);
    let one = one.unwrap_or_else(|| panic!("{}", found.text));
    assert_eq!(one["plan"]["change"]["name"], "resize_machine", "{one:#}");
    let runbooks = api.get("intelligence/runbooks").await.expect(200);
    assert_eq!(runbooks.body["total"], 15);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_living_estate_that_goes_on_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::demo(home.path()).unwrap();
    let (api, email, password) = signed_in(&service).await;

    let resources = api.get("resources?limit=1000").await.expect(200);
    assert!(
        resources.body["total"].as_u64().unwrap() >= 120,
        "{}",
        resources.body["total"]
    );

    assert_eq!(
        values(resources.items(), "provider"),
        BTreeSet::from(["aws", "azure", "gcp"])
    );
    assert_eq!(values(resources.items(), "account").len(), 3);
    assert!(
        resources
            .items()
            .iter()
            .any(|one| one["purchase"] == "spot")
    );

    assert!(resources.items().iter().any(|one| one["group"].is_string()));
    assert!(
        resources
            .items()
            .iter()
            .filter(|one| one["tags"].as_object().is_some_and(|tags| !tags.is_empty()))
            .count()
            >= 100
    );

    let found = api
        .get("intelligence/recommendations?limit=1000")
        .await
        .expect(200);
    let kinds = values(found.items(), "type");
    assert!(
        kinds.contains("right_size") && kinds.contains("idle_resource_cleanup"),
        "{kinds:?}"
    );
    assert!(
        found
            .items()
            .iter()
            .all(|one| (0.0..=100.0).contains(&one["confidence"].as_f64().unwrap()))
    );

    let board = api.get("intelligence/dashboard").await.expect(200).body;
    assert!(
        board["active_agents"].as_u64() >= Some(2)
            && board["savings_open_monthly"].as_f64() > Some(0.0),
        "{board}"
    );
    assert!(board["recommendations_open"].as_u64() >= Some(1), "{board}");
    figures_agree(&api).await;
    costs_are_found(&api).await;
    security_is_found(&api).await;
    a_known_issue_is_found(&api).await;
    recommendations_read_well(&api).await;
    let stats = api.get("audit-logs/stats").await.expect(200).body;
    assert!(
        stats["total"].as_u64() > Some(0)
            && stats["by_user"]
                .as_array()
                .is_some_and(|users| users.len() > 1),
        "{stats}"
    );

    // It lives: entries nobody here asked for, and syncs that bring every five minutes as soon as
    // they are over.
    let (size, syncs) = (api.size().await, last_syncs(&api).await);
    until("new entries", Duration::from_secs(90), || async {
        (api.size().await > size).then_some(())
    })
    .await;
    until("new syncs", Duration::from_secs(90), || async {
        let now = last_syncs(&api).await;
        now.iter()
            .zip(&syncs)
            .all(|(now, before)| now > before)
            .then_some(())
    })
    .await;

    let running = |one: &&Value| one["type"] == "virtual_machine" && one["state"] == "running";
    let mut fresh = 0;

    for machine in resources.items().iter().filter(running).take(10) {
        // Some tell nothing for a while: real machines have gaps too.
        let Some(newest) = newest_sample(&api, machine["id"].as_str().unwrap()).await else {
            continue;
        };
        let age = Timestamp::now().as_millisecond() - newest;
        fresh += u32::from((0..PERIOD_MS + 90_000).contains(&age));
    }

    assert!(
        fresh >= 5,
        "only {fresh} of ten machines have samples of the last five minutes"
    );

    let size = api.size().await;
    let (status, took) = service.stop().unwrap();

    // Five seconds for requests and twenty for the work under way, which is the most that the
    // service waits.
    assert!(
        status.success() && took < Duration::from_secs(25),
        "{status} after {took:?}"
    );

    let (code, said) = verify(&[home.path().to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");

    let again = Service::demo(home.path()).unwrap();
    let (api, same_email, same_password) = signed_in(&again).await;
    assert_eq!((same_email, same_password), (email, password));
    assert!(api.size().await >= size);

    let now = api.get("resources?limit=1").await.expect(200).body["total"].clone();
    assert_eq!(now, resources.body["total"], "the same estate");
    until("the log goes on", Duration::from_secs(90), || async {
        (api.size().await > size + 3).then_some(())
    })
    .await;
    again.kill().unwrap();

    // Ended by a power cut it goes on as well.
    let third = Service::demo(home.path()).unwrap();
    assert!(third.nobody().get("/readyz").await.status == 200);

    let (status, took) = third.stop().unwrap();
    // Five seconds for requests and twenty for the work under way, which is the most that the
    // service waits.
    assert!(
        status.success() && took < Duration::from_secs(25),
        "{status} after {took:?}"
    );

    let (code, said) = verify(&[home.path().to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}

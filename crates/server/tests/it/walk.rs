//! Walks every route as every role, with a planted entry of a stranger: no response reveals it,
//! unless the role sees the whole log. Routes, parameters and bodies come from the service's own
//! description, so that a new route is walked too.

use reeve_access::{Permission, Role};
use reeve_http::guard::GuardRule;
use reeve_testkit::http::{Answer, Api, encoded};
use reeve_testkit::live::Live;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// Stands in every field of the stranger's entries and searches, and in nothing else.
const STRANGER: &str = "zqstranger";
/// Marker of a colleague's entry, which a manager sees.
const COLLEAGUE: &str = "zqcolleague";

/// An entry of somebody's with a marker wherever one fits.
fn planted(of: &str, marker: &str) -> Value {
    json!({
        "event_type": format!("{marker}.deed"),
        "severity": "critical",
        "actor": { "type": "user", "id": of, "ip_address": "198.51.100.77", "user_agent": marker, "session_id": marker },
        "resource": { "type": marker, "id": marker, "cloud_provider": marker, "account_id": marker, "region": marker,
            "tags": { marker: marker } },
        "action": { "operation": marker, "status": "failed", "method": "api" },
        "changes": { "before": { marker: marker }, "after": { marker: marker } },
        "metadata": { "request_id": marker, "tags": [marker], marker: marker },
    })
}

/// Questions that would find the stranger's entries if they could be found, and find the sentinel.
const QUESTIONS: &[&str] = &[
    "",
    "*",
    "severity:critical",
    "NOT event_type:nothing.such",
    "actor.id:* OR severity:*",
    "ip:198.51.100.0/24",
];

/// Fields by which the stranger's entries are counted.
const COUNTED: &[&str] = &[
    "event_type",
    "category",
    "user",
    "resource.id",
    "resource.type",
    "resource.tags",
    "metadata.tags",
    "tags",
    "account",
    "hour",
];

struct Walk {
    document: Value,
    /// Identifiers of what is the stranger's, and of the colleague's entry.
    foreign: Vec<String>,
    /// The stranger's entry and the colleague's.
    entries: [String; 2],
}

impl Walk {
    /// Returns the requests of one route: method, path, body.
    fn requests(&self, rule: &GuardRule) -> Vec<(String, Option<Value>)> {
        let operation =
            &self.document["paths"][rule.path.replace("{*", "{")][rule.method.to_lowercase()];
        let reads = rule.method == "GET";
        let mut paths = vec![rule.path.clone()];

        for part in rule.path.split('/').filter(|part| part.starts_with('{')) {
            let tile = ["0/000.p/5", "entries/000.p/5", "1/000", "entries/000"].map(str::to_owned);
            let values = match part {
                "{*path}" => tile.to_vec(),
                // A change is only tried where the stranger's things are known not to be the
                // caller's.
                _ if reads || rule.path.contains("/audit-logs/") => self.foreign.clone(),
                _ => vec!["nothing-of-this-name".to_owned()],
            };
            paths = paths
                .iter()
                .flat_map(|path| {
                    values
                        .iter()
                        .map(|value| path.replacen(part, &encoded_path(value), 1))
                })
                .collect();
        }

        let asks = |name: &str| {
            let parameters = operation["parameters"].as_array();
            parameters.is_some_and(|all| {
                all.iter()
                    .any(|one| one["in"] == "query" && one["name"] == name)
            })
        };

        if asks("event_id") {
            let named = |path: &String| {
                self.foreign
                    .iter()
                    .map(|id| format!("{path}?event_id={}", encoded(id)))
                    .collect::<Vec<_>>()
            };
            paths = paths.iter().flat_map(named).collect();
        }

        if asks("query") {
            let more = if asks("by") {
                format!("&limit=1000&start_time=now-1h&by={}", COUNTED.join(","))
            } else {
                String::new()
            };
            let questions = |path: &String| {
                QUESTIONS
                    .iter()
                    .map(|one| format!("{path}?query={}{more}", encoded(one)))
                    .collect::<Vec<_>>()
            };
            paths.extend(paths.clone().iter().flat_map(questions));
        }

        let bodies = if reads || rule.method == "DELETE" {
            vec![None]
        } else {
            self.bodies(operation)
        };

        paths
            .iter()
            .flat_map(|path| bodies.iter().map(|body| (path.clone(), body.clone())))
            .collect()
    }

    /// The empty body, and every question where the body has a place for one.
    fn bodies(&self, operation: &Value) -> Vec<Option<Value>> {
        let reference = operation
            .pointer("/requestBody/content/application~1json/schema/$ref")
            .and_then(Value::as_str);
        let schema =
            reference.and_then(|reference| self.document.pointer(reference.strip_prefix('#')?));
        let has =
            |name: &str| schema.is_some_and(|schema| schema["properties"].get(name).is_some());
        let mut bodies = vec![Some(json!({}))];

        if has("query") && !has("shared_with") {
            for question in QUESTIONS {
                let mut body = json!({ "query": question });
                for (name, value) in [
                    ("aggregations", json!(COUNTED)),
                    ("limit", json!(1000)),
                    ("start_time", json!("now-1h")),
                ] {
                    if has(name) {
                        body[name] = value;
                    }
                }
                bodies.push(Some(body));
            }
        }

        bodies
    }
}

/// Encodes a parameter, leaving the slashes of a tile's path.
fn encoded_path(value: &str) -> String {
    value.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

async fn ask(api: &Api, rule: &GuardRule, path: &str, body: Option<&Value>) -> Answer {
    let kind = body.map(|_| "application/json");
    api.send(
        &rule.method,
        path,
        kind,
        body.map(|body| body.to_string().into_bytes())
            .unwrap_or_default(),
    )
    .await
}

/// Asks every route as one role; returns the routes that revealed each marker.
async fn revealed(
    walk: &Walk,
    api: &Api,
    rules: &[GuardRule],
    sentinel: &str,
) -> Vec<(String, bool, bool)> {
    let mut revealed = Vec::new();
    for rule in rules {
        let name = format!("{} {}", rule.method, rule.path);
        for (path, body) in walk.requests(rule) {
            let (status, text) = if rule.path.ends_with("/live") {
                (200, watched(api, &path, sentinel).await)
            } else {
                let answer = ask(api, rule, &path, body.as_ref()).await;
                assert!(answer.status < 500, "{path}: {}", answer.text);
                (
                    answer.status,
                    format!("{:?} {}", answer.headers, answer.text),
                )
            };
            // A proof has the entry in another spelling: that there is an answer at all tells
            // enough.
            let tells = |marker: &str, id: &String| {
                text.contains(marker) || (status < 300 && path.contains(id.as_str()))
            };
            revealed.push((
                name.clone(),
                tells(STRANGER, &walk.entries[0]),
                tells(COLLEAGUE, &walk.entries[1]),
            ));
        }
    }

    revealed
}

/// Reads a live view from the beginning of the log to a sentinel entry of the reader's own.
async fn watched(api: &Api, path: &str, sentinel: &str) -> String {
    let path = format!(
        "{path}{}after=0",
        if path.contains('?') { '&' } else { '?' }
    );
    let mut live = Live::open(api, &path, &[]).await;
    while live.entry().await["resource"]["id"] != sentinel {}
    live.read
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_tells_anybody_of_what_they_may_not_see() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", "60")]).unwrap();
    let admin = service.admin();
    let team = admin
        .post("teams", json!({ "name": "Platform" }))
        .await
        .expect(201)
        .text_at("/id");

    let (stranger, strangers) = admin
        .person("one@rival.example", &["regular_user"], &[])
        .await;
    let (colleague, _) = admin
        .person("two@acme.example", &["regular_user"], &[&team])
        .await;
    let saved = json!({ "name": STRANGER, "query": STRANGER, "description": STRANGER, "columns": ["user"] });
    let saved = strangers
        .post("audit-logs/saved-searches", saved)
        .await
        .expect(201)
        .text_at("/id");
    let mut roles = Vec::new();

    for role in Role::ALL {
        let (id, api) = admin
            .person(
                &format!("{}@acme.example", role.as_str()),
                &[role.as_str()],
                &[&team],
            )
            .await;
        roles.push((*role, id, api));
    }

    let receipts = admin
        .post(
            "audit-logs",
            json!([planted(&stranger, STRANGER), planted(&colleague, COLLEAGUE)]),
        )
        .await
        .expect(201);

    let ids: Vec<String> = receipts
        .items()
        .iter()
        .map(|one| one["event_id"].as_str().unwrap().to_owned())
        .collect();

    // Some are in segments, some are not.
    for _ in 0..80 {
        let _ = admin
            .post("audit-logs", json!({ "event_type": "test.filler" }))
            .await
            .expect(201);
    }

    let _ = admin
        .post(
            "audit-logs",
            json!([planted(&stranger, STRANGER), planted(&colleague, COLLEAGUE)]),
        )
        .await
        .expect(201);

    let document = service
        .nobody()
        .get("/api/openapi.json")
        .await
        .expect(200)
        .body;

    let walk = Walk {
        document,
        foreign: vec![ids[0].clone(), saved, stranger.clone(), ids[1].clone()],
        entries: [ids[0].clone(), ids[1].clone()],
    };

    let rules: Vec<GuardRule> = reeve_http::router::rules()
        .into_iter()
        .filter(|rule| rule.path != "/api/v1/sessions")
        .collect();
    for (role, id, api) in &roles {
        let sentinel = format!("sentinel-of-{}", role.as_str());
        let actor = json!({ "id": id, "ip_address": "198.51.100.9" });
        let own = json!({ "event_type": "test.sentinel", "severity": "critical", "actor": actor, "resource": { "id": sentinel } });
        let _ = admin.post("audit-logs", own).await.expect(201);
        let may = |permission| role.permissions().contains(&permission);
        let views = [
            Permission::AuditViewAll,
            Permission::AuditViewTeam,
            Permission::AuditViewOwn,
        ]
        .into_iter()
        .any(may);
        // A live view that is refused has nothing to wait for.
        let asked: Vec<GuardRule> = rules
            .iter()
            .filter(|rule| views || !rule.path.ends_with("/live"))
            .cloned()
            .collect();
        let revealed = revealed(&walk, api, &asked, &sentinel).await;
        let (all, team) = (
            may(Permission::AuditViewAll),
            may(Permission::AuditViewTeam),
        );
        for (route, stranger, _) in &revealed {
            assert!(
                all || !stranger,
                "{route} tells a {} of a stranger's entry",
                role.as_str()
            );
        }
        for (route, _, colleague) in &revealed {
            assert!(
                all || team || !colleague,
                "{route} tells a {} of a colleague's entry",
                role.as_str()
            );
        }
        // Where one may see it, it is there: the walk asks what would find it.
        let routes = [
            "",
            "/search",
            "/stats",
            "/live",
            "/{event_id}",
            "/{event_id}/proof",
            "/entry",
            "/entry/proof",
        ]
        .map(|rest| format!("/api/v1/audit-logs{rest}"));
        for route in &routes {
            let shown = |of: fn(&(String, bool, bool)) -> bool| {
                revealed
                    .iter()
                    .any(|one| one.0.ends_with(&format!(" {route}")) && of(one))
            };
            assert_eq!(
                (shown(|one| one.1), shown(|one| one.2)),
                (all, all || team),
                "{route} as {}",
                role.as_str()
            );
        }
        let own = api
            .get(&format!("audit-logs?query=resource.id:{sentinel}"))
            .await;
        if !views {
            let _ = own.problem(403, "forbidden");
            continue;
        }
        let own = own.expect(200);
        assert_eq!(own.body["total"], 1, "{} sees their own", role.as_str());
    }

    // Asking for it by name finds it as little; last, because the questions themselves are entries
    // that a team's manager sees.
    for (role, _, api) in &roles {
        if !role.permissions().contains(&Permission::AuditSearch) {
            continue;
        }
        let all = role.permissions().contains(&Permission::AuditViewAll);
        for query in [
            format!("resource.id:{STRANGER}"),
            format!("category:{STRANGER}"),
            format!("tags:{STRANGER}"),
        ] {
            let found = api
                .post("audit-logs/search", json!({ "query": query }))
                .await
                .expect(200);
            assert_eq!(
                found.body["total"],
                if all { 2 } else { 0 },
                "{query} as {}",
                role.as_str()
            );
        }
    }

    assert!(service.stop().unwrap().0.success());
}

//! Alert rules, reports, budgets and a scheduled export of the demo, made over the interface by its
//! administrator, as a person would.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::{Client, header};
use serde_json::{Value, json};

use super::people::SignIn;

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Ready rules that are enabled, beside those that every new installation has; the others wait for a
/// click.
const RULES: [&str; 5] = [
    "failed-sign-ins",
    "failed-sign-ins-from-address",
    "administrator-policy-attached",
    "refused-credentials",
    "port-opened-to-the-internet",
];

/// Session of the administrator.
struct Session {
    client: Client,
    /// `http://ADDRESS`, also the origin that a session cookie is accepted from.
    origin: String,
    cookie: String,
}

/// Enables alert rules and adds reports with a first run and a nightly export, where there are none
/// of their kind. A part that fails is reported in the service's log; the demo continues without
/// it.
pub(super) async fn ensure(address: SocketAddr, sign_in: &SignIn) {
    let done = async {
        let session = Session::open(address, sign_in).await?;
        if !session.has_rules().await? {
            session.rules().await?;
        }
        if session.is_empty("audit-logs/reports").await? {
            session.reports().await?;
        }
        if session.is_empty("audit-logs/export-schedules").await? {
            session.exports().await?;
        }
        if session.is_empty("budgets").await? {
            session.budgets().await?;
        }
        session
            .send(session.client.delete(session.address("sessions/current")))
            .await
    };
    if let Err(error) = done.await {
        tracing::warn!(
            error = format!("{error:#}"),
            "alert rules, reports, exports or budgets of the demo could not be added"
        );
    }
}

impl Session {
    async fn open(address: SocketAddr, sign_in: &SignIn) -> Result<Session> {
        let client = Client::builder().timeout(PATIENCE).no_proxy().build()?;
        let origin = format!("http://{address}");
        let body = json!({ "email": sign_in.email, "password": sign_in.password });
        let answer = client
            .post(format!("{origin}/api/v1/sessions"))
            .json(&body)
            .send()
            .await?
            .error_for_status()?;

        let cookie = answer
            .headers()
            .get(header::SET_COOKIE)
            .context("signing in was answered without a session")?;
        let cookie = cookie
            .to_str()?
            .split(';')
            .next()
            .unwrap_or_default()
            .to_owned();

        Ok(Session {
            client,
            origin,
            cookie,
        })
    }

    fn address(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.origin)
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Value> {
        let request = request
            .header(header::COOKIE, &self.cookie)
            .header(header::ORIGIN, &self.origin);
        let answer = request
            .header("sec-fetch-site", "same-origin")
            .send()
            .await?;
        let (status, path, text) = (
            answer.status(),
            answer.url().path().to_owned(),
            answer.text().await?,
        );

        if !status.is_success() {
            bail!("{path} was answered {status}: {text}");
        }

        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.send(self.client.post(self.address(path)).json(body))
            .await
    }

    async fn is_empty(&self, path: &str) -> Result<bool> {
        let list = self
            .send(self.client.get(self.address(&format!("{path}?limit=1"))))
            .await?;
        Ok(list["items"].as_array().is_some_and(Vec::is_empty))
    }

    /// Returns `true` if there is a rule that was made of one of [`RULES`].
    async fn has_rules(&self) -> Result<bool> {
        let address = self.address("audit-logs/alerts/ready?limit=1000");
        let ready = self.send(self.client.get(address)).await?;
        let is_made = |rule: &Value| {
            !rule["rule_id"].is_null()
                && rule["key"].as_str().is_some_and(|key| RULES.contains(&key))
        };
        Ok(ready["items"]
            .as_array()
            .is_some_and(|rules| rules.iter().any(is_made)))
    }

    async fn rules(&self) -> Result<()> {
        for key in RULES {
            self.post(&format!("audit-logs/alerts/ready/{key}/enable"), &json!({}))
                .await?;
        }
        Ok(())
    }

    async fn reports(&self) -> Result<()> {
        let reports = [
            json!({ "name": "SOC 2, last 30 days", "framework": "soc2", "period": "30d" }),
            json!({ "name": "Changes by user, every Monday", "query": "event_type:resource.*", "period": "7d",
                "group_by": ["user", "event_type"], "schedule": { "cron": "0 6 * * 1", "time_zone": "UTC" } }),
        ];

        for report in reports {
            let report = self.post("audit-logs/reports", &report).await?;
            let id = report["id"]
                .as_str()
                .context("a report without an identifier")?;
            self.post(&format!("audit-logs/reports/{id}/run"), &json!({}))
                .await?;
        }

        Ok(())
    }

    async fn exports(&self) -> Result<()> {
        let nightly = json!({ "name": "Everything, every night", "format": "parquet", "schedule": "0 3 * * *", "time_zone": "UTC" });
        self.post("audit-logs/export-schedules", &nightly).await?;
        Ok(())
    }

    /// A budget that the company keeps to, one that the largest account is going to exceed, and one
    /// of a team.
    async fn budgets(&self) -> Result<()> {
        let costs = self.send(self.client.get(self.address("costs"))).await?;
        let monthly = costs["monthly"].as_f64().context("costs without a sum")?;
        let (largest, share) = largest(&costs["by_account"]).context("costs without an account")?;

        // Bills name an account as its connection does.
        let connections = self
            .send(self.client.get(self.address("connections")))
            .await?;
        let name = connections["items"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|one| one["account"] == largest.as_str());
        let name = name.and_then(|one| one["name"].as_str()).unwrap_or(largest);
        let hundreds = |amount: f64| (amount / 100.0).ceil().max(1.0) * 100.0;
        let budgets = [
            json!({ "name": "All clouds", "amount": hundreds(monthly * 1.1), "period": "month" }),
            json!({ "name": name, "amount": hundreds(share * 0.9), "period": "month",
                "scope": { "accounts": [name] },
                "thresholds": [{ "percent": 80, "basis": "actual" }, { "percent": 100, "basis": "forecast" }] }),
            json!({ "name": "Team shop", "amount": hundreds(monthly * 0.85), "period": "quarter",
                "scope": { "tags": [{ "name": "team", "value": "shop" }] } }),
        ];

        for budget in budgets {
            self.post("budgets", &budget).await?;
        }

        Ok(())
    }
}

/// The account with the highest cost, and the cost.
fn largest(by_account: &Value) -> Option<(&String, f64)> {
    let costs = by_account
        .as_object()?
        .iter()
        .filter_map(|(account, cost)| Some((account, cost.as_f64()?)));
    costs.max_by(|a, b| a.1.total_cmp(&b.1))
}

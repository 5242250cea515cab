//! From incidents to the wire: what the caller may see of them.

use std::collections::BTreeMap;

use reeve_access::RowFilter;
use reeve_audit::query::{Expr, Match, Query, QueryColumn};
use reeve_audit::{Entry, events};
use reeve_estate::{ResourceFilter, ResourceId};
use reeve_incidents::{Incident, PlaybookRun, TimelineMoment};
use reeve_ledger::SearchRequest;
use serde_json::json;

use crate::app::App;
use crate::error::Problem;
use crate::extract::Caller;
use crate::log_entry;
use crate::routes::audit_logs::ask;
use crate::routes::intelligence::problems::problem;
use crate::wire::incident::{
    IncidentAssetBody, IncidentFindingBody, IncidentNoteBody, IncidentPersonBody,
    IncidentRecordBody, IncidentStatusChangeBody, IncidentSummaryBody, IncidentTaskBody,
    next_statuses,
};

/// Entries that a timeline or a graph is made of.
const MOST_ENTRIES: usize = 400;
/// Resources that a record lists.
const MOST_ASSETS: usize = 100;

/// Returns whether the caller may see the entries of an account.
pub(super) fn may_see(caller: &Caller) -> impl Fn(&str) -> bool + use<> {
    let rows = RowFilter::for_principal(&caller.principal);
    move |account: &str| rows.allows_actor(Some(account), Some(account))
}

/// Returns the whole record.
pub(super) async fn record(
    app: &App,
    caller: &Caller,
    incident: &Incident,
) -> Result<IncidentRecordBody, Problem> {
    let may_see = may_see(caller);
    let playbooks = app.incident_service.playbooks().await.map_err(problem)?;
    let (people, people_hidden) = people(incident, &may_see);
    Ok(IncidentRecordBody {
        summary: IncidentSummaryBody::from(incident),
        description: incident.description.clone(),
        next_statuses: next_statuses(incident.status),
        members: incident
            .members
            .iter()
            .map(|member| IncidentFindingBody::seen_by(member, &may_see))
            .collect(),
        members_left_out: incident.left_out,
        assets: assets(app, incident).await?,
        people,
        people_hidden,
        tasks: incident.tasks.iter().map(IncidentTaskBody::from).collect(),
        notes: incident.notes.iter().map(IncidentNoteBody::from).collect(),
        history: incident
            .history
            .iter()
            .map(IncidentStatusChangeBody::from)
            .collect(),
        playbooks: playbooks
            .iter()
            .filter(|playbook| playbook.trigger.fits(incident))
            .map(|playbook| playbook.name.0.clone())
            .collect(),
        merged_into: incident.merged_into.as_ref().map(|id| id.0.clone()),
    })
}

/// Resources that findings name, those that the attacker uses first.
async fn assets(app: &App, incident: &Incident) -> Result<Vec<IncidentAssetBody>, Problem> {
    let mut used: BTreeMap<String, bool> = BTreeMap::new();
    for id in incident.keys().resources {
        used.insert(id, false);
    }
    for member in incident.members.iter().filter(|one| one.is_evidence()) {
        if !matches!(member.subject.as_str(), "principal" | "address" | "rule") {
            used.insert(member.subject_id.clone(), true);
        }
    }

    let filter = ResourceFilter {
        ids: used.keys().map(|id| ResourceId::new(id.clone())).collect(),
        ..ResourceFilter::default()
    };
    let known = if filter.ids.is_empty() {
        Vec::new()
    } else {
        app.estate.resource_list(&filter).await?.0
    };
    let mut assets: Vec<IncidentAssetBody> = used
        .into_iter()
        .map(|(id, is_used)| {
            let known = known.iter().find(|resource| resource.id.as_str() == id);
            IncidentAssetBody {
                name: known.map(|one| one.name.clone()),
                kind: known.map(|one| one.kind.as_str().to_owned()),
                account: known.map(|one| one.account.clone()),
                is_used,
                id,
            }
        })
        .collect();
    assets.sort_by_key(|asset| (!asset.is_used, asset.name.is_none()));
    assets.truncate(MOST_ASSETS);
    Ok(assets)
}

/// Accounts that the caller may see, those that findings are about first, and the number of the
/// others.
fn people(incident: &Incident, may_see: impl Fn(&str) -> bool) -> (Vec<IncidentPersonBody>, u64) {
    let mut named: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for member in incident.members.iter().filter(|one| one.is_evidence()) {
        for principal in &member.keys.principals {
            named.entry(principal).or_default().0 += 1;
        }
        if member.subject == "principal" {
            named.entry(&member.subject_id).or_default().1 = true;
        }
    }

    let all = named.len();
    let seen = named.into_iter().filter(|(name, _)| may_see(name));
    let mut people: Vec<IncidentPersonBody> = seen
        .map(|(name, (findings, is_suspect))| IncidentPersonBody {
            name: name.to_owned(),
            findings,
            is_suspect,
        })
        .collect();
    people.sort_by_key(|person| (!person.is_suspect, std::cmp::Reverse(person.findings)));
    let hidden = (all - people.len()) as u64;
    (people, hidden)
}

/// Entries behind the findings that the caller may see. Reading them is recorded.
pub(super) async fn entries(
    app: &App,
    caller: &Caller,
    incident: &Incident,
    operation: &str,
) -> Result<Vec<Entry>, Problem> {
    let ids = incident.members.iter().flat_map(|member| &member.entries);
    let ids: std::collections::BTreeSet<&String> = ids.take(MOST_ENTRIES).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }

    let is = |id: &&String| Expr::field(QueryColumn::EventId, Match::Exact((*id).clone()));
    let query = Query {
        expr: Expr::or(ids.iter().map(is)),
    };
    let request = SearchRequest::newest(query, MOST_ENTRIES, app.now());
    let page = app.trail(caller).search(&request).await;
    let page = page.map_err(ask::problem)?;
    let found: Vec<Entry> = page.entries.iter().map(|one| one.entry.clone()).collect();

    if !found.is_empty() {
        let asked = json!({ "incident": incident.id.0 });
        let count = Some(found.len() as u64);
        let entry = log_entry::read_log(caller, &events::AUDIT_VIEW, operation, asked, count);
        app.record_poll(caller, entry).await?;
    }
    Ok(found)
}

/// The whole timeline that the caller may see, oldest first.
pub(super) async fn moments(
    app: &App,
    caller: &Caller,
    incident: &Incident,
    runs: &[PlaybookRun],
) -> Result<Vec<TimelineMoment>, Problem> {
    let entries = entries(app, caller, incident, "view_incident_timeline").await?;
    Ok(reeve_incidents::moments(incident, runs, &entries))
}

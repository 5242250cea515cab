//! Machines and what an experienced engineer would do to each: one row a machine, judged as a
//! whole. The rows are grouped by what is asked of them; each says what is proposed, or why nothing
//! is.

mod enlarge;
mod leave;
mod load;
mod pay;
mod protected;
mod shrink;
mod stop;

use reeve_estate::PriceCatalogue;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::plan::StepKind;
use reeve_recommend::recommendation::RecommendationType;

use super::estate::Case;

/// The decision of an engineer.
#[derive(Debug, Clone, Copy)]
enum Expect {
    /// A smaller size, by name.
    Resize(&'static str),
    /// A size with more of what is short, by name.
    Upgrade(&'static str),
    /// Stop it: nothing works on it.
    Stop,
    /// Stop it outside its working times, as advice.
    Schedule,
    /// Delete a volume after a snapshot.
    Delete,
    /// Nothing, for a reason.
    Nothing(&'static str),
}
use Expect::{Delete, Nothing, Resize, Schedule, Stop, Upgrade};

/// The saving of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saving {
    /// It is known and positive.
    Saves,
    /// It is known, and the change costs money.
    Costs,
    /// No price is known, so none is claimed.
    Unknown,
    /// There is no proposal to save anything.
    None,
}
use Saving::{Costs, Saves, Unknown};

/// A machine and its decision.
struct Row {
    name: &'static str,
    machine: Case,
    expect: Expect,
    saving: Saving,
    /// Words that the title, the factors or the reason of the abstention must have.
    says: &'static [&'static str],
}

fn row(
    name: &'static str,
    machine: Case,
    expect: Expect,
    saving: Saving,
    says: &'static [&'static str],
) -> Row {
    Row {
        name,
        machine,
        expect,
        saving,
        says,
    }
}

/// A machine that is left as it is.
fn left(
    name: &'static str,
    machine: Case,
    why: &'static str,
    says: &'static [&'static str],
) -> Row {
    row(name, machine, Nothing(why), Saving::None, says)
}

fn stops(found: &Proposal) -> bool {
    found
        .plan
        .as_ref()
        .is_some_and(|plan| plan.steps.iter().any(|step| step.kind == StepKind::Stop))
}

fn deletes(found: &Proposal) -> bool {
    found
        .plan
        .as_ref()
        .and_then(|plan| plan.change.as_ref())
        .is_some_and(|change| change.name == "delete_volume")
}

fn is_as_expected(expect: Expect, judgement: &Judgement) -> bool {
    use RecommendationType::{IdleResourceCleanup, InstanceType, RightSize};

    let target = |found: &Proposal, kind, size: &str| {
        found.kind == kind && found.subject.target_type.as_deref() == Some(size)
    };

    match (expect, judgement.proposals.as_slice()) {
        (Nothing(why), []) => judgement
            .abstentions
            .iter()
            .any(|abstention| abstention.code == why),
        (Resize(size), [found]) => target(found, RightSize, size),
        (Upgrade(size), [found]) => target(found, InstanceType, size),
        (Stop, [found]) => found.kind == IdleResourceCleanup && stops(found),
        (Schedule, [found]) => {
            found.plan.is_none()
                && found
                    .reason_codes
                    .iter()
                    .any(|code| code == "works_at_known_times")
        }
        (Delete, [found]) => deletes(found),
        _ => false,
    }
}

fn saving_of(judgement: &Judgement) -> Saving {
    match judgement
        .proposals
        .first()
        .map(|found| found.savings_monthly.map(|money| money.micros()))
    {
        None => Saving::None,
        Some(None) => Unknown,
        Some(Some(micros)) if micros > 0 => Saves,
        Some(Some(_)) => Costs,
    }
}

fn words(judgement: &Judgement) -> String {
    let said = |found: &Proposal| {
        let losses = found
            .plan
            .iter()
            .flat_map(|plan| &plan.losses)
            .map(|loss| loss.detail.as_str());
        let (factors, security) = (
            found.explanation.factors.texts().join("\n"),
            &found.impact.security,
        );
        let levels = format!(
            "impact {}, risk {}",
            found.impact_level, found.explanation.risk
        );
        format!(
            "{}\n{factors}\n{security}\n{levels}\n{}",
            found.title,
            losses.collect::<Vec<_>>().join("\n")
        )
    };
    let proposed: Vec<String> = judgement.proposals.iter().map(said).collect();

    let abstained: Vec<String> = judgement
        .abstentions
        .iter()
        .map(|a| format!("{}: {}", a.code, a.detail))
        .collect();
    format!("{}\n{}", proposed.join("\n"), abstained.join("\n"))
}

/// Returns the difference between a row's judgement and the engineer's; `None` if they agree.
fn difference(row: &Row) -> Option<String> {
    // As the engine keeps it: protections and losses included.
    let mut judgement = row.machine.judge();
    judgement.protect(&row.machine.resource, PriceCatalogue::builtin());
    let explanation = words(&judgement);
    let missing: Vec<&&str> = row
        .says
        .iter()
        .filter(|words| !explanation.contains(**words))
        .collect();
    let saving = saving_of(&judgement);
    let right =
        is_as_expected(row.expect, &judgement) && saving == row.saving && missing.is_empty();

    (!right).then(|| {
        let found: Vec<_> = judgement
            .proposals
            .iter()
            .map(|p| (p.kind.as_str(), p.subject.target_type.clone(), p.confidence))
            .collect();
        let (name, expect, wanted) = (row.name, row.expect, row.saving);
        format!(
            "{name}: wanted {expect:?} ({wanted:?}) saying {missing:?}, found {found:?} ({saving:?})\n{explanation}"
        )
    })
}

#[test]
fn every_machine_is_judged_as_an_engineer_would() {
    let rows: Vec<Row> = [
        stop::rows(),
        shrink::rows(),
        enlarge::rows(),
        pay::rows(),
        leave::rows(),
        protected::rows(),
    ]
    .into_iter()
    .flatten()
    .collect();
    assert!(rows.len() >= 110, "{} rows", rows.len());

    let wrong: Vec<String> = rows.iter().filter_map(difference).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} machines are judged wrong\n\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n\n")
    );
}

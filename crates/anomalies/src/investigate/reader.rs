//! Investigations as a reader sees them: with the entries of the audit log that this reader may
//! see.

use jiff::Timestamp;

use super::super::cause::SHORTLY;
use super::super::investigation::{
    Hypothesis, HypothesisKind, Investigation, InvestigationEvidence, InvestigationLink, Lookup,
    Source, Support, counted,
};
use super::super::record::Anomaly;
use super::super::related_entries::described;
use super::super::related_entry::RelatedEntry;

impl Anomaly {
    /// Returns the investigation as a reader sees it who may see these of the related entries,
    /// oldest first.
    #[must_use]
    pub fn investigation_for(&self, entries: &[&RelatedEntry]) -> Option<Investigation> {
        let mut seen = self.investigation.clone()?;
        if let Some(lookup) = seen
            .lookups
            .iter_mut()
            .find(|lookup| lookup.source == Source::AuditLog)
            && lookup.found.is_some()
            && !entries.is_empty()
        {
            lookup.found = Some(entries.len() as u64);
            lookup.result = format!(
                "{} that changed it",
                counted(entries.len(), "entry", "entries")
            );
        }

        let Some(last) = entries.last() else {
            return Some(seen);
        };

        let evidence = entries
            .iter()
            .rev()
            .map(|entry| {
                InvestigationEvidence::new(
                    described(entry),
                    InvestigationLink::Entry(entry.event_id.clone()),
                )
            })
            .collect();

        let logged = Hypothesis {
            kind: HypothesisKind::LoggedOperation,
            support: Support::Strong,
            statement: described(last),
            evidence,
        };

        // Beside a known change it names the author; a change by Reeve needs none.
        let place = seen.hypotheses.iter().take_while(|one| {
            one.support == Support::Strong
                && matches!(
                    one.kind,
                    HypothesisKind::ChangeByReeve | HypothesisKind::ChangeByOthers
                )
        });
        let place = place.count();
        seen.hypotheses.insert(place, logged);

        Some(seen)
    }
}

/// The lookup of the audit log from the number of entries read; `None` if it could not be read.
/// Entries that a reader may see are counted for that reader alone.
pub(crate) fn log_lookup(of: &Anomaly, readable: bool) -> Lookup {
    Lookup {
        source: Source::AuditLog,
        subject: of.place.id.clone(),
        from: of.started_at.checked_sub(SHORTLY).unwrap_or(Timestamp::MIN),
        to: of.started_at,
        found: readable.then_some(0),
        result: if readable {
            "no entry that you may see"
        } else {
            "the log could not be read"
        }
        .to_owned(),
    }
}

//! `reeve analyze entries`: scores of audit records.
//!
//! Records are judged in the order of their times, by the same watch that the security agent keeps,
//! and then in retrospect, which the agent does not have; the answers stand in the order of the
//! files. One that cannot be read is named on stderr and passed over; the exit code then is 1.
//! Where nothing could be judged it is 2, and no result is written.

mod records;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reeve_anomalies::behavior::EntryReview;
use reeve_audit::EventId;
use reeve_learn::behavior::BehaviorJudgement;
use serde::Serialize;

use self::records::EntryRecords;
use super::file::{FileSink, Input};
use crate::cli::EntriesArgs;

/// One line of the answer.
#[derive(Debug, Serialize)]
struct Line<'a> {
    event_id: &'a str,
    score: f64,
    reasons: Vec<&'a str>,
}

pub(super) fn run(args: &EntriesArgs) -> Result<ExitCode> {
    let mut out = FileSink::create(args.output.output.as_deref())?;
    let mut review = EntryReview::default();
    let (mut taken, mut refused) = (0_u64, 0_u64);

    for path in &args.files {
        let input = Input::open(path)?;
        let name = input.name.clone();
        for record in EntryRecords::open(input, args.format)
            .with_context(|| format!("{name} could not be read"))?
        {
            match record {
                Ok(entry) => {
                    taken += 1;
                    write(&mut out, review.add(&entry, entry.event_id.clone()))?;
                }
                Err(message) => {
                    refused += 1;
                    eprintln!("{name}: {}", printable(message.as_str()));
                }
            }
        }
    }

    if taken == 0 {
        let files: Vec<String> = args
            .files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let refused = if refused == 0 {
            String::new()
        } else {
            format!("; {refused} could not be read")
        };
        bail!(
            "no audit record in {}{refused}; expected CloudTrail records or Reeve's own entries as JSON",
            files.join(", ")
        );
    }

    while let judged @ Some(_) = review.release() {
        write(&mut out, judged)?;
    }

    out.finish()?;
    if refused > 0 {
        eprintln!("{} judged, {refused} could not be read", review.entries());
    }

    Ok(if refused > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// A message that may quote a file's content, without the control characters that a terminal would
/// obey.
fn printable(message: &str) -> String {
    message
        .chars()
        .map(|letter| {
            if letter.is_control() {
                '\u{fffd}'
            } else {
                letter
            }
        })
        .collect()
}

fn write(out: &mut FileSink, judged: Option<(EventId, BehaviorJudgement)>) -> Result<()> {
    let Some((event_id, judgement)) = judged else {
        return Ok(());
    };

    // Six digits tell any two scores apart that differ for a reason.
    let score = (judgement.score * 1e6).round() / 1e6;
    out.json_line(&Line {
        event_id: event_id.as_str(),
        score,
        reasons: judgement.reasons().collect(),
    })
}

//! `reeve audit tail`: the newest entries, then those that arrive, until Ctrl-C or until nobody
//! reads any more.
//!
//! A connection that breaks is made again from the last entry on: nothing is missed, nothing comes
//! twice.

mod events;

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use jiff::Timestamp;
use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderName};
use tokio::io::Interest;
use tokio::net::unix::pipe::Sender;

use reeve_audit::format::{Exported, Format};

use self::events::{Events, TailEvent};
use super::reading::{Ask, refused};
use super::show::{Layout, Screen, ShowRow};
use super::target::{LogAt, Remote, Reply};
use crate::cli::TailArgs;

/// The service says something every fifteen seconds; a connection that is silent for so long is
/// dead.
const SILENCE: Duration = Duration::from_secs(45);
/// The longest wait before the next attempt.
const LONGEST: Duration = Duration::from_secs(30);

/// Prints until it is told to stop.
pub(crate) async fn run(args: &TailArgs) -> Result<ExitCode> {
    let screen = Screen::new(&args.look);
    let mut printer = Printer {
        layout: Layout::streaming(&screen),
        screen,
        json: args.look.json,
    };
    let log = LogAt::There(Remote::new(&args.service)?);
    let follow = async {
        let last = newest(&log, args, &mut printer).await?;
        match &log {
            LogAt::There(remote) if !args.no_follow => live(remote, args, last, &mut printer).await,
            _ => Ok(()),
        }
    };

    tokio::select! {
        ended = follow => ended?,
        _ = tokio::signal::ctrl_c() => {}
        () = nobody_reads() => {}
    }
    Ok(ExitCode::SUCCESS)
}

struct Printer {
    screen: Screen,
    layout: Layout,
    json: bool,
}

impl Printer {
    fn print(&self, found: &Exported) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            Format::Json.write_entry(&mut out, &found.view())?;
        } else {
            writeln!(
                out,
                "{}",
                self.layout
                    .line(&ShowRow::new(found, &self.screen), &self.screen)
            )?;
        }

        out.flush()?;
        Ok(())
    }
}

/// Prints the newest entries in the order they came; the position after which the live view begins.
async fn newest(log: &LogAt, args: &TailArgs, printer: &mut Printer) -> Result<Option<u64>> {
    // The size first: what comes between it and the search is found by the search.
    let size = log.checkpoint().await?.size;
    let mut last = size.checked_sub(1);

    if !args.look.json {
        writeln!(
            std::io::stdout(),
            "{}",
            printer.layout.heading(&printer.screen, Timestamp::now())
        )?;
    }

    if args.lines > 0 {
        let page = log.page(&Ask::newest(&args.query, args.lines)).await?;
        for found in page.entries.iter().rev() {
            printer.print(found)?;
            last = last.max(Some(found.integrity.sequence));
        }
    }

    Ok(last)
}

/// End of a live view.
enum Ended {
    /// The connection broke, or the service stops.
    Broken,
    /// Too many live views are open.
    Busy(u64),
}

async fn live(
    remote: &Remote,
    args: &TailArgs,
    mut last: Option<u64>,
    printer: &mut Printer,
) -> Result<()> {
    let mut wait = Duration::from_secs(1);
    loop {
        let before = last;
        let ended = match watch(remote, args, &mut last, printer).await {
            Ok(ended) => ended,
            Err(error) if error.chain().any(|cause| cause.is::<reqwest::Error>()) => {
                tracing::debug!("{error:#}");
                Ended::Broken
            }
            Err(error) => return Err(error),
        };
        if last != before {
            wait = Duration::from_secs(1);
        }
        let pause = match ended {
            Ended::Busy(seconds) => Duration::from_secs(seconds.max(1)),
            Ended::Broken => wait,
        };
        eprintln!(
            "reeve: the live view of {} ended; connecting again in {} s",
            remote.base(),
            pause.as_secs()
        );
        tokio::time::sleep(pause).await;
        wait = (wait * 2).min(LONGEST);
    }
}

/// One connection, to its end.
async fn watch(
    remote: &Remote,
    args: &TailArgs,
    last: &mut Option<u64>,
    printer: &mut Printer,
) -> Result<Ended> {
    let asked = Url::parse_with_params("http://live/", [("query", &args.query)])?;
    let path = format!("audit-logs/live?{}", asked.query().unwrap_or_default());
    let mut request = remote.get(&path).header(ACCEPT, "text/event-stream");
    if let Some(last) = last {
        request = request.header(HeaderName::from_static("last-event-id"), last.to_string());
    }

    let mut response = remote.response(request).await?;
    if !response.status().is_success() {
        return match remote.reply(response, 1 << 20).await? {
            Reply::Busy(seconds) => Ok(Ended::Busy(seconds)),
            Reply::Failed(_) => Ok(Ended::Broken),
            other => bail!(refused(remote, &other)),
        };
    }

    let mut events = Events::default();
    while let Ok(Some(part)) = tokio::time::timeout(SILENCE, response.chunk())
        .await
        .unwrap_or(Ok(None))
    {
        for event in events.read(&part)? {
            take(&event, last, printer)?;
        }
    }

    Ok(Ended::Broken)
}

fn take(event: &TailEvent, last: &mut Option<u64>, printer: &Printer) -> Result<()> {
    if event.name == "entry" {
        let found = Exported::read(event.data.as_bytes())?;
        // A position that was reached already is not printed again.
        if last.is_none_or(|last| found.integrity.sequence > last) {
            printer.print(&found)?;
            *last = Some(found.integrity.sequence);
        }
    } else if let Some(reached) = event.id.as_deref().and_then(|id| id.parse().ok()) {
        *last = (*last).max(Some(reached));
    }
    Ok(())
}

/// Ends when standard output is a pipe and its reader is gone: a quiet log would not notice for
/// long. Nothing is written through the second handle, so that it makes no difference that the pipe
/// blocks.
async fn nobody_reads() {
    if let Ok(out) = std::io::stdout().as_fd().try_clone_to_owned()
        && let Ok(pipe) = Sender::from_owned_fd_unchecked(out)
        && pipe.ready(Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

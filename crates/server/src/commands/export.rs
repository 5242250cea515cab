//! `reeve audit export`: entries into a file, oldest first, in constant memory, to be gone on with
//! when interrupted.
//!
//! From a running service the service exports, as a job ([`job`]); from a data directory this
//! program does it itself.
//!
//! What is exported is the log as one checkpoint knows it: entries that arrive meanwhile are left
//! out. The file grows as `FILE.part` and gets its name when it is whole.

mod file;
mod job;
mod state;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressStyle};
use jiff::Timestamp;
use reeve_recommend::words::thousands;
use serde_json::json;

use reeve_audit::format::{
    CefOptions, CsvOptions, Format, FormatError, Framing, Limit, Oversize, SyslogOptions, Written,
};
use reeve_audit::{events, format_instant, parse_instant};
use reeve_ledger::Order;

use self::file::ExportFileSink;
pub(super) use self::file::part;
use self::state::{Progress, State, Wanted};
use super::reading::{Ask, Found};
use super::show::{clean, zone};
use super::target::{LogAt, TargetReading, open_to_read};
use super::when;
use crate::cli::{ExportArgs, ExportFormat, ExportFraming, ExportOversize};

/// Entries of a page. With entries of the largest size this is also the memory that is needed.
const PAGE: u32 = 500;
/// Bytes of a page beyond which the next one is smaller.
const HEAVY: u64 = 16 << 20;
/// Time between two notes of the place from which `--resume` continues.
const NOTED: Duration = Duration::from_secs(2);

/// Exports; 1 when records were left out for their length.
pub(crate) async fn run(args: &ExportArgs) -> Result<ExitCode> {
    prepare(&args.output, args.target.data_dir.is_some())?;
    if args.target.data_dir.is_none() {
        return job::run(args).await;
    }

    let Some(format) = format(args)? else {
        return refuse("Parquet is written by a running service: use --url in place of --data-dir");
    };

    if args.destination.is_some() {
        return refuse(
            "only a running service sends files to a destination: use --url instead of --data-dir",
        );
    }

    let zone = zone(args.local);
    let request = json!({
        "query": args.query, "start_time": args.period.from, "end_time": args.period.to, "format": format!("{:?}", args.format).to_lowercase(),
        "file": args.output.display().to_string(), "resume": args.resume,
    });
    let reading = TargetReading {
        kind: &events::AUDIT_EXPORT,
        command: "reeve audit export",
        request,
    };
    let log = open_to_read(&args.target, reading).await?;
    let wanted = Wanted::from_args(args, &format);
    let (sink, state) = if args.resume {
        state::resume(args, &wanted)?
    } else {
        let (from, to) = when::period(&args.period, &zone, Timestamp::now())?;
        let (from, to) = (from.map(format_instant), to.map(format_instant));
        let state = State {
            wanted,
            from,
            to,
            checkpoint: log.checkpoint().await?,
            progress: Progress::default(),
        };
        (ExportFileSink::create(&args.output)?, state)
    };

    let mut export = Export {
        args,
        format,
        sink,
        state,
        bar: ProgressBar::hidden(),
        began: Instant::now(),
        resumed: 0,
    };

    let done = tokio::select! {
        done = export.all(&log) => done,
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
    };
    export.bar.finish_and_clear();
    let result = match done {
        Ok(()) => export.finish().await,
        Err(error) => Err(export.interrupted(error)),
    };
    log.close().await;

    result
}

/// Makes the folder that a path with a separator at its end names, and refuses a path that no file
/// could be written to, before anything is exported.
fn prepare(output: &Path, is_local: bool) -> Result<()> {
    let shown = output.display();
    if output
        .as_os_str()
        .to_string_lossy()
        .ends_with(std::path::is_separator)
    {
        std::fs::create_dir_all(output)
            .with_context(|| format!("the folder {shown} could not be made"))?;
    }

    if output.is_dir() && is_local {
        return refuse(format!(
            "{shown} is a folder; from a data directory one file is written: name it, as {}",
            output.join("export").display()
        ));
    }

    let above = output
        .parent()
        .filter(|above| !above.as_os_str().is_empty());
    if let Some(above) = above.filter(|above| !above.is_dir()) {
        return refuse(format!(
            "there is no folder {}; make it first",
            above.display()
        ));
    }

    Ok(())
}

fn format(args: &ExportArgs) -> Result<Option<Format>> {
    let oversize = match args.oversize {
        ExportOversize::Reduce => Oversize::Reduce,
        ExportOversize::Skip => Oversize::Refuse,
    };
    let limit = Limit {
        bytes: Some(args.max_bytes).filter(|most| *most > 0),
        oversize,
    };
    Ok(Some(match args.format {
        ExportFormat::Parquet => return Ok(None),
        ExportFormat::Json => Format::Json,
        ExportFormat::Csv => Format::Csv(CsvOptions {
            raw: args.raw && !args.no_formulas,
        }),
        ExportFormat::Cef => Format::Cef(CefOptions { limit }),
        ExportFormat::Syslog => Format::Syslog(SyslogOptions {
            hostname: args
                .hostname
                .parse()
                .with_context(|| format!("--hostname {:?}", args.hostname))?,
            framing: match args.framing {
                ExportFraming::Newline => Framing::Newline,
                ExportFraming::OctetCounting => Framing::OctetCounting,
            },
            limit,
            ..SyslogOptions::default()
        }),
    }))
}

/// An export under way.
struct Export<'a> {
    args: &'a ExportArgs,
    format: Format,
    sink: ExportFileSink,
    state: State,
    bar: ProgressBar,
    began: Instant,
    /// Entries that were there before.
    resumed: u64,
}

impl Export<'_> {
    /// Writes page after page. Whatever is dropped here, the state is that of whole records.
    async fn all(&mut self, log: &LogAt) -> Result<()> {
        self.resumed = self.state.progress.entries;
        if self.state.progress.entries == 0 {
            self.format.write_header(&mut self.sink)?;
        }

        let mut ask = Ask {
            from: time(self.state.from.as_deref())?,
            to: time(self.state.to.as_deref())?,
            order: Order::OldestFirst,
            cursor: self.state.progress.next.clone(),
            total: true,
            salts: true,
            ..Ask::newest(&self.args.query, PAGE)
        };

        let mut noted = Instant::now();
        if self.state.progress.ended {
            return Ok(());
        }

        loop {
            let page = log.page(&ask).await?;
            if ask.total {
                self.show(page.total)?;
                ask.total = false;
            }
            let before = self.sink.written();
            let next = page.next.clone();
            let ended = self.write(page)? || next.is_none();
            (self.state.progress.next, self.state.progress.ended) = (next.clone(), ended);
            if ended {
                return Ok(());
            }
            ask.cursor = next;
            ask.limit = if self.sink.written() - before > HEAVY {
                (ask.limit / 4).max(1)
            } else {
                (ask.limit * 2).min(PAGE)
            };
            if noted.elapsed() > NOTED {
                self.note()?;
                noted = Instant::now();
            }
        }
    }

    /// Writes a page; whether the checkpoint's end was reached.
    fn write(&mut self, page: Found) -> Result<bool> {
        for found in &page.entries {
            if found.integrity.sequence >= self.state.checkpoint.size {
                return Ok(true);
            }
            match self.format.write_entry(&mut self.sink, &found.view()) {
                Ok(Written::Whole) => {}
                Ok(Written::Reduced) => self.state.progress.reduced += 1,
                Err(FormatError::Io(error)) => return Err(error.into()),
                Err(error @ FormatError::Oversize { .. }) => {
                    self.state.progress.skipped += 1;
                    let id = clean(found.entry.event_id.as_str());
                    self.bar.suspend(|| eprintln!("{error}; {id} is left out"));
                    continue;
                }
            }
            self.state.progress.entries += 1;
        }

        self.bar
            .set_position(self.state.progress.entries + self.state.progress.skipped);
        self.bar
            .set_message(HumanBytes(self.sink.written()).to_string());
        Ok(false)
    }

    fn show(&mut self, total: u64) -> Result<()> {
        let template = "{bar:30} {human_pos}/{human_len} entries  {per_sec}  {eta} left  {msg}";
        let style = ProgressStyle::with_template(template)?.with_key(
            "per_sec",
            |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                // Nothing better can be done when a message does not fit.
                let _ = write!(out, "{}/s", thousands(state.per_sec() as u64));
            },
        );

        // Drawn on stderr, and only when that is a terminal.
        self.bar = ProgressBar::new(total)
            .with_style(style)
            .with_position(self.resumed);
        self.bar.reset_eta();
        self.bar.enable_steady_tick(Duration::from_millis(200));

        Ok(())
    }

    /// Makes what was written durable, and notes that it is.
    fn note(&mut self) -> Result<()> {
        if let Some(bytes) = self.sink.settle()? {
            self.state.progress.bytes = bytes;
            self.state.save(&self.args.output)?;
        }
        Ok(())
    }

    fn interrupted(&mut self, error: anyhow::Error) -> anyhow::Error {
        let pipe = error.chain().any(|cause| {
            cause.downcast_ref().is_some_and(|error: &std::io::Error| {
                error.kind() == std::io::ErrorKind::BrokenPipe
            })
        });

        if pipe || self.sink.is_stdout() {
            return error;
        }

        match self.note() {
            Ok(()) => {
                let written = thousands(self.state.progress.entries);
                error.context(format!(
                    "{written} entries are written; run the same command with --resume to continue"
                ))
            }
            Err(second) => error.context(second),
        }
    }

    async fn finish(mut self) -> Result<ExitCode> {
        let (bytes, sha256) = self.sink.finish()?;
        state::forget(&self.args.output)?;
        let Progress {
            entries,
            reduced,
            skipped,
            ..
        } = self.state.progress;

        let took = self.began.elapsed();
        let rate = (entries - self.resumed) as f64 / took.as_secs_f64().max(0.001);
        let checkpoint = &self.state.checkpoint;
        eprintln!(
            "{} entries, {} in {}, {} entries/s",
            thousands(entries),
            HumanBytes(bytes),
            seconds(took),
            thousands(rate as u64)
        );

        if reduced > 0 {
            eprintln!(
                "{} records were longer than {} bytes and name what they leave out",
                thousands(reduced),
                self.args.max_bytes
            );
        }

        if skipped > 0 {
            eprintln!(
                "{} records were longer than {} bytes and are left out",
                thousands(skipped),
                self.args.max_bytes
            );
        }

        eprintln!(
            "checkpoint  {} size {} root {}",
            clean(&checkpoint.origin),
            checkpoint.size,
            clean(&checkpoint.root)
        );

        eprintln!("sha256      {sha256}  {}", self.args.output.display());
        Ok(if skipped > 0 {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        })
    }
}

fn time(text: Option<&str>) -> Result<Option<Timestamp>> {
    text.map(|text| parse_instant(text).with_context(|| format!("{text:?} is not a time")))
        .transpose()
}

fn seconds(took: Duration) -> String {
    if took.as_secs() < 60 {
        format!("{:.1} s", took.as_secs_f64())
    } else {
        HumanDuration(took).to_string()
    }
}

/// Error of an export that cannot be resumed.
pub(super) fn refuse<T>(why: impl std::fmt::Display) -> Result<T> {
    bail!("{why}")
}

//! `reeve audit export` from a running service: the service runs the export as a job; its progress
//! is shown and its files are downloaded. The job continues when this program ends; `--resume`
//! waits for it again.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use jiff::Timestamp;
use reeve_audit::format_instant;
use reeve_recommend::words::thousands;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::file::{ExportFileSink, with_suffix};
use super::refuse;
use crate::cli::{ExportArgs, ExportFraming, ExportOversize};
use crate::commands::show::{clean, zone};
use crate::commands::target::{Remote, Reply};
use crate::commands::when;

/// Longest answer about a job, bytes.
const MOST: usize = 4 << 20;
/// Time between two questions about the job.
const BEAT: Duration = Duration::from_millis(250);

/// Exports; 1 when records were left out for their length.
pub(super) async fn run(args: &ExportArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.target.service)?;
    let began = Instant::now();
    let id = match args.resume {
        true => kept(args)?,
        false => {
            let id = request(&service, args).await?;
            keep(args, &id)?;
            id
        }
    };

    let (done, hashes) = tokio::select! {
        done = fetched(&service, &id, args) => done?,
        _ = tokio::signal::ctrl_c() => {
            bail!("interrupted; the export {id} stays in the service; run the same command with --resume to continue")
        }
    };

    forget(&args.output)?;
    tell(&done, &hashes, began.elapsed(), args);
    Ok(if number(&done, "skipped") > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// Waits for the end and downloads: the job, and hashes and names of what was written.
async fn fetched(
    service: &Remote,
    id: &str,
    args: &ExportArgs,
) -> Result<(Value, Vec<(String, String)>)> {
    let done = ended(service, id).await?;
    if done["status"] != "succeeded" {
        let reason = done["failure"]["message"]
            .as_str()
            .unwrap_or("it was cancelled");
        bail!(
            "the export {id} is {}: {}",
            clean(done["status"].as_str().unwrap_or_default()),
            clean(reason)
        );
    }

    let hashes = match args.output.is_dir() {
        true => folder(service, &done, &args.output).await?,
        false => vec![file(service, &done, &args.output).await?],
    };
    Ok((done, hashes))
}

/// Asks for the job; its identifier.
async fn request(service: &Remote, args: &ExportArgs) -> Result<String> {
    let (from, to) = when::period(&args.period, &zone(args.local), Timestamp::now())?;
    let framing = match args.framing {
        ExportFraming::Newline => "newline",
        ExportFraming::OctetCounting => "octet_counting",
    };
    let oversize = match args.oversize {
        ExportOversize::Reduce => "reduce",
        ExportOversize::Skip => "skip",
    };
    let mut body = json!({
        "format": args.format.name(),
        "query": args.query,
        "options": {
            "raw": args.raw && !args.no_formulas, "framing": framing, "hostname": args.hostname,
            "max_bytes": args.max_bytes, "oversize": oversize,
        },
    });

    for (name, time) in [("start_time", from), ("end_time", to)] {
        if let Some(time) = time {
            body[name] = format_instant(time).into();
        }
    }

    if let Some(destination) = &args.destination {
        body["destination"] = destination.as_str().into();
    }

    // Sent once: an answer that is lost must not start a second export.
    match service
        .send(service.post("audit-logs/export").json(&body))
        .await?
    {
        Reply::Done(job) => {
            let job: Value =
                serde_json::from_slice(&job).context("the service's answer is not JSON")?;
            Ok(job["id"]
                .as_str()
                .context("the service's answer is not an export")?
                .to_owned())
        }
        Reply::Refused(problem) | Reply::Failed(problem) => refuse(service.words(&problem)),
        Reply::Busy(_) | Reply::TooMuch => bail!("{} is busy", service.base()),
    }
}

/// Waits for the end, with a bar on stderr when that is a terminal.
async fn ended(service: &Remote, id: &str) -> Result<Value> {
    let style = ProgressStyle::with_template("{bar:30} {percent}%  {msg}")?;
    let bar = ProgressBar::new(1000).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));

    loop {
        let job = match service
            .ask(service.get(&format!("audit-logs/export/{id}")), MOST)
            .await?
        {
            Reply::Done(job) => {
                serde_json::from_slice::<Value>(&job).context("the service's answer is not JSON")?
            }
            other => bail!(crate::commands::reading::refused(service, &other)),
        };
        if !matches!(job["status"].as_str(), Some("queued" | "running")) {
            bar.finish_and_clear();
            return Ok(job);
        }
        bar.set_position((job["percent"].as_f64().unwrap_or_default() * 10.0) as u64);
        let (entries, bytes) = (
            thousands(number(&job, "entries")),
            HumanBytes(number(&job, "bytes")),
        );
        bar.set_message(format!(
            "{entries} entries  {bytes}  {}",
            clean(job["status"].as_str().unwrap_or_default())
        ));
        tokio::time::sleep(BEAT).await;
    }
}

fn number(job: &Value, name: &str) -> u64 {
    job[name].as_u64().unwrap_or_default()
}

/// Downloads the entries into one file, or to standard output; the hash of what was written, and
/// its name.
async fn file(service: &Remote, job: &Value, output: &Path) -> Result<(String, String)> {
    let entries: Vec<_> = files(job)
        .filter(|(_, role, _)| role == "entries")
        .collect();
    let [(name, _, sha256)] = &entries[..] else {
        bail!(
            "the export has {} files; name a folder that exists with -o",
            entries.len()
        );
    };

    let mut sink = ExportFileSink::create(output)?;
    let found = download(service, job, name, |chunk| Ok(sink.write_all(chunk)?)).await?;

    if found != *sha256 {
        bail!(
            "{name} did not arrive as it was written: its SHA-256 differs; the same command with --resume tries again"
        );
    }

    let (_, written) = sink.finish()?;
    Ok((written, output.display().to_string()))
}

/// Downloads all files into a folder, where `reeve-verify NAME.manifest.json` finds them.
async fn folder(service: &Remote, job: &Value, output: &Path) -> Result<Vec<(String, String)>> {
    let mut hashes = Vec::new();
    for (name, _, sha256) in files(job) {
        let path = output.join(
            Path::new(&name)
                .file_name()
                .context("a file of the export has no name")?,
        );
        let mut sink = ExportFileSink::create(&path)?;
        let found = download(service, job, &name, |chunk| Ok(sink.write_all(chunk)?)).await?;
        if found != sha256 {
            bail!("{name} did not arrive as it was written: its SHA-256 differs; export again");
        }
        sink.finish()?;
        hashes.push((found, path.display().to_string()));
    }

    Ok(hashes)
}

/// Name, role and hash of each file.
fn files(job: &Value) -> impl Iterator<Item = (String, String, String)> {
    let text = |file: &Value, name: &str| file[name].as_str().unwrap_or_default().to_owned();
    let files = job["files"].as_array().cloned().unwrap_or_default();
    files.into_iter().map(move |file| {
        (
            text(&file, "name"),
            text(&file, "role"),
            text(&file, "sha256"),
        )
    })
}

/// Streams a file; its SHA-256.
async fn download(
    service: &Remote,
    job: &Value,
    name: &str,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<String> {
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    {
        bail!(
            "the service names a file {} that no export has",
            clean(name)
        );
    }

    let path = format!(
        "audit-logs/export/{}/download?file={name}",
        job["id"].as_str().unwrap_or_default()
    );
    let mut response = service.response(service.get(&path)).await?;
    if !response.status().is_success() {
        let refused = service.reply(response, MOST).await?;
        bail!(crate::commands::reading::refused(service, &refused));
    }

    let mut sha256 = Sha256::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .with_context(|| format!("{} closed the connection too early", service.base()))?
    {
        sha256.update(&chunk);
        take(&chunk)?;
    }

    Ok(hex::encode(sha256.finalize()))
}

fn tell(job: &Value, hashes: &[(String, String)], took: Duration, args: &ExportArgs) {
    let (entries, bytes) = (number(job, "entries"), number(job, "bytes"));
    eprintln!(
        "{} entries, {} in {:.1} s",
        thousands(entries),
        HumanBytes(bytes),
        took.as_secs_f64()
    );

    for (count, what) in [
        (number(job, "reduced"), "and name what they leave out"),
        (number(job, "skipped"), "and are left out"),
    ] {
        if count > 0 {
            eprintln!(
                "{} records were longer than {} bytes {what}",
                thousands(count),
                args.max_bytes
            );
        }
    }

    if let Some(address) = job["delivered_to"].as_str() {
        eprintln!("delivered   {}", clean(address));
    }

    for (sha256, name) in hashes {
        eprintln!("sha256      {sha256}  {}", clean(name));
    }

    if hashes.len() > 1 {
        eprintln!("reeve-verify --public-key KEY NAME.manifest.json checks it");
    }
}

fn note(output: &Path) -> Result<PathBuf> {
    if output.as_os_str() == "-" || output.is_dir() {
        return refuse("only an export to a file can be resumed; name a file with -o");
    }
    Ok(with_suffix(output, ".part.json"))
}

/// Settings that must be the same for an export to be resumed.
fn asked(args: &ExportArgs) -> String {
    format!(
        "{:?}",
        (
            args.format,
            &args.query,
            &args.period.from,
            &args.period.to,
            args.raw,
            args.framing
        )
    )
}

/// Notes which job a file waits for.
fn keep(args: &ExportArgs, id: &str) -> Result<()> {
    let Ok(path) = note(&args.output) else {
        return Ok(());
    };
    std::fs::write(
        &path,
        json!({ "export": id, "asked": asked(args) }).to_string(),
    )
    .with_context(|| format!("{} could not be written", path.display()))
}

fn kept(args: &ExportArgs) -> Result<String> {
    let path = note(&args.output)?;
    let text = std::fs::read(&path).with_context(|| {
        format!(
            "the export cannot be resumed: only {} is left of it",
            path.display()
        )
    })?;
    let kept: Value = serde_json::from_slice(&text)
        .with_context(|| format!("{} cannot be read", path.display()))?;

    if kept["asked"] != asked(args) {
        return refuse(format!(
            "{} is of an export of something else: --resume takes the same format, options, times and query",
            path.display()
        ));
    }

    Ok(kept["export"]
        .as_str()
        .with_context(|| format!("{} names no export", path.display()))?
        .to_owned())
}

fn forget(output: &Path) -> Result<()> {
    let Ok(path) = note(output) else {
        return Ok(());
    };
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

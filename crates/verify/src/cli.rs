//! The command line: what to verify, with which key, and how to tell. Exit codes: 0 intact, 1
//! broken, 2 could not run.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use reeve_tlog::{Epochs, NoteVerifier};

use crate::attested::{self, ManifestReport};
use crate::directory::{DirectoryOptions, verify_directory};
use crate::error::CannotVerify;
use crate::error::with_causes;
use crate::evidence::{self, ProvenReport, verify_report, verify_report_files};
use crate::export::verify_export;
use crate::kept::{self, KeptCheckpoint, Witnesses};
use crate::key;
use crate::progress::Progress;
use crate::proof::{Proven, verify_proof};
use crate::remote::{Remote, fetch, verify_remote};
use crate::report::Report;
use crate::tier_folder::TierFolder;

const BROKEN: u8 = 1;
const COULD_NOT_RUN: u8 = 2;

/// Checks an audit log of Reeve's, offline.
///
/// Exit code 0: intact. 1: broken, and the report says where. 2: could not run.
#[derive(Debug, Parser)]
#[command(name = "reeve-verify", version)]
pub struct Arguments {
    /// A data directory (also while the service runs), a .tlog-proof file, the manifest of an
    /// export or of a report (the files beside it), a report's JSON, or the address of a service
    #[arg(value_name = "DIR|FILE|URL")]
    pub target: String,
    /// The log's verifier key, or a file that holds it (a copy of DIR/ledger/log.vkey, kept
    /// elsewhere)
    #[arg(long, value_name = "KEY|FILE")]
    pub public_key: Option<String>,
    /// The anchor's file, when it is not DIR/anchor/head
    #[arg(long, value_name = "FILE")]
    pub anchor: Option<PathBuf>,
    /// A signed checkpoint that was kept elsewhere and that the log must extend: a file or an
    /// address (repeatable)
    #[arg(long, value_name = "FILE|URL")]
    pub checkpoint: Vec<String>,
    /// The verifier key of a witness whose cosignature is wanted (repeatable)
    #[arg(long, value_name = "VKEY|FILE")]
    pub witness: Vec<String>,
    /// Number of witnesses that must have cosigned [default: all]
    #[arg(long, value_name = "COUNT", requires = "witness")]
    pub witnesses_needed: Option<usize>,
    /// A copy of DIR/ledger/epochs, to follow a key that was rotated (for a proof; a directory and
    /// a service bring theirs)
    #[arg(long, value_name = "FOLDER")]
    pub epochs: Option<PathBuf>,
    /// A folder of the warm or cold tier, or a copy of its bucket, for a directory whose segments were
    /// moved there (repeatable)
    #[arg(long, value_name = "warm|cold=FOLDER")]
    pub tier: Vec<TierFolder>,
    /// Take a directory of a version that signed neither its manifest nor its anchor: a note says
    /// so, and no finding
    #[arg(long)]
    pub accept_unsigned: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing when the log is intact, and no progress: notes are not shown either, such as
    /// of a damaged index that the service will rebuild
    #[arg(long)]
    pub quiet: bool,
    /// Sent to a service as a bearer token
    #[arg(long, env = "REEVE_TOKEN", hide_env_values = true, hide = true)]
    pub token: Option<String>,
}

/// Runs the verification, prints the result, and returns the exit code.
pub fn run(arguments: &Arguments) -> ExitCode {
    let verdict = verify(arguments).and_then(|output| {
        let printed = if output.intact && arguments.quiet {
            Ok(())
        } else {
            print(&output.text)
        };
        printed.map_err(|source| CannotVerify::Unreadable {
            path: "standard output".into(),
            source,
        })?;
        Ok(if output.intact {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(BROKEN)
        })
    });
    verdict.unwrap_or_else(|error| {
        // Where standard error is gone too, the exit code says it.
        let _ = writeln!(io::stderr(), "reeve-verify: {}", with_causes(&error));
        ExitCode::from(COULD_NOT_RUN)
    })
}

struct Output {
    intact: bool,
    text: String,
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn verify(arguments: &Arguments) -> Result<Output, CannotVerify> {
    let key = arguments
        .public_key
        .as_deref()
        .map(key::given)
        .transpose()?;
    let target = arguments.target.as_str();
    let path = Path::new(target);
    if is_address(target) {
        return service(arguments, key);
    }
    if path.is_file() && attested::is_manifest(path) {
        return manifest(arguments, path, key);
    }

    if path.is_file() && evidence::is_report(path) {
        // The entries of a report prove themselves; its name, its counts and what it leaves out are
        // proved by the manifest alone.
        return match evidence::manifest_beside(path) {
            Some(beside) => manifest(arguments, &beside, key),
            None => report(arguments, path, key),
        };
    }

    if path.is_file() {
        return proof(arguments, path, key);
    }

    let (checkpoints, witnesses) = (kept_checkpoints(arguments)?, witnesses(arguments)?);
    let (anchor, accept_unsigned) = (arguments.anchor.clone(), arguments.accept_unsigned);
    let options = DirectoryOptions {
        public_key: key,
        anchor,
        checkpoints,
        witnesses,
        accept_unsigned,
        tiers: arguments.tier.clone(),
    };

    Ok(render(
        arguments,
        &verify_directory(path, &options, &progress(arguments))?,
    ))
}

/// Reads the checkpoints that were kept elsewhere.
fn kept_checkpoints(arguments: &Arguments) -> Result<Vec<KeptCheckpoint>, CannotVerify> {
    let read = |name: &String| {
        let bytes = match is_address(name) {
            true => block_on(name, fetch(name))??,
            false => std::fs::read(name).map_err(CannotVerify::unreadable(Path::new(name)))?,
        };
        Ok(KeptCheckpoint {
            name: name.clone(),
            bytes,
        })
    };
    arguments.checkpoint.iter().map(read).collect()
}

fn witnesses(arguments: &Arguments) -> Result<Witnesses, CannotVerify> {
    let keys = arguments
        .witness
        .iter()
        .map(|text| key::witness(text))
        .collect::<Result<Vec<_>, _>>()?;
    let needed = arguments.witnesses_needed.unwrap_or(keys.len());
    Ok(Witnesses { keys, needed })
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn block_on<T>(url: &str, work: impl Future<Output = T>) -> Result<T, CannotVerify> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| CannotVerify::Remote {
        url: url.to_owned(),
        cause: error.to_string(),
    })?;
    Ok(runtime.block_on(work))
}

fn progress(arguments: &Arguments) -> Progress {
    if arguments.quiet {
        Progress::hidden()
    } else {
        Progress::bar()
    }
}

fn render(arguments: &Arguments, report: &Report) -> Output {
    let text = if arguments.json {
        format!("{:#}\n", report.to_json())
    } else {
        report.to_string()
    };
    Output {
        intact: report.is_intact(),
        text,
    }
}

fn service(arguments: &Arguments, key: Option<NoteVerifier>) -> Result<Output, CannotVerify> {
    let key = key.ok_or_else(|| no_key("a service"))?;
    let url = arguments.target.clone();
    let remote = Remote {
        url,
        token: arguments.token.clone(),
        key,
        anchor: arguments.anchor.clone(),
        checkpoints: kept_checkpoints(arguments)?,
        witnesses: witnesses(arguments)?,
    };

    let report = block_on(
        &arguments.target,
        verify_remote(&remote, &progress(arguments)),
    )??;
    Ok(render(arguments, &report))
}

fn no_key(needed_for: &str) -> CannotVerify {
    CannotVerify::NoKey(format!(
        "{needed_for} cannot prove itself; give the log's verifier key with --public-key (from whoever runs the service, where it is in DIR/ledger/log.vkey)"
    ))
}

/// Keys that are trusted: the one given, and those that a copy of the records leads to from it.
fn trusted(arguments: &Arguments, key: &NoteVerifier) -> Result<Epochs, CannotVerify> {
    let epochs = match &arguments.epochs {
        Some(folder) => epochs_of(folder)?,
        None => None,
    };
    Ok(key::following(key, epochs))
}

/// Verifies the files of an export or of a report.
fn manifest(
    arguments: &Arguments,
    path: &Path,
    key: Option<NoteVerifier>,
) -> Result<Output, CannotVerify> {
    let key = key.ok_or_else(|| no_key("a manifest"))?;
    let (keys, witnesses) = (trusted(arguments, &key)?, witnesses(arguments)?);
    let report: ManifestReport = if attested::format_of(path)? == evidence::MANIFEST {
        verify_report_files(path, &keys, &witnesses)?
    } else {
        verify_export(path, &keys, &witnesses)?
    };

    let text = if arguments.json {
        format!("{:#}\n", report.to_json())
    } else {
        report.to_string()
    };

    Ok(Output {
        intact: report.is_intact(),
        text,
    })
}

fn proof(
    arguments: &Arguments,
    path: &Path,
    key: Option<NoteVerifier>,
) -> Result<Output, CannotVerify> {
    let key = key.ok_or_else(|| no_key("a proof"))?;
    let bytes = std::fs::read(path).map_err(CannotVerify::unreadable(path))?;
    let name = path.display();
    let keys = trusted(arguments, &key)?;
    let witnesses = witnesses(arguments)?;
    let verdict = verify_proof(&bytes, &keys)?.and_then(|proven| {
        let cosigned = kept::count(&proven.note, &witnesses)?;
        Ok((proven, cosigned))
    });

    Ok(match verdict.map(|(proven, _)| proven) {
        Ok(proven) if arguments.json => Output {
            intact: true,
            text: format!("{:#}\n", proof_json(&proven, &key)),
        },
        Ok(proven) => Output {
            intact: true,
            text: proof_text(&proven, &key),
        },
        Err(fault) if arguments.json => {
            let output = serde_json::json!({"target": name.to_string(), "intact": false, "what": with_causes(&fault)});
            Output {
                intact: false,
                text: format!("{output:#}\n"),
            }
        }
        Err(fault) => Output {
            intact: false,
            text: format!("BROKEN: {name}: {}\n", with_causes(&fault)),
        },
    })
}

/// Verifies a report of cited entries.
fn report(
    arguments: &Arguments,
    path: &Path,
    key: Option<NoteVerifier>,
) -> Result<Output, CannotVerify> {
    let key = key.ok_or_else(|| no_key("a report"))?;
    let witnesses = witnesses(arguments)?;
    let verdict = verify_report(path, &trusted(arguments, &key)?)?.and_then(|proven| {
        kept::count(&proven.note, &witnesses)?;
        Ok(proven)
    });
    let name = path.display();

    Ok(match verdict {
        Ok(proven) if arguments.json => Output {
            intact: true,
            text: format!("{:#}\n", report_json(&proven, &key)),
        },
        Ok(proven) => Output {
            intact: true,
            text: report_text(&proven, &key),
        },
        Err(fault) if arguments.json => {
            let output = serde_json::json!({"target": name.to_string(), "intact": false, "what": with_causes(&fault)});
            Output {
                intact: false,
                text: format!("{output:#}\n"),
            }
        }
        Err(fault) => Output {
            intact: false,
            text: format!("BROKEN: {name}: {}\n", with_causes(&fault)),
        },
    })
}

/// Limit of the proof that the JSON file of a report alone gives.
const NOT_CHECKED: &str = "whether Reeve wrote the file so: entries, exceptions and words may have been left out or changed. Download \
    the report's manifest, PDF and CSV into the same folder and verify NAME.manifest.json";

fn report_json(proven: &ProvenReport, key: &NoteVerifier) -> serde_json::Value {
    let checkpoint = &proven.checkpoint;
    serde_json::json!({
        "intact": true,
        "report": {"name": proven.name, "run_id": proven.run_id},
        "entries": proven.entries,
        "entries_counted": proven.counted,
        "results": proven.results,
        "queries": proven.questions,
        "not_checked": [NOT_CHECKED],
        "key": {"public_key": key.to_string(), "id": key.id().to_string(), "source": "pinned"},
        "tree": {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.to_string()},
    })
}

fn report_text(proven: &ProvenReport, key: &NoteVerifier) -> String {
    let checkpoint = &proven.checkpoint;
    let more = match proven.counted - proven.listed {
        0 => String::new(),
        more => {
            format!("  not listed   {more} entries that the report counted and does not list\n")
        }
    };

    let results = match proven.results {
        0 => String::new(),
        results => {
            format!(
                "  results      {results} failed checks that entries recorded as the report says\n"
            )
        }
    };

    format!(
        "intact: all {} entries that \"{}\" lists are in the log of {}, and answer its {} queries as it says\n{more}{results}  in the tree  {} entries, root {}\n  signed by    {}, pinned\n  not checked  {NOT_CHECKED}\n",
        proven.entries,
        proven.name,
        checkpoint.origin,
        proven.questions,
        checkpoint.size,
        checkpoint.root,
        key.id(),
    )
}

/// The keys that a copy of the records leads through; any that does not hold is refused as a whole.
fn epochs_of(folder: &Path) -> Result<Option<Epochs>, CannotVerify> {
    let (epochs, findings) = key::epochs_in(folder, &folder.display().to_string())?;
    match findings.first() {
        None => Ok(epochs),
        Some(finding) => Err(CannotVerify::Key {
            place: format!("--epochs {}", folder.display()),
            cause: finding.to_string(),
        }),
    }
}

fn proof_json(proven: &Proven, key: &NoteVerifier) -> serde_json::Value {
    serde_json::json!({
        "intact": true,
        "sequence": proven.sequence,
        "entry": proven.entry,
        "commitment": proven.commitment.to_string(),
        "leaf_hash": proven.commitment.leaf_hash().to_string(),
        "key": {"public_key": key.to_string(), "id": key.id().to_string(), "source": "pinned"},
        "tree": {
            "origin": proven.checkpoint.origin,
            "size": proven.checkpoint.size,
            "root": proven.checkpoint.root.to_string(),
        },
    })
}

fn proof_text(proven: &Proven, key: &NoteVerifier) -> String {
    let checkpoint = &proven.checkpoint;
    let entry = serde_json::to_string_pretty(&proven.entry).unwrap_or_default();
    format!(
        "intact: this is entry {} of {}\n{entry}\n  commitment   {}\n  leaf hash    {}\n  in the tree  {} entries, root {}\n  signed by    {}, pinned\n",
        proven.sequence,
        checkpoint.origin,
        proven.commitment,
        proven.commitment.leaf_hash(),
        checkpoint.size,
        checkpoint.root,
        key.id(),
    )
}

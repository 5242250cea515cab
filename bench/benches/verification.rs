//! Measures the speed of verification: writes a log of 300,000 entries of about 700 bytes (or as
//! many as the first argument says) into a new folder (or the second argument), the last tenth of
//! them unsealed, and verifies it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use reeve_audit::Draft;
use reeve_lake::EntrySegments;
use reeve_ledger::{Config, Ledger, keys};
use reeve_verify::{DirectoryOptions, Progress, verify_directory};

const FRAME: usize = 1_000;
const SEAL: usize = 100_000;

fn draft(number: usize) -> Draft {
    let kinds = [
        "authentication.login",
        "resource.create",
        "resource.modify",
        "resource.delete",
        "resource.view",
        "policy.modify",
    ];

    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let text = format!(
        r#"{{"event_id":"0193{:08x}-7000-8000-{mixed:012x}","timestamp":"2026-11-20T10:{:02}:{:02}Z","event_type":"{}","severity":"info",
        "actor":{{"type":"user","id":"user-{}","email":"user{}@example.com","ip_address":"10.0.{}.{}","user_agent":"aws-cli/2.15.30 md/awscrt#0.19.19 ua/2.0 os/linux#6.1 lang/python#3.11","session_id":"sess-{:08x}"}},
        "resource":{{"type":"ec2_instance","id":"i-{:017x}","cloud_provider":"aws","account_id":"111111111111","region":"eu-west-1","tags":{{"env":"prod"}}}},
        "action":{{"operation":"ModifyVolume","status":"success","method":"api"}},
        "changes":{{"after":{{"instance_type":"m5.large","state":"running"}}}},"metadata":{{"request_id":"{mixed:016x}"}}}}"#,
        number,
        number / 60 % 60,
        number % 60,
        kinds[mixed % kinds.len()],
        mixed % 500,
        mixed % 500,
        mixed % 256,
        number % 256,
        mixed % 50_000,
        mixed % 5_000,
    );

    Draft::from_bytes(text.as_bytes(), Timestamp::now()).unwrap()
}

#[tokio::main]
async fn main() {
    let count = std::env::args()
        .filter(|argument| argument != "--bench")
        .nth(1)
        .map_or(300_000, |text| text.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let dir = std::env::args()
        .filter(|argument| argument != "--bench")
        .nth(2)
        .map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let started = Instant::now();
    let signer = keys::load_or_create(&dir, Some("reeve.local/measure")).unwrap();
    let segments = Arc::new(EntrySegments::open(&dir).await.unwrap());
    let config = Config {
        seal_after_entries: SEAL,
        ..Config::new(&dir, "reeve.local/measure")
    };
    let ledger = Ledger::open(config, signer, segments).await.unwrap();

    for first in (0..count).step_by(FRAME) {
        ledger
            .append((first..first + FRAME).map(draft).collect())
            .await
            .unwrap();
        let written = first + FRAME;
        if written.is_multiple_of(SEAL) && written < count || written == count / 10 * 9 {
            ledger.seal().await.unwrap();
        }
    }

    ledger.close().await;
    println!("written in {:.1} s", started.elapsed().as_secs_f64());
    let report = tokio::task::block_in_place(|| {
        verify_directory(&dir, &DirectoryOptions::default(), &Progress::hidden())
    })
    .unwrap();
    println!("{report}");
    assert!(report.is_intact());
}

//! Tests of an interrupted export and its resumption.

use std::process::{Command, Stdio};

use super::gate::Gate;
use super::{audit, done, run, said, served};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_export_goes_on_at_the_last_whole_record() {
    let home = tempfile::tempdir().unwrap();
    let service = served(&home.path().join("data"), 3000).await;
    let query = "resource.type:ec2_instance";
    let whole = done(audit(
        service.url(),
        &["export", "--format", "json", "--query", query, "-o", "-"],
    ));

    for name in ["part.jsonl", "part.jsonl.gz"] {
        let path = home.path().join(name);
        let path = path.to_str().unwrap();
        // Two pages pass, the third does not.
        let gate = Gate::before(service.url(), 1_600_000).await;
        let arguments = ["export", "--format", "json", "--query", query, "-o", path];
        let child = audit(&gate.url, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        gate.is_shut().await;
        assert!(
            Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            said(&output).contains("--resume to continue"),
            "{}",
            said(&output)
        );
        assert!(
            !home.path().join(name).exists(),
            "a file has its name when it is whole"
        );
        gate.open();

        let other = [&arguments[..], &["--resume", "--from", "2026-03-02"]].concat();
        let refused = run(audit(&gate.url, &other));
        assert!(
            said(&refused).contains("something else"),
            "{}",
            said(&refused)
        );
        let resumed = run(audit(&gate.url, &[&arguments[..], &["--resume"]].concat()));
        assert!(resumed.status.success(), "{}", said(&resumed));
        assert!(
            said(&resumed).contains("3,000 entries"),
            "{}",
            said(&resumed)
        );
        let mut command = Command::new(if name.ends_with("gz") { "zcat" } else { "cat" });
        let text = command.arg(path).output().unwrap().stdout;
        assert!(
            text == whole.as_bytes(),
            "{name} is the same as without an interruption"
        );
        let again = run(audit(&gate.url, &[&arguments[..], &["--resume"]].concat()));
        assert!(
            said(&again).contains("cannot be resumed"),
            "{}",
            said(&again)
        );
    }
}

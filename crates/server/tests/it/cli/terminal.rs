//! Tests of terminal output: the commands in a pseudo-terminal, which `script` makes.

use std::process::Command;

use reeve_testkit::service::{ADMIN_TOKEN, reeve_command};

use super::served;

/// Runs it in a terminal of so many columns; everything the terminal was sent.
fn seen(url: &str, columns: usize, arguments: &str, no_color: bool) -> String {
    let program = reeve_command()
        .unwrap()
        .get_program()
        .to_string_lossy()
        .into_owned();
    let line = format!("stty cols {columns} rows 40; '{program}' audit {arguments}");
    let mut command = Command::new("script");
    command
        .args(["-qefc", &line, "/dev/null"])
        .env("REEVE_URL", url)
        .env("REEVE_TOKEN", ADMIN_TOKEN)
        .env("TERM", "xterm");
    command.env_remove("NO_COLOR");
    if no_color {
        command.env("NO_COLOR", "1");
    }

    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Text without colours, and how many there were.
fn plain(text: &str) -> (String, usize) {
    let mut pieces = text.split("\u{1b}[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    let mut colours = 0;

    for piece in pieces {
        // `m` ends a colour, other letters what moves the cursor or clears a line.
        let end = piece
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or_default();
        colours += usize::from(piece[end..].starts_with('m'));
        out.push_str(piece.get(end + 1..).unwrap_or_default());
    }

    (out.replace('\r', ""), colours)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_fit_and_colours_can_be_off() {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("terminal: skipped, there is no script(1) here");
        return;
    }

    let home = tempfile::tempdir().unwrap();
    let service = served(home.path(), 12).await;

    for columns in [40, 60, 80, 120, 200] {
        let (text, colours) = plain(&seen(
            service.url(),
            columns,
            "search 'resource.type:ec2_instance'",
            false,
        ));
        assert!(colours > 10, "{text}");
        for line in text.lines().filter(|line| !line.contains("newest first")) {
            assert!(line.chars().count() <= columns, "{columns}: {line:?}");
        }
        assert!(
            text.contains("failed") && text.contains("2026-03-01 10:11:00"),
            "{text}"
        );
        assert_eq!(
            text.contains("10.0.0.1"),
            columns >= 120,
            "{columns}: {text}"
        );
    }

    let (text, colours) = plain(&seen(
        service.url(),
        100,
        "search 'resource.type:ec2_instance' --by severity --histogram",
        true,
    ));

    assert!(
        colours == 0 && text.contains('█') && text.contains("critical"),
        "{text}"
    );

    let path = home.path().join("out.jsonl");
    let (text, _) = plain(&seen(
        service.url(),
        100,
        &format!("export --format json -o '{}'", path.display()),
        true,
    ));

    assert!(
        text.contains("entries  ")
            && text.contains('%')
            && text.contains("sha256")
            && path.exists(),
        "{text}"
    );
}

//! Measures the time that reading one submitted entry takes: `cargo bench -p reeve-bench --bench
//! submitted_entries -- FILE`, where FILE holds entries as NDJSON (`reeve-bench generate 20000`).
//! The fastest of the rounds counts.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use jiff::Timestamp;
use reeve_audit::{BatchContent, Draft, Entry, parse_batch};

const ROUNDS: usize = 15;

fn main() -> std::io::Result<()> {
    let path = std::env::args()
        .filter(|argument| argument != "--bench")
        .nth(1)
        .ok_or_else(|| std::io::Error::other("name a file of entries as NDJSON"))?;
    let text = std::fs::read(path)?;
    let lines: Vec<&[u8]> = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    let batches: Vec<Vec<u8>> = lines.chunks(500).map(|lines| lines.join(&b'\n')).collect();
    let arrays: Vec<Vec<u8>> = lines
        .chunks(500)
        .map(|lines| [b"[".as_slice(), &lines.join(&b','), b"]"].concat())
        .collect();
    let now = Timestamp::now();
    let read = |bytes: &[u8]| {
        Draft::from_bytes(bytes, now).map_err(|errors| std::io::Error::other(format!("{errors:?}")))
    };

    let stored: Vec<Vec<u8>> = lines
        .iter()
        .map(|line| Ok(read(line)?.canonical))
        .collect::<std::io::Result<_>>()?;
    let canonical: usize = stored.iter().map(Vec::len).sum();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} entries, {} bytes each, {} canonical",
        lines.len(),
        text.len() / lines.len(),
        canonical / lines.len()
    )?;

    let mut report = |name: &str, round: &mut dyn FnMut()| {
        let mut fastest = f64::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            round();
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        writeln!(
            out,
            "{name:<32} {:>8.0} ns an entry",
            fastest * 1e9 / lines.len() as f64
        )
    };

    report("one by one", &mut || {
        lines
            .iter()
            .for_each(|line| drop(black_box(Draft::from_bytes(line, now))))
    })?;

    for (name, content, bodies) in [
        ("NDJSON, 500 at once", BatchContent::Ndjson, &batches),
        ("array, 500 at once", BatchContent::Array, &arrays),
    ] {
        report(name, &mut || {
            bodies
                .iter()
                .for_each(|body| drop(black_box(parse_batch(body, content, now, 500))))
        })?;
    }

    report("stored bytes read back", &mut || {
        stored
            .iter()
            .for_each(|bytes| drop(black_box(Entry::from_canonical(bytes))))
    })
}

//! Start after `kill -9` under load, and whether everything is there that was acknowledged.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};

use crate::bodies::Bodies;
use crate::generate::Generator;
use crate::machine;
use crate::results::{Results, System};
use crate::service::{Service, TOKEN};
use crate::wire::{self, Connection};

/// Time that the load runs before the kill.
const LOADED: Duration = Duration::from_secs(4);
/// Connections that append, every second one a batch at a time and the others one entry at a time.
const CONNECTIONS: u64 = 8;
const BATCH: usize = 500;

/// A request that was acknowledged, and how.
struct Acknowledged {
    request: Vec<u8>,
    receipts: Vec<u8>,
}

/// Kills the service under load, starts it, asks for every receipt again; once more with an empty
/// page cache.
pub(crate) fn run(
    programs: &Path,
    data: &Path,
    generator: &Generator,
    bodies: &Bodies,
    results: &mut Results,
) -> Result<Service> {
    let mut service = Service::start(programs, data, &[])?;
    for (round, key, what) in [
        (0, "restart.ready", "start after `kill -9` under load"),
        (1, "restart.cold", "the same, nothing in the page cache"),
    ] {
        let entries = service.size()?;
        let acknowledged =
            load_and_kill(service, generator, bodies.end_ms, 100 + round * CONNECTIONS)?;
        let cold = round == 1 && machine::drop_caches();
        if round == 1 && !cold {
            results.note(
                "the page cache could not be emptied (not root): no cold start was measured".into(),
            );
            return Service::start(programs, data, &[]);
        }
        service = Service::start(programs, data, &[])?;
        let how = format!(
            "from starting the process until /readyz answers 200, {entries} entries and those of four seconds of load"
        );
        results.add(
            System::Reeve,
            key,
            what,
            service.started_in.as_secs_f64(),
            "s",
            &how,
        );
        if cold {
            super::ask::cold(&service, generator, bodies, results)?;
        }
        let (requests, receipts) = ask_again(&service, &acknowledged)?;
        results.note(format!(
            "kill -9: all {receipts} receipts of the {requests} requests acknowledged before it were given again, byte for byte"
        ));
    }

    Ok(service)
}

fn load_and_kill(
    service: Service,
    generator: &Generator,
    end_ms: i64,
    part: u64,
) -> Result<Vec<Acknowledged>> {
    let killed = AtomicBool::new(false);
    let address = service.address;
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..CONNECTIONS)
            .map(|number| {
                let killed = &killed;
                scope.spawn(move || {
                    let batch = if number % 2 == 0 { BATCH } else { 1 };
                    let mut generator = generator.further(part + number, end_ms);
                    let mut acknowledged = Vec::new();
                    let Ok(mut connection) = Connection::open(address) else {
                        return acknowledged;
                    };
                    while !killed.load(Ordering::Relaxed) {
                        let request = request(&mut generator, batch);
                        match connection.send(&request) {
                            Ok((head, body)) if head.status == 201 => {
                                acknowledged.push(Acknowledged {
                                    receipts: body.to_vec(),
                                    request,
                                });
                            }
                            Ok(_) => {}
                            // The kill: this request was never answered, and may or may not be
                            // there.
                            Err(_) => break,
                        }
                    }
                    acknowledged
                })
            })
            .collect();
        crate::process::pause(LOADED);
        let ended = service.kill();
        killed.store(true, Ordering::Relaxed);
        let acknowledged = running
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_default())
            .collect();
        ended.map(|()| acknowledged)
    })
}

fn request(generator: &mut Generator, batch: usize) -> Vec<u8> {
    let mut body = Vec::with_capacity(batch * 800);
    for _ in 0..batch {
        generator.push(&mut body);
        body.push(b'\n');
    }

    wire::request(
        "POST",
        "/api/v1/audit-logs",
        TOKEN,
        "application/x-ndjson",
        &body,
    )
}

/// Sends what was acknowledged again: an entry that is there is answered with its first receipt.
fn ask_again(service: &Service, acknowledged: &[Acknowledged]) -> Result<(usize, usize)> {
    let mut connection = Connection::open(service.address)?;
    let mut receipts = 0;

    for one in acknowledged {
        let (head, body) = loop {
            let (head, body) = connection.send(&one.request)?;
            if head.status != 429 {
                break (head, body.to_vec());
            }
            crate::process::pause(Duration::from_millis(100));
        };
        if head.status != 201 || body != one.receipts {
            bail!(
                "an acknowledged request was answered otherwise after the kill: {} {}",
                head.status,
                String::from_utf8_lossy(&body[..body.len().min(400)])
            );
        }
        receipts += memchr::memmem::find_iter(&body, b"\"leaf_hash\":").count();
    }

    if receipts == 0 {
        bail!("nothing was acknowledged before the kill");
    }

    Ok((acknowledged.len(), receipts))
}

//! One entry a request, 64 connections, each waiting for its receipt before it sends the next; and
//! one connection alone.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::generate::Generator;
use crate::latency::Latencies;
use crate::process;
use crate::results::{Results, System};
use crate::service::{Service, TOKEN};
use crate::wire;

/// Number of connections that send at once.
pub(crate) const CONNECTIONS: usize = 64;
/// Time at the beginning that is not counted.
const WARM: Duration = Duration::from_secs(1);
const HOW: &str = "each entry is answered after fdatasync; load generator on the same cores";

/// State shared by the connections; all of them are on one thread.
struct Shared {
    generator: Generator,
    times: Latencies,
    busy: u64,
}

/// Appends one at a time for `seconds`; entries go on from `end_ms`.
pub(crate) fn run(
    service: &Service,
    generator: &Generator,
    end_ms: i64,
    seconds: u64,
    results: &mut Results,
) -> Result<()> {
    let (own, before) = (process::own_cpu()?, process::cpu(service.pid())?);
    let (times, busy) = load(
        service,
        CONNECTIONS,
        generator,
        1,
        end_ms,
        Duration::from_secs(seconds),
    )?;

    let (cpu, own) = (
        process::cpu(service.pid())?.since(before),
        process::own_cpu()?.since(own),
    );
    let all = times.count() as f64 * (seconds + 1) as f64 / seconds as f64;
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Reeve, key, what, value, unit, HOW)
    };

    add(
        "single.rate",
        "append one at a time, 64 connections",
        times.count() as f64 / seconds as f64,
        "entries/s",
    );

    add(
        "single.p50",
        "acknowledgement, p50",
        times.quantile(0.5),
        "ms",
    );

    add(
        "single.p99",
        "acknowledgement, p99",
        times.quantile(0.99),
        "ms",
    );

    add("single.max", "acknowledgement, longest", times.max(), "ms");
    add(
        "single.cpu",
        "processor time of the service an entry (with warming up)",
        cpu.total() * 1e6 / all,
        "us",
    );

    add(
        "single.cpu.client",
        "processor time of the load generator an entry",
        own.total() * 1e6 / all,
        "us",
    );

    let (alone, _) = load(service, 1, generator, 2, end_ms, Duration::from_secs(2))?;
    add(
        "single.alone.p50",
        "one connection alone, acknowledgement, p50",
        alone.quantile(0.5),
        "ms",
    );

    add(
        "single.alone.p99",
        "one connection alone, acknowledgement, p99",
        alone.quantile(0.99),
        "ms",
    );

    if busy > 0 {
        results.note(format!(
            "one at a time: {busy} requests were answered 429 and sent again"
        ));
    }

    Ok(())
}

fn load(
    service: &Service,
    connections: usize,
    generator: &Generator,
    part: u64,
    end_ms: i64,
    lasts: Duration,
) -> Result<(Latencies, u64)> {
    let shared = Shared {
        generator: generator.further(part, end_ms),
        times: Latencies::default(),
        busy: 0,
    };
    let shared = Rc::new(RefCell::new(shared));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let begun = Instant::now();
        let connection = |_| {
            tokio::task::spawn_local(connection(
                service.address,
                Rc::clone(&shared),
                begun,
                lasts,
            ))
        };
        let running: Vec<_> = (0..connections).map(connection).collect();
        for one in running {
            one.await.context("a connection's task panicked")??;
        }
        anyhow::Ok(())
    })?;

    let mut shared = shared.borrow_mut();
    Ok((std::mem::take(&mut shared.times), shared.busy))
}

async fn connection(
    address: std::net::SocketAddr,
    shared: Rc<RefCell<Shared>>,
    begun: Instant,
    lasts: Duration,
) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut entry, mut answer) = (Vec::with_capacity(2_048), vec![0; 8 << 10]);

    while begun.elapsed() < WARM + lasts {
        entry.clear();
        shared.borrow_mut().generator.push(&mut entry);
        let request = wire::request(
            "POST",
            "/api/v1/audit-logs",
            TOKEN,
            "application/json",
            &entry,
        );
        let sent = Instant::now();
        loop {
            stream.write_all(&request).await?;
            let (head, body) = receive(&mut stream, &mut answer).await?;
            match head.status {
                201 if wire::number_after(body, "\"sequence\":").is_some() => break,
                429 => {
                    shared.borrow_mut().busy += 1;
                    tokio::time::sleep(Duration::from_secs(head.retry_after.unwrap_or(1))).await;
                }
                status => bail!("answered {status}: {}", String::from_utf8_lossy(body)),
            }
        }
        if begun.elapsed() > WARM {
            shared.borrow_mut().times.push(sent.elapsed());
        }
    }

    Ok(())
}

/// One answer from a connection.
pub(crate) async fn receive<'a>(
    stream: &mut TcpStream,
    buffer: &'a mut Vec<u8>,
) -> Result<(wire::Head, &'a [u8])> {
    let mut filled = 0;
    loop {
        if let Some(head) = wire::head(&buffer[..filled])?
            && filled >= head.length + head.body
        {
            return Ok((head, &buffer[head.length..head.length + head.body]));
        }
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        match stream.read(&mut buffer[filled..]).await? {
            0 => bail!("the service closed the connection"),
            read => filled += read,
        }
    }
}

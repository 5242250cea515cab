//! An AWS account with very many volumes in one region, over HTTP on loopback: EC2 lists them by
//! pages, STS says who calls, and everything else is denied, as to a role with two permissions.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;

/// Region of the volumes.
pub(crate) const REGION: &str = "us-east-1";
/// Volumes of a page at most, as with EC2.
const PAGE: u64 = 500;

/// The account; it serves until the program ends.
pub(crate) struct Account {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    volumes: u64,
    /// Volumes from the beginning that were changed since the start.
    changed: AtomicU64,
    pages: AtomicU64,
}

impl Account {
    /// Serves an account with so many volumes.
    pub(crate) fn serve(volumes: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            volumes,
            changed: AtomicU64::new(0),
            pages: AtomicU64::new(0),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                // The service may close a connection at any time.
                std::thread::spawn(move || drop(answer_all(stream, &shared)));
            }
        });

        Ok(Account { address, shared })
    }

    /// Changes a tag of the first volumes.
    pub(crate) fn change(&self, volumes: u64) {
        self.shared.changed.store(volumes, Ordering::Relaxed);
    }

    /// Pages of volumes that were listed so far.
    pub(crate) fn pages(&self) -> u64 {
        self.shared.pages.load(Ordering::Relaxed)
    }
}

/// Answers the requests of one connection until it is closed.
fn answer_all(stream: TcpStream, shared: &Shared) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);

    while let Some(body) = request(&mut reader)? {
        let (status, answer) = answer(&body, shared);
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        writer.write_all(head.as_bytes())?;
        writer.write_all(answer.as_bytes())?;
    }

    Ok(())
}

/// Reads the body of the next request; `None` at the end of the connection.
fn request(reader: &mut BufReader<TcpStream>) -> Result<Option<String>> {
    let mut length = 0;
    let mut is_first = true;

    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() && !is_first {
            break;
        }
        is_first = false;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }

    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(String::from_utf8_lossy(&body).into_owned()))
}

fn answer(body: &str, shared: &Shared) -> (&'static str, String) {
    let value = |name: &str| {
        body.split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };
    match value("Action") {
        Some("DescribeVolumes") => {
            shared.pages.fetch_add(1, Ordering::Relaxed);
            let first = value("NextToken").and_then(|token| token.parse().ok()).unwrap_or(0);
            ("200 OK", volumes(first, shared))
        }
        Some("GetCallerIdentity") => (
            "200 OK",
            "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/reeve</Arn>\
             <UserId>AIDAEXAMPLE</UserId><Account>123456789012</Account></GetCallerIdentityResult>\
             </GetCallerIdentityResponse>"
                .to_owned(),
        ),
        _ => ("403 Forbidden", denied()),
    }
}

fn denied() -> String {
    "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>not authorized</Message></Error></Errors>\
     <RequestID>0</RequestID></Response>"
        .to_owned()
}

/// A page of volumes, with the tags and members that a real one has.
fn volumes(first: u64, shared: &Shared) -> String {
    let end = (first + PAGE).min(shared.volumes);
    let changed = shared.changed.load(Ordering::Relaxed);
    let mut page = String::from("<DescribeVolumesResponse><requestId>0</requestId><volumeSet>");

    for number in first..end {
        let revision = u64::from(number < changed);
        page.push_str(&format!(
            "<item><volumeId>vol-{number:017x}</volumeId><size>{}</size><snapshotId/><availabilityZone>{REGION}a</availabilityZone>\
             <status>in-use</status><createTime>2026-01-02T03:04:05.000Z</createTime><attachmentSet><item>\
             <volumeId>vol-{number:017x}</volumeId><instanceId>i-{:017x}</instanceId><device>/dev/sdf</device>\
             <status>attached</status><attachTime>2026-01-02T03:04:06.000Z</attachTime>\
             <deleteOnTermination>false</deleteOnTermination></item></attachmentSet><tagSet><item><key>Name</key>\
             <value>data-{number}</value></item><item><key>team</key><value>team-{}</value></item><item>\
             <key>revision</key><value>{revision}</value></item></tagSet><volumeType>gp3</volumeType><iops>3000</iops>\
             <throughput>125</throughput><encrypted>true</encrypted><multiAttachEnabled>false</multiAttachEnabled></item>",
            8 + number % 500,
            number / 3,
            number % 40,
        ));
    }

    page.push_str("</volumeSet>");
    if end < shared.volumes {
        page.push_str(&format!("<nextToken>{end}</nextToken>"));
    }

    page.push_str("</DescribeVolumesResponse>");
    page
}

//! A real Apache Kafka: one broker in KRaft mode, on free ports of this machine, in its own folder.
//!
//! It takes clients without authentication, with SASL (PLAIN and SCRAM) and over TLS. Topics are
//! made and read with Kafka's own programs. It needs `java` and the libraries in
//! `$REEVE_TEST_KAFKA`, else in `.build/peers/kafka`, where `tools/setup test` puts them.

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;

/// Time limit of the start.
const PATIENCE: Duration = Duration::from_secs(90);
/// User and password of SCRAM.
pub const SCRAM_USER: (&str, &str) = ("ann", "a=pass word");
/// User and password of PLAIN, as Azure Event Hubs has them.
pub const PLAIN_USER: (&str, &str) = (
    "$ConnectionString",
    "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0",
);
/// Largest batch that a topic takes, bytes.
pub const LARGEST_BATCH: usize = 200_000;

/// A running broker, killed when it is dropped.
#[derive(Debug)]
pub struct Kafka {
    child: Option<Child>,
    home: TempDir,
    ports: KafkaPorts,
}

/// Ports of the listeners.
#[derive(Debug, Clone, Copy)]
pub struct KafkaPorts {
    /// Clients without authentication.
    pub open: u16,
    /// Clients with SASL, in the clear.
    pub sasl: u16,
    /// Clients over TLS, without authentication.
    pub tls: u16,
    controller: u16,
}

/// A record as a consumer reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KafkaRecord {
    pub partition: u32,
    pub key: String,
    pub value: String,
    /// Headers as `name:value`, separated by commas.
    pub headers: String,
}

impl Kafka {
    /// Starts a broker. `pem` is its certificate with its private key, for the listener of TLS.
    ///
    /// # Errors
    /// Java or the libraries are missing, or it does not listen within 90 seconds.
    pub fn start(pem: Option<(&str, &str)>) -> Result<Kafka> {
        let listeners: Vec<TcpListener> = (0..4)
            .map(|_| TcpListener::bind(("127.0.0.1", 0)))
            .collect::<Result<_, _>>()?;
        let ports: Vec<u16> = listeners
            .iter()
            .map(|listener| Ok(listener.local_addr()?.port()))
            .collect::<Result<_>>()?;
        let [open, sasl, tls, controller] = ports[..] else {
            bail!("four ports are needed")
        };
        drop(listeners);
        let ports = KafkaPorts {
            open,
            sasl,
            tls,
            controller,
        };

        let home = tempfile::tempdir()?;
        let settings = home.path().join("server.properties");
        std::fs::write(&settings, properties(home.path(), ports, pem))?;
        let (user, password) = SCRAM_USER;
        let mut format = java("kafka.tools.StorageTool")?;
        format
            .args(["format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c"])
            .arg(&settings);
        for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
            format.arg("--add-scram");
            format.arg(format!(
                "{mechanism}=[name=\"{user}\",password=\"{password}\"]"
            ));
        }
        run(&mut format)?;

        let mut kafka = Kafka {
            child: None,
            home,
            ports,
        };
        kafka.resume()?;
        Ok(kafka)
    }

    /// Returns the ports on 127.0.0.1.
    #[must_use]
    pub fn ports(&self) -> KafkaPorts {
        self.ports
    }

    /// Kills the broker; its data stays.
    ///
    /// # Errors
    /// It cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Starts the broker over its data and its ports.
    ///
    /// # Errors
    /// It does not listen within 90 seconds.
    pub fn resume(&mut self) -> Result<()> {
        let said = File::create(self.home.path().join("said"))?;
        let child = java("kafka.Kafka")?
            .arg(self.home.path().join("server.properties"))
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said)
            .spawn()
            .context("cannot start java")?;
        let child = self.child.insert(child);

        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if TcpStream::connect(("127.0.0.1", self.ports.open)).is_ok() {
                return Ok(());
            }
            if let Some(status) = child.try_wait()? {
                bail!("kafka ended with {status}: {}", said_by(self.home.path()));
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        bail!("kafka does not listen: {}", said_by(self.home.path()))
    }

    /// Makes a topic.
    ///
    /// # Errors
    /// The broker refuses it.
    pub fn create_topic(&self, name: &str, partitions: u32) -> Result<()> {
        let mut command = self.tool("org.apache.kafka.tools.TopicCommand")?;
        command.args(["--create", "--topic", name, "--partitions"]);
        command.arg(partitions.to_string());
        run(&mut command).map(drop)
    }

    /// Reads the first `count` records of a topic, each partition in its order.
    ///
    /// # Errors
    /// Fewer arrive within half a minute.
    pub fn records(&self, topic: &str, count: usize) -> Result<Vec<KafkaRecord>> {
        let mut command = self.tool("org.apache.kafka.tools.consumer.ConsoleConsumer")?;
        command.args(["--topic", topic, "--from-beginning"]);
        command.args(["--timeout-ms", "30000", "--max-messages"]);
        command.arg(count.to_string());
        for property in ["partition", "headers", "key"] {
            command.arg("--property");
            command.arg(format!("print.{property}=true"));
        }
        let text = run(&mut command)?;
        let records: Vec<KafkaRecord> = text
            .lines()
            .map(|line| record(line).with_context(|| format!("not a record: {line}")))
            .collect::<Result<_>>()?;
        ensure!(
            records.len() == count,
            "{} records of {count}",
            records.len()
        );
        Ok(records)
    }

    fn tool(&self, class: &str) -> Result<Command> {
        let mut command = java(class)?;
        command.arg("--bootstrap-server");
        command.arg(format!("127.0.0.1:{}", self.ports.open));
        Ok(command)
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        // It fails only when the process is gone already.
        self.kill().ok();
    }
}

/// Reads `Partition:0<TAB>name:value,name:value<TAB>key<TAB>value`.
fn record(line: &str) -> Option<KafkaRecord> {
    let mut cells = line.splitn(4, '\t');
    let partition = cells.next()?.strip_prefix("Partition:")?.parse().ok()?;
    let headers = cells.next()?.to_owned();
    let (key, value) = (cells.next()?.to_owned(), cells.next()?.to_owned());
    Some(KafkaRecord {
        partition,
        key,
        value,
        headers,
    })
}

fn libraries() -> Result<PathBuf> {
    let folder = std::env::var_os("REEVE_TEST_KAFKA")
        .filter(|folder| !folder.is_empty())
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.build/peers/kafka"),
            PathBuf::from,
        );
    ensure!(
        folder.is_dir(),
        "{} is missing; tools/setup test installs it",
        folder.display()
    );
    Ok(folder)
}

fn java(class: &str) -> Result<Command> {
    let mut command = Command::new("java");
    command
        .args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        .arg("-cp")
        .arg(libraries()?.join("*"))
        .arg(class);
    Ok(command)
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.context("cannot start java; tools/setup test installs it")?;
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    ensure!(output.status.success(), "{command:?}: {stdout}{stderr}");
    Ok(stdout.into_owned())
}

fn said_by(home: &Path) -> String {
    std::fs::read_to_string(home.join("said")).unwrap_or_default()
}

fn properties(home: &Path, ports: KafkaPorts, pem: Option<(&str, &str)>) -> String {
    let KafkaPorts {
        open,
        sasl,
        tls,
        controller,
    } = ports;
    let (user, password) = PLAIN_USER;
    let mut listeners = format!("OPEN://127.0.0.1:{open},SASL://127.0.0.1:{sasl}");
    if pem.is_some() {
        listeners += &format!(",TLS://127.0.0.1:{tls}");
    }
    let one_line = |pem: &str| pem.trim().replace('\n', "\\n");
    let keys = pem.map_or_else(String::new, |(certificate, key)| {
        format!(
            "listener.name.tls.ssl.keystore.type=PEM\nlistener.name.tls.ssl.keystore.certificate.chain={}\nlistener.name.tls.ssl.keystore.key={}\n",
            one_line(certificate),
            one_line(key)
        )
    });
    format!(
        "process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners={listeners},CONTROLLER://127.0.0.1:{controller}
advertised.listeners={listeners}
controller.listener.names=CONTROLLER
inter.broker.listener.name=OPEN
listener.security.protocol.map=OPEN:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \"user_{user}\"=\"{password}\";
listener.name.sasl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
{keys}log.dirs={data}
message.max.bytes={LARGEST_BATCH}
auto.create.topics.enable=true
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
num.network.threads=1
num.io.threads=2
",
        data = home.join("data").display()
    )
}

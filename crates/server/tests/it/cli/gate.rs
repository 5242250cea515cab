//! A gate between a command and the service: it can break what goes through, and stop it after so
//! many bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(super) struct Gate {
    pub(super) url: String,
    /// Connections made so far.
    pub(super) connections: Arc<AtomicU64>,
    broken: watch::Sender<u64>,
    open_for: watch::Sender<u64>,
}

impl Gate {
    /// A gate before a service, which lets `bytes` of answers through.
    pub(super) async fn before(url: &str, bytes: u64) -> Gate {
        let to = url.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (broken, _) = watch::channel(0);
        let (open_for, _) = watch::channel(bytes);
        let connections = Arc::new(AtomicU64::new(0));
        let gate = Gate {
            url,
            connections,
            broken,
            open_for,
        };

        let (breaks, opens, connections) = (
            gate.broken.clone(),
            gate.open_for.clone(),
            gate.connections.clone(),
        );

        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(pass(client, to.clone(), breaks.subscribe(), opens.clone()));
            }
        });

        gate
    }

    /// Breaks every connection there is.
    pub(super) fn cut(&self) {
        self.broken.send_modify(|times| *times += 1);
    }

    /// Lets everything through from now on.
    pub(super) fn open(&self) {
        self.open_for.send_replace(u64::MAX);
    }

    /// Waits until it has stopped answers.
    pub(super) async fn is_shut(&self) {
        self.open_for
            .subscribe()
            .wait_for(|left| *left == 0)
            .await
            .unwrap();
    }
}

async fn pass(
    client: TcpStream,
    to: String,
    mut breaks: watch::Receiver<u64>,
    opens: watch::Sender<u64>,
) {
    let Ok(server) = TcpStream::connect(to).await else {
        return;
    };

    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    breaks.borrow_and_update();
    let answers = async {
        let mut part = vec![0; 16 << 10];
        while let Ok(read @ 1..) = from_server.read(&mut part).await {
            let mut left = opens.subscribe();
            if left.wait_for(|left| *left > 0).await.is_err() {
                return;
            }
            opens.send_modify(|left| {
                *left = left.saturating_sub(if *left == u64::MAX { 0 } else { read as u64 })
            });
            if to_client.write_all(&part[..read]).await.is_err() {
                return;
            }
        }
    };

    tokio::select! {
        () = answers => {}
        _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
        _ = breaks.changed() => {}
    }
}

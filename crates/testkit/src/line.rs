//! A line between a client and a peer that can be cut: TCP connections are passed on until a number
//! of bytes has gone to the peer.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A line to a port of this machine.
#[derive(Debug, Clone)]
pub struct Line {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    target: u16,
    /// Bytes to the peer that still pass; `None` for any number.
    left: Option<u64>,
    /// Set when the line stays cut after that.
    for_good: bool,
    cuts: usize,
}

impl Line {
    /// Opens a line that leads nowhere yet.
    ///
    /// # Errors
    /// No port is free.
    pub async fn open() -> Result<Line> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let line = Line {
            port: listener.local_addr()?.port(),
            state: Arc::default(),
        };
        let serving = line.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let line = serving.clone();
                // Either side may end a connection as it likes.
                tokio::spawn(async move { line.carry(client).await.ok() });
            }
        });

        Ok(line)
    }

    /// Port on 127.0.0.1 that clients connect to.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Leads to a port of 127.0.0.1 from now on.
    pub fn lead_to(&self, port: u16) {
        self.state(|state| state.target = port);
    }

    /// Cuts the connection that carries so many further bytes to the peer, once.
    pub fn cut_after(&self, bytes: u64) {
        self.state(|state| (state.left, state.for_good) = (Some(bytes), false));
    }

    /// Carries so many further bytes to the peer, and nothing after that until [`Line::mend`].
    pub fn cut_for_good_after(&self, bytes: u64) {
        self.state(|state| (state.left, state.for_good) = (Some(bytes), true));
    }

    /// Carries every connection again, without a limit.
    pub fn mend(&self) {
        self.state(|state| state.left = None);
    }

    /// Returns how many connections were cut.
    #[must_use]
    pub fn cuts(&self) -> usize {
        self.state(|state| state.cuts)
    }

    fn state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns `true` if so many bytes may still pass.
    fn passes(&self, bytes: usize) -> bool {
        self.state(|state| {
            let Some(left) = state.left else { return true };
            match left.checked_sub(bytes as u64) {
                Some(rest) if rest > 0 => {
                    state.left = Some(rest);
                    true
                }
                _ => {
                    state.left = state.for_good.then_some(0);
                    state.cuts += 1;
                    false
                }
            }
        })
    }

    async fn carry(&self, client: TcpStream) -> std::io::Result<()> {
        let target = SocketAddr::from((Ipv4Addr::LOCALHOST, self.state(|state| state.target)));
        let peer = TcpStream::connect(target).await?;
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_peer, mut to_peer) = peer.into_split();
        let upward = async {
            let mut chunk = vec![0; 64 << 10];
            loop {
                let read = from_client.read(&mut chunk).await?;
                if read == 0 {
                    return to_peer.shutdown().await.map(|()| true);
                }
                if !self.passes(read) {
                    return Ok(false);
                }
                to_peer.write_all(&chunk[..read]).await?;
            }
        };

        let downward = tokio::io::copy(&mut from_peer, &mut to_client);
        let (mut upward, mut downward) = (std::pin::pin!(upward), std::pin::pin!(downward));
        tokio::select! {
            // Both ends are dropped with the connection that is cut; one that was closed by the
            // client is answered to its end.
            whole = &mut upward => if whole? { downward.await?; },
            ended = &mut downward => { ended?; },
        }

        Ok(())
    }
}

//! A checkpoint with the cosignatures of witnesses, and how it is served.

use reeve_tlog::SignedNote;

/// The newest checkpoint that witnesses have cosigned.
#[derive(Debug, Clone)]
pub(crate) struct CosignedHead {
    pub(crate) size: u64,
    pub(crate) note: SignedNote,
}

impl CosignedHead {
    /// The checkpoint to serve: `note` with the cosignatures below it if they are over the same
    /// text.
    pub(crate) fn joined(&self, note: &str) -> Option<String> {
        let mut served = SignedNote::parse(note.as_bytes())
            .ok()
            .filter(|served| served.text() == self.note.text())?;
        for signature in self.note.signatures() {
            if !served.signatures().contains(signature)
                && signature.name() != served.signatures()[0].name()
            {
                served.attach(signature.clone()).ok()?;
            }
        }

        Some(served.to_string())
    }
}

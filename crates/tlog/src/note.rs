//! C2SP signed notes (<https://c2sp.org/signed-note>): a text and the signatures under it.
//!
//! Reading is strict, so that reading and writing are exact inverses: UTF-8 without control
//! characters but newline, a blank line before the signatures, every line ended, canonical base64.
//! A note whose signatures have not been verified says nothing: call [`SignedNote::verify`].

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use crate::key::{KeyId, NoteSigner, NoteVerifier, is_key_name};

/// Longest note that is read, in bytes.
pub const MAX_NOTE_BYTES: usize = 1 << 20;

/// Most signatures a note may carry. The specification asks for at least 16.
pub const MAX_SIGNATURES: usize = 100;

/// Prefix of a signature line: em dash, space.
const SIGNATURE_PREFIX: &str = "\u{2014} ";

/// A text and its signatures, well formed but not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// Signature line of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    name: String,
    id: KeyId,
    signature: Vec<u8>,
}

impl NoteSignature {
    /// A signature by its parts. It is not verified here.
    pub fn new(name: String, id: KeyId, signature: Vec<u8>) -> NoteSignature {
        NoteSignature {
            name,
            id,
            signature,
        }
    }

    /// Reads a signature line, without its newline.
    pub fn parse(line: &str) -> Option<NoteSignature> {
        parse_signature(line)
    }

    /// The name of the key that claims to have signed.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id of the key that claims to have signed.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The signature behind the key id; 64 bytes where the key is Ed25519.
    pub fn bytes(&self) -> &[u8] {
        &self.signature
    }
}

/// Reason why bytes are not a signed note.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoteError {
    /// The note is longer than [`MAX_NOTE_BYTES`].
    #[error("the note is longer than 1 MiB")]
    TooLong,
    /// Text that is not UTF-8, or has a control character other than newline.
    #[error("the note is not UTF-8 free of control characters")]
    Characters,
    /// The text does not end in a newline.
    #[error("the text of the note does not end in a newline")]
    Text,
    /// Missing blank line between text and signatures.
    #[error("no blank line parts the text of the note from its signatures")]
    NoSignatures,
    /// The last line is not ended by a newline.
    #[error("the note does not end in a newline")]
    Unended,
    /// Line other than `— <name> <base64>`, counted from 1 below the blank line.
    #[error("line {0} below the text is not a signature line")]
    SignatureLine(usize),
    /// The note has more than [`MAX_SIGNATURES`] signatures.
    #[error("the note has more than 100 signatures")]
    TooManySignatures,
}

/// Reason why a note's signatures do not authenticate it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoteVerifyError {
    /// None of the signatures is by a key we know.
    #[error("the note is not signed by a known key")]
    NoKnownKey,
    /// A signature claims to be by a key we know and is not.
    #[error("the signature of {name}+{id} does not match the note")]
    BadSignature {
        /// Name of the key.
        name: String,
        /// Id of the key.
        id: KeyId,
    },
}

impl SignedNote {
    /// Signs `text`, which must end in a newline, with each signer in turn.
    pub fn sign(text: String, signers: &[&NoteSigner]) -> Result<SignedNote, NoteError> {
        if text.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLong);
        }
        if !characters_allowed(&text) {
            return Err(NoteError::Characters);
        }
        if !text.ends_with('\n') {
            return Err(NoteError::Text);
        }
        if signers.is_empty() {
            return Err(NoteError::NoSignatures);
        }

        let mut note = SignedNote {
            text,
            signatures: Vec::with_capacity(signers.len()),
        };
        for signer in signers {
            note.add_signature(signer)?;
        }

        Ok(note)
    }

    /// Adds one more signature, below those already there.
    pub fn add_signature(&mut self, signer: &NoteSigner) -> Result<(), NoteError> {
        if self.signatures.len() == MAX_SIGNATURES {
            return Err(NoteError::TooManySignatures);
        }

        self.signatures.push(NoteSignature {
            name: signer.name().to_owned(),
            id: signer.id(),
            signature: signer.sign(self.text.as_bytes()).to_vec(),
        });
        Ok(())
    }

    /// Adds a signature that another made over the same text. It is not verified here.
    pub fn attach(&mut self, signature: NoteSignature) -> Result<(), NoteError> {
        if self.signatures.len() == MAX_SIGNATURES {
            return Err(NoteError::TooManySignatures);
        }
        self.signatures.push(signature);
        Ok(())
    }

    /// Reads a note. Its text must not be trusted before [`SignedNote::verify`].
    pub fn parse(bytes: &[u8]) -> Result<SignedNote, NoteError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLong);
        }

        let note = std::str::from_utf8(bytes).map_err(|_| NoteError::Characters)?;
        if !characters_allowed(note) {
            return Err(NoteError::Characters);
        }
        if !note.ends_with('\n') {
            return Err(NoteError::Unended);
        }

        let split = note.rfind("\n\n").ok_or(NoteError::NoSignatures)?;
        let lines = &note[split + 2..];
        if lines.is_empty() {
            return Err(NoteError::NoSignatures);
        }

        let mut signatures = Vec::new();
        for (number, line) in (1..).zip(lines.split_terminator('\n')) {
            if number > MAX_SIGNATURES {
                return Err(NoteError::TooManySignatures);
            }
            signatures.push(parse_signature(line).ok_or(NoteError::SignatureLine(number))?);
        }

        Ok(SignedNote {
            text: note[..=split].to_owned(),
            signatures,
        })
    }

    /// The signed text, with its final newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signatures, in order.
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Checks the signatures against known keys and returns the keys that signed, each once, in the
    /// order of the signatures. Signatures by unknown keys are passed over; a wrong one by a known
    /// key fails the whole note.
    pub fn verify<'k>(
        &self,
        known: &'k [NoteVerifier],
    ) -> Result<Vec<&'k NoteVerifier>, NoteVerifyError> {
        let mut verified: Vec<&NoteVerifier> = Vec::new();
        for signature in &self.signatures {
            let is_claimed =
                |key: &&NoteVerifier| key.name() == signature.name && key.id() == signature.id;
            let mut claimed = known.iter().filter(is_claimed).peekable();
            if claimed.peek().is_none() {
                continue;
            }
            let signed =
                |key: &&NoteVerifier| key.verify(self.text.as_bytes(), &signature.signature);
            let key = claimed
                .find(signed)
                .ok_or_else(|| NoteVerifyError::BadSignature {
                    name: signature.name.clone(),
                    id: signature.id,
                })?;
            if !verified.contains(&key) {
                verified.push(key);
            }
        }

        if verified.is_empty() {
            return Err(NoteVerifyError::NoKnownKey);
        }

        Ok(verified)
    }
}

/// The note exactly as it is stored and served.
impl fmt::Display for SignedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        f.write_char('\n')?;
        self.signatures
            .iter()
            .try_for_each(|signature| signature.fmt(f))
    }
}

/// The signature line, with its newline.
impl fmt::Display for NoteSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(4 + self.signature.len());
        bytes.extend_from_slice(&self.id.0);
        bytes.extend_from_slice(&self.signature);
        let (name, base64) = (&self.name, STANDARD.encode(bytes));
        writeln!(f, "{SIGNATURE_PREFIX}{name} {base64}")
    }
}

fn characters_allowed(text: &str) -> bool {
    text.bytes().all(|b| b >= b' ' || b == b'\n')
}

fn parse_signature(line: &str) -> Option<NoteSignature> {
    let (name, base64) = line.strip_prefix(SIGNATURE_PREFIX)?.split_once(' ')?;
    if !is_key_name(name) {
        return None;
    }

    let bytes = STANDARD.decode(base64).ok()?;
    let (id, signature) = bytes.split_first_chunk::<4>()?;
    if signature.is_empty() {
        return None;
    }

    Some(NoteSignature {
        name: name.to_owned(),
        id: KeyId(*id),
        signature: signature.to_vec(),
    })
}

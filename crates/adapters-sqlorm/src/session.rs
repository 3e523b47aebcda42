//! The key under which a session is stored: its SHA-256, so that ids of any length fit one index.

use domain::call::SessionId;
use sha2::{Digest, Sha256};

/// The class of the locks of sessions on PostgreSQL: the letters `sess`.
pub(crate) const LOCKS: i32 = 0x7365_7373;

/// SHA-256 of a session id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey([u8; 32]);

impl SessionKey {
    pub(crate) fn of(session: &SessionId) -> Self {
        Self(Sha256::digest(session.0.as_bytes()).into())
    }

    /// The number of the lock under which a session's recalls and its call's end are written on PostgreSQL. Sessions
    /// share them: a transaction writes the recalls of thousands, and a server has room for a few thousand locks.
    pub(crate) fn lock(self) -> i32 {
        i32::from(self.0[0]) | i32::from(self.0[1] & 0b11) << 8
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.0.to_vec()
    }

    pub(crate) fn to_hex(self) -> String {
        hex(&self.0)
    }
}

/// The bytes as hexadecimal digits, as statements take them that read JSON.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
        hex.push(char::from(DIGITS[usize::from(byte & 0xf)]));
    }
    hex
}

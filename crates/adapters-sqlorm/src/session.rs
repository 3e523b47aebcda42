//! The key under which a session is stored: its SHA-256, so that ids of any length fit one index.

use domain::call::SessionId;
use sha2::{Digest, Sha256};

/// SHA-256 of a session id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey([u8; 32]);

impl SessionKey {
    pub(crate) fn of(session: &SessionId) -> Self {
        Self(Sha256::digest(session.0.as_bytes()).into())
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.0.to_vec()
    }

    pub(crate) fn to_hex(self) -> String {
        use std::fmt::Write;
        self.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing into a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

//! Transcripts as they are stored: a JSON array, compressed with zstd.

use domain::{call::Turn, error::PortError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{error::undecodable, words};

/// Compression beyond this level costs time and gains little on text of this size.
const LEVEL: i32 = 3;

/// A turn as it is written.
#[derive(Serialize)]
struct TurnOut<'t> {
    role: &'static str,
    text: &'t str,
    ts_ms: f64,
}

/// A turn as it is read. The time is read from its digits by the standard library, which is exact; the JSON parser may
/// be off in the last of them.
#[derive(Deserialize)]
struct TurnIn<'t> {
    role: &'t str,
    text: String,
    #[serde(borrow)]
    ts_ms: &'t RawValue,
}

/// The JSON text of `transcript`. The same turns always give the same text.
pub(crate) fn to_json(transcript: &[Turn]) -> Result<Vec<u8>, PortError> {
    let turns: Vec<_> = transcript
        .iter()
        .map(|turn| TurnOut {
            role: turn.role.as_str(),
            text: &turn.text,
            ts_ms: turn.ts_ms,
        })
        .collect();
    serde_json::to_vec(&turns).map_err(|error| PortError::Internal(Box::new(error)))
}

/// Compresses the JSON text of a transcript.
pub(crate) fn compress(json: &[u8]) -> Result<Vec<u8>, PortError> {
    zstd::bulk::compress(json, LEVEL).map_err(|error| PortError::Internal(Box::new(error)))
}

/// Reads what [`compress`] made of [`to_json`].
pub(crate) fn decode(stored: &[u8]) -> Result<Vec<Turn>, PortError> {
    turns(stored).ok_or_else(|| undecodable("transcript"))
}

fn turns(stored: &[u8]) -> Option<Vec<Turn>> {
    let json = zstd::stream::decode_all(stored).ok()?;
    let turns: Vec<TurnIn<'_>> = serde_json::from_slice(&json).ok()?;
    turns
        .into_iter()
        .map(|turn| {
            Some(Turn {
                role: words::role(turn.role),
                text: turn.text,
                ts_ms: turn.ts_ms.get().parse().ok()?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use domain::call::{Role, Turn};
    use proptest::prelude::*;

    use super::{compress, decode, to_json};

    fn turns() -> impl Strategy<Value = Vec<Turn>> {
        let turn = (
            any::<bool>(),
            any::<String>(),
            prop::num::f64::NORMAL | prop::num::f64::ZERO,
        )
            .prop_map(|(user, text, ts_ms)| Turn {
                role: if user { Role::User } else { Role::Agent },
                text,
                ts_ms,
            });
        prop::collection::vec(turn, 0..20)
    }

    proptest! {
        #[test]
        fn a_transcript_survives_storage(transcript in turns()) {
            let stored = compress(&to_json(&transcript).unwrap()).unwrap();
            prop_assert_eq!(decode(&stored).unwrap(), transcript);
        }

        #[test]
        fn other_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(decode(&bytes).is_err());
        }
    }
}

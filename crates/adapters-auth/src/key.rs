//! API keys: how they are made, what they look like, and what is kept of them.

use std::fmt;

use domain::access::KeyHash;
use rand::{TryRngCore, rngs::OsRng};
use sha2::{Digest, Sha256};

/// What every key begins with.
const PREFIX: &str = "sk_live_";

/// Fewest letters or digits after the prefix; an operator's own bootstrap key may be this short.
const SHORTEST_SECRET: usize = 24;

/// Most bytes of a whole key, so that nobody makes the service hash a long header.
const LONGEST_KEY: usize = 128;

/// Letters or digits of a generated key after the prefix: 62^43 is the least power of 62 above 2^256.
const GENERATED_SECRET: usize = 43;

/// Characters that listings show: the prefix and four more, which say nothing useful about the rest.
const SHOWN: usize = 12;

const BASE_62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An API key in the clear. It exists only while it is made or shown once to its owner; `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The text does not have the shape of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key is `sk_live_` and then 24 to 120 letters or digits")]
pub struct MalformedKey;

/// The operating system gave no randomness, so no key was made.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes for a new key")]
pub struct GenerateError(#[source] rand::rand_core::OsError);

impl ApiKey {
    /// Makes a key from 32 bytes of the operating system's randomness: `sk_live_` and 43 base-62 characters.
    ///
    /// # Errors
    /// [`GenerateError`] when the operating system gives no random bytes.
    pub fn generate() -> Result<Self, GenerateError> {
        let mut bytes = [0; 32];
        OsRng.try_fill_bytes(&mut bytes).map_err(GenerateError)?;
        Ok(Self(format!("{PREFIX}{}", base_62(bytes))))
    }

    /// Reads a key: the prefix `sk_live_`, then 24 to 120 ASCII letters or digits.
    ///
    /// # Errors
    /// [`MalformedKey`] for any other text. Nothing of the text is in the error.
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        if is_well_formed(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedKey)
        }
    }

    /// The whole key. For its owner's eyes, once.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// SHA-256 of the whole key, prefix included. A fast hash is enough because the keys are not chosen by people.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        hash(&self.0)
    }

    /// The first 12 characters, by which listings tell keys apart.
    #[must_use]
    pub fn shown(&self) -> &str {
        // Every key is ASCII and longer than this, so there is always such a part.
        self.0.get(..SHOWN).unwrap_or(PREFIX)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// The hash of a credential, without a copy of it; `None` when it does not have the shape of a key.
pub(crate) fn hash_credential(credential: &str) -> Option<KeyHash> {
    is_well_formed(credential).then(|| hash(credential))
}

fn is_well_formed(text: &str) -> bool {
    text.len() <= LONGEST_KEY
        && text.strip_prefix(PREFIX).is_some_and(|secret| {
            secret.len() >= SHORTEST_SECRET && secret.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

fn hash(text: &str) -> KeyHash {
    KeyHash(Sha256::digest(text.as_bytes()).into())
}

/// The bytes as one big-endian number in base 62, padded on the left to 43 digits. The whole number is converted, not
/// each byte, so no digit is likelier than another and no two inputs give the same text.
fn base_62(mut number: [u8; 32]) -> String {
    let mut digits = ['0'; GENERATED_SECRET];
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0_u16;
        for byte in &mut number {
            let value = remainder << 8 | u16::from(*byte);
            // The remainder is below 62, so the quotient is below 256 and nothing is cut off.
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            remainder = value % 62;
        }
        *digit = char::from(BASE_62[usize::from(remainder)]);
    }
    digits.iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// The inverse of `base_62`, written the schoolbook way; `None` on overflow of 32 bytes.
    fn from_base_62(text: &str) -> Option<[u8; 32]> {
        let mut number = [0_u8; 32];
        for digit in text.bytes() {
            let mut carry = u16::try_from(BASE_62.iter().position(|known| *known == digit)?).ok()?;
            for byte in number.iter_mut().rev() {
                let value = u16::from(*byte) * 62 + carry;
                *byte = value.to_be_bytes()[1];
                carry = value >> 8;
            }
            if carry != 0 {
                return None;
            }
        }
        Some(number)
    }

    #[test]
    fn base_62_of_known_numbers() {
        let mut number = [0; 32];
        assert_eq!(base_62(number), "0".repeat(43));
        number[31] = 61;
        assert_eq!(base_62(number), format!("{}z", "0".repeat(42)));
        number[31] = 62;
        assert_eq!(base_62(number), format!("{}10", "0".repeat(41)));
        // 2^256 - 1, computed elsewhere with arbitrary precision.
        assert_eq!(base_62([0xff; 32]), "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1");
    }

    #[test]
    fn generated_keys_have_the_shape_and_differ() {
        let keys: Vec<ApiKey> = (0..1000).map(|_| ApiKey::generate().unwrap()).collect();
        for key in &keys {
            assert_eq!(key.as_str().len(), 8 + 43);
            assert_eq!(ApiKey::parse(key.as_str()).as_ref(), Ok(key));
            assert_eq!(key.shown(), &key.as_str()[..12]);
        }
        let distinct: HashSet<&str> = keys.iter().map(ApiKey::as_str).collect();
        assert_eq!(distinct.len(), keys.len());
    }

    #[test]
    fn every_character_is_about_equally_likely() {
        // The first digit of a 256-bit number in 43 digits is not uniform (the range ends within it); the others are.
        let mut seen = [0_u32; 62];
        for _ in 0..2000 {
            let key = ApiKey::generate().unwrap();
            for digit in key.as_str()[9..].bytes() {
                seen[BASE_62.iter().position(|known| *known == digit).unwrap()] += 1;
            }
        }
        // 84,000 digits: 1,355 of each are expected, with a standard deviation of 37.
        assert!(seen.iter().all(|count| (1100..1610).contains(count)), "{seen:?}");
    }

    #[test]
    fn bootstrap_keys_of_any_accepted_length_parse() {
        for secret in [24, 25, 43, 119, 120] {
            let text = format!("sk_live_{}", "aZ9".repeat(40).get(..secret).unwrap());
            assert_eq!(ApiKey::parse(&text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        let secret = "a".repeat(43);
        for text in [
            String::new(),
            "sk_live_".to_owned(),
            secret.clone(),
            format!("sk_test_{secret}"),
            format!("SK_LIVE_{secret}"),
            format!(" sk_live_{secret}"),
            format!("sk_live_{secret} "),
            format!("sk_live_{secret}\n"),
            format!("sk_live_{secret}-"),
            format!("sk_live_{}", "a".repeat(23)),
            format!("sk_live_{}", "a".repeat(121)),
            format!("sk_live_{}", "é".repeat(30)),
            format!("sk_live_{}", "٣".repeat(30)),
            format!("sk_live_{}\0", "a".repeat(30)),
        ] {
            assert_eq!(ApiKey::parse(&text), Err(MalformedKey), "{text:?}");
            assert_eq!(hash_credential(&text), None, "{text:?}");
        }
    }

    #[test]
    fn the_hash_is_sha_256_of_the_whole_key() {
        let key = ApiKey::parse(&format!("sk_live_{}", "a".repeat(24))).unwrap();
        // As `sha256sum` prints it.
        let expected = [
            0x9e, 0x61, 0x5f, 0xde, 0xb6, 0xe2, 0xba, 0x13, 0x83, 0x20, 0x7d, 0xf7, 0xf4, 0x1b, 0x27, 0x1e, 0x8e, 0x48,
            0xc4, 0xc2, 0xd4, 0x7b, 0xf1, 0xeb, 0x80, 0xcf, 0x9c, 0xda, 0x03, 0x8f, 0x7d, 0x6c,
        ];
        assert_eq!(key.hash(), KeyHash(expected));
        assert_eq!(hash_credential(key.as_str()), Some(key.hash()));
    }

    #[test]
    fn debug_and_errors_hide_the_key() {
        let key = ApiKey::generate().unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
        assert!(!MalformedKey.to_string().contains(&key.as_str()[8..]));
    }

    proptest! {
        #[test]
        fn base_62_is_reversible_and_of_one_length(bytes: [u8; 32]) {
            let text = base_62(bytes);
            prop_assert_eq!(text.len(), 43);
            prop_assert_eq!(from_base_62(&text), Some(bytes));
        }

        #[test]
        fn base_62_keeps_the_order_of_numbers(a: [u8; 32], b: [u8; 32]) {
            prop_assert_eq!(a.cmp(&b), base_62(a).cmp(&base_62(b)));
        }

        #[test]
        fn parsing_never_panics_and_changes_nothing(text in "\\PC*|sk_live_\\PC*|sk_live_[0-9A-Za-z]{0,140}|(?s).*") {
            if let Ok(key) = ApiKey::parse(&text) {
                prop_assert_eq!(key.as_str(), &text);
                prop_assert!(text.starts_with("sk_live_") && (32..=128).contains(&text.len()));
                prop_assert_eq!(key.shown().len(), 12);
            }
        }
    }
}

//! Tells most words apart at a glance: it keeps long calls quick.

/// How many looks there are.
const LOOKS: usize = 512;

/// What a word looks like: a number below [`LOOKS`] from its first and last byte and its length.
#[derive(Clone, Copy)]
pub(crate) struct Look(u16);

impl Look {
    pub(crate) fn of(word: &str) -> Self {
        Self::of_first(word.as_bytes(), word.len())
    }

    /// The look of the word of `length` that `text` begins with.
    #[expect(clippy::cast_possible_truncation, reason = "the number is below 512")]
    pub(crate) const fn of_first(text: &[u8], length: usize) -> Self {
        if length == 0 {
            return Self(0);
        }
        let number = text[0] as usize * 23 + text[length - 1] as usize * 5 + length * 97;
        Self((number % LOOKS) as u16)
    }
}

/// The looks of some words. A word whose look is not among them is none of the words.
pub(crate) struct Looks([u64; LOOKS / 64]);

impl Looks {
    pub(crate) const NONE: Self = Self([0; LOOKS / 64]);

    pub(crate) const fn add(&mut self, look: Look) {
        self.0[look.0 as usize / 64] |= 1 << (look.0 % 64);
    }

    pub(crate) const fn have(&self, look: Look) -> bool {
        self.0[look.0 as usize / 64] & (1 << (look.0 % 64)) != 0
    }
}

//! Finds phrases among words.

/// Phrases of lower-case words with single blanks between. Most words begin none of them, and that is known without
/// comparing text: it keeps long calls quick.
pub(crate) struct Phrases {
    list: &'static [&'static str],
    /// A bit for each pair of first bytes that a phrase has.
    beginnings: [u64; 4],
}

/// The phrases of a list, put together at compile time.
macro_rules! phrases {
    ($($phrase:literal),* $(,)?) => {
        const { &$crate::text::phrases::Phrases::of(&[$($phrase),*]) }
    };
}
pub(crate) use phrases;

impl Phrases {
    /// Puts the phrases of `list` together.
    pub(crate) const fn of(list: &'static [&'static str]) -> Self {
        let mut beginnings = [0; 4];
        let mut at = 0;
        while at < list.len() {
            let bit = beginning(list[at].as_bytes());
            beginnings[bit / 64] |= 1 << (bit % 64);
            at += 1;
        }
        Self { list, beginnings }
    }

    /// The longest phrase that stands at `place`, of the words that `word` gives by their place, and the place behind
    /// it.
    pub(crate) fn at<'w>(
        &self,
        place: usize,
        word: impl Fn(usize) -> Option<&'w str>,
    ) -> Option<(&'static str, usize)> {
        let first = word(place).filter(|first| !first.is_empty())?;
        let bit = beginning(first.as_bytes());
        if self.beginnings[bit / 64] & (1 << (bit % 64)) == 0 {
            return None;
        }
        let head = first.as_bytes();
        self.list
            .iter()
            .filter_map(|phrase| {
                // Most phrases are told apart by one byte and the length of their first word.
                let text = phrase.as_bytes();
                if text[0] != head[0] || !matches!(text.get(head.len()), None | Some(b' ')) {
                    return None;
                }
                let (mut rest, mut at) = (phrase.strip_prefix(first)?, place + 1);
                while !rest.is_empty() {
                    rest = rest.strip_prefix(' ')?.strip_prefix(word(at)?)?;
                    at += 1;
                }
                Some((*phrase, at))
            })
            .max_by_key(|(_, behind)| *behind)
    }
}

/// A number below 256 for the first two bytes of a word; one letter has a blank behind it.
const fn beginning(text: &[u8]) -> usize {
    let (one, two) = match *text {
        [] => (0, 0),
        [one] => (one, b' '),
        [one, two, ..] => (one, two),
    };
    (one as usize * 23 + two as usize) % 256
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_longest_phrase_counts() {
        let words = ["well", "my", "name", "is", "my", "names", "i"];
        let word = |place: usize| words.get(place).copied();
        let phrases = phrases!["no", "my name", "my", "my name is", "my name's", "i"];
        assert_eq!(phrases.at(1, word), Some(("my name is", 4)));
        assert_eq!(phrases.at(4, word), Some(("my", 5)));
        assert_eq!(phrases.at(6, word), Some(("i", 7)));
        assert_eq!(phrases.at(0, word), None);
        assert_eq!(phrases.at(9, word), None);
        assert_eq!(phrases!["m", "mine"].at(1, word), None);
    }
}

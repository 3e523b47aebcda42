//! Finds phrases among words.

use super::look::{Look, Looks};

/// Phrases of lower-case words with single blanks between, in the order of their first bytes. Most words begin none of
/// them, and that is known without comparing text: it keeps long calls quick.
pub(crate) struct Phrases {
    list: &'static [&'static str],
    /// Those of the first words.
    looks: Looks,
    /// Where the phrases begin that have each letter first, those with another sign first before all.
    begins: [u8; 28],
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
        assert!(list.len() < 256, "places of phrases are bytes");
        let (mut looks, mut begins) = (Looks::NONE, [0; 28]);
        let mut at = 0;
        while at < list.len() {
            let phrase = list[at].as_bytes();
            looks.add(Look::of_first(phrase, length_of_first_word(phrase)));
            let group = group(phrase[0]);
            assert!(
                begins[group + 1] as usize == at,
                "phrases stand in the order of their first bytes"
            );
            let mut later = group + 1;
            while later < begins.len() {
                begins[later] += 1;
                later += 1;
            }
            at += 1;
        }
        Self { list, looks, begins }
    }

    /// Whether a phrase may begin with a word of this look.
    pub(crate) const fn may_begin_with(&self, look: Look) -> bool {
        self.looks.have(look)
    }

    /// The longest phrase that stands at `place`, of the words that `word` gives by their place, and the place behind
    /// it.
    pub(crate) fn at<'w>(
        &self,
        place: usize,
        word: impl Fn(usize) -> Option<&'w str>,
    ) -> Option<(&'static str, usize)> {
        let first = word(place)?;
        if !self.may_begin_with(Look::of(first)) || first.is_empty() {
            return None;
        }
        let head = first.as_bytes();
        let group = group(head[0]);
        self.list[usize::from(self.begins[group])..usize::from(self.begins[group + 1])]
            .iter()
            .filter_map(|phrase| {
                // Many phrases are told apart by the length of their first word.
                if !matches!(phrase.as_bytes().get(head.len()), None | Some(b' ')) {
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

const fn length_of_first_word(phrase: &[u8]) -> usize {
    let mut length = 0;
    while length < phrase.len() && phrase[length] != b' ' {
        length += 1;
    }
    length
}

/// The group of phrases with this first byte.
const fn group(first: u8) -> usize {
    if first.is_ascii_lowercase() {
        (first - b'a') as usize + 1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_longest_phrase_counts() {
        let words = ["well", "my", "name", "is", "my", "names", "i"];
        let word = |place: usize| words.get(place).copied();
        let phrases = phrases!["i", "my name", "my", "my name is", "my name's", "no"];
        assert_eq!(phrases.at(1, word), Some(("my name is", 4)));
        assert_eq!(phrases.at(4, word), Some(("my", 5)));
        assert_eq!(phrases.at(6, word), Some(("i", 7)));
        assert_eq!(phrases.at(0, word), None);
        assert_eq!(phrases.at(9, word), None);
        assert_eq!(phrases!["m", "mine"].at(1, word), None);
    }
}

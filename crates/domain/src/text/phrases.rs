//! Finds phrases among words.

/// The place behind the longest of `phrases` that stands at `place`, of the words that `word` gives by their place. The phrases
/// are lower-case words with single blanks between, sorted: that is what keeps long calls quick.
pub(crate) fn behind<'w>(phrases: &[&str], place: usize, word: impl Fn(usize) -> Option<&'w str>) -> Option<usize> {
    debug_assert!(phrases.is_sorted(), "phrases are sorted: {phrases:?}");
    let first = word(place).filter(|first| !first.is_empty())?;
    let from = phrases.partition_point(|phrase| *phrase < first);
    phrases[from..]
        .iter()
        .map_while(|phrase| phrase.strip_prefix(first))
        .filter_map(|rest| {
            let (mut rest, mut at) = (rest, place + 1);
            while !rest.is_empty() {
                rest = rest.strip_prefix(' ')?.strip_prefix(word(at)?)?;
                at += 1;
            }
            Some(at)
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_counts() {
        let words = ["well", "my", "name", "is", "my", "names"];
        let word = |place: usize| words.get(place).copied();
        let phrases = ["my", "my name", "my name is", "my name's", "no"];
        assert_eq!(behind(&phrases, 1, word), Some(4));
        assert_eq!(behind(&phrases, 4, word), Some(5));
        assert_eq!(behind(&phrases, 0, word), None);
        assert_eq!(behind(&phrases, 9, word), None);
        assert_eq!(behind(&["m", "mine"], 1, word), None);
    }
}

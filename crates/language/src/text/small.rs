//! The small words of English: those that carry no content of their own.

use super::look::{Look, Looks};

/// Whether the word carries no content of its own.
pub(crate) fn is_small(word: &str) -> bool {
    SMALL_LIST.has(word)
}

/// Whether a sentence may begin with the word without saying anything.
pub(crate) fn is_interjection(word: &str) -> bool {
    INTERJECTION_LIST.has(word)
}

/// A sorted list of words, with the place where each first byte begins.
pub(crate) struct WordList {
    words: &'static [&'static str],
    looks: Looks,
    begins: [usize; 257],
}

static SMALL_LIST: WordList = WordList::of(SMALL);
static INTERJECTION_LIST: WordList = WordList::of(INTERJECTIONS);

impl WordList {
    pub(crate) const fn of(words: &'static [&'static str]) -> Self {
        let mut begins = [0; 257];
        let (mut byte, mut at) = (0, 0);
        while byte < begins.len() {
            while at < words.len() && (words[at].as_bytes()[0] as usize) < byte {
                at += 1;
            }
            begins[byte] = at;
            byte += 1;
        }
        let (mut looks, mut at) = (Looks::NONE, 0);
        while at < words.len() {
            looks.add(Look::of_first(words[at].as_bytes(), words[at].len()));
            at += 1;
        }
        Self { words, looks, begins }
    }

    #[cfg(test)]
    pub(crate) fn is_sorted(&self) -> bool {
        self.words.is_sorted_by(|a, b| a < b)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.looks.have(Look::of(word))
            && word.bytes().next().is_some_and(|first| {
                let first = usize::from(first);
                let beginning = &self.words[self.begins[first]..self.begins[first + 1]];
                beginning.binary_search(&word).is_ok()
            })
    }
}

/// Words without content: the grammar's, what every call holds, and all of [`INTERJECTIONS`]. Sorted.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "a", "about", "absolutely", "actually", "after", "afternoon", "again", "ah", "aha", "all", "alright", "also",
    "always", "am", "an", "and", "another", "any", "anything", "anyway", "are", "aren't", "around", "as", "at",
    "basically", "be", "because", "been", "before", "being", "but", "by", "bye", "bye-bye", "can", "can't", "cannot",
    "certainly", "cheers", "come", "congratulations", "could", "couldn't", "course", "day", "dear", "definitely",
    "did", "didn't", "do", "does", "doesn't", "doing", "don't", "done", "else", "evening", "ever", "every",
    "everything", "exactly", "excellent", "fine", "for", "from", "gee", "get", "getting", "give", "go", "going",
    "gonna", "good", "goodbye", "goodness", "gosh", "got", "gotta", "great", "ha", "had", "has", "hasn't", "have",
    "haven't", "having", "he", "he's", "hello", "her", "here", "here's", "hers", "hey", "hi", "him", "his", "hmm",
    "honestly", "how", "how's", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "indeed", "into", "is", "isn't", "it",
    "it'll", "it's", "its", "just", "kind", "know", "let", "let's", "like", "listen", "little", "look", "lot",
    "ma'am", "madam", "made", "make", "man", "many", "may", "maybe", "me", "mean", "might", "mine", "mkay", "more",
    "morning", "most", "much", "must", "my", "myself", "need", "never", "no", "nope", "not", "nothing", "now", "of",
    "off", "often", "oh", "ok", "okay", "on", "one", "only", "or", "other", "our", "out", "over", "own", "perfect",
    "perhaps", "please", "quite", "really", "right", "said", "say", "see", "she", "she's", "should", "shouldn't",
    "sir", "so", "some", "something", "sorry", "sort", "still", "such", "sure", "take", "tell", "than", "thank",
    "thanks", "that", "that'll", "that's", "the", "their", "them", "then", "there", "there's", "these", "they",
    "they're", "thing", "things", "think", "this", "those", "to", "today", "too", "uh", "um", "up", "us", "use",
    "very", "wanna", "want", "was", "wasn't", "way", "we", "we'd", "we'll", "we're", "we've", "welcome", "well",
    "were", "what", "what's", "when", "where", "which", "while", "who", "who's", "why", "will", "with", "won't",
    "wonderful", "would", "wouldn't", "wow", "yeah", "yep", "yes", "yet", "you", "you'd", "you'll", "you're",
    "you've", "your", "yours", "yup",
];

/// What a sentence may begin with without saying anything.
const INTERJECTIONS: &[&str] = &[
    "absolutely",
    "actually",
    "afternoon",
    "ah",
    "aha",
    "alright",
    "and",
    "anyway",
    "basically",
    "but",
    "bye",
    "bye-bye",
    "certainly",
    "cheers",
    "congratulations",
    "course",
    "dear",
    "definitely",
    "evening",
    "exactly",
    "excellent",
    "fine",
    "gee",
    "good",
    "goodbye",
    "goodness",
    "gosh",
    "great",
    "ha",
    "hello",
    "hey",
    "hi",
    "hmm",
    "honestly",
    "indeed",
    "listen",
    "ma'am",
    "madam",
    "man",
    "mkay",
    "morning",
    "no",
    "nope",
    "now",
    "of",
    "oh",
    "ok",
    "okay",
    "perfect",
    "really",
    "right",
    "sir",
    "so",
    "sorry",
    "sure",
    "thank",
    "thanks",
    "then",
    "uh",
    "um",
    "welcome",
    "well",
    "wonderful",
    "wow",
    "yeah",
    "yep",
    "yes",
    "you",
    "yup",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searched_lists_are_sorted() {
        for list in [SMALL, INTERJECTIONS] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
        assert!(INTERJECTIONS.iter().all(|word| is_small(word)));
    }
}

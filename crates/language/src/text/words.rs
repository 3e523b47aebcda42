//! Words of a turn with their places in it, from punctuated text and from raw speech recognition alike.
//!
//! A word remembers the bytes it came from, so that what is found in words can be quoted verbatim.

use std::borrow::Cow;

/// What follows a word before the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Only a blank.
    Nothing,
    /// A comma, semicolon, colon or dash.
    Pause,
    /// The end of a statement.
    Stop,
    /// The end of a question.
    Question,
}

/// How much a word can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sound {
    /// It was said.
    Word,
    /// A sound without words, as `uh` or `[noise]`.
    Filler,
    /// A word was said, but nobody knows which: `<unk>`, or one broken off as `car~`.
    Lost,
}

/// A word of a turn.
#[derive(Debug, Clone)]
pub(crate) struct Word<'a> {
    /// The first byte in the turn's text, punctuation left out.
    pub(crate) start: usize,
    /// The byte after the last one.
    pub(crate) end: usize,
    /// In lower case, with straight apostrophes.
    pub(crate) norm: Cow<'a, str>,
    /// How much it can be relied on.
    pub(crate) sound: Sound,
    /// What follows it.
    pub(crate) after: After,
}

/// Endings that tokenised text sets apart from their word, as in `don ' t` and `that 's`.
const ENDINGS: &[&str] = &["t", "s", "ve", "re", "ll", "d", "m", "n't"];

/// Sounds of hesitation.
const FILLERS: &[&str] = &[
    "ah", "er", "erm", "hm", "hmm", "huh", "mhm", "mhmm", "mm", "mm-hm", "mm-hmm", "mmhmm", "mmm", "uh", "uh-huh",
    "uhh", "uhhuh", "uhm", "um", "umm",
];

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "a.m", "am", "apt", "ave", "dr", "e.g", "etc", "i.e", "jr", "mr", "mrs", "ms", "no", "p.m", "pm", "prof", "rd",
    "sr", "st", "vs",
];

/// Those of them that often end a sentence: "at 10:30 a.m. Is that right?"
const HALVES: &[&str] = &["a.m", "am", "p.m", "pm"];

/// The longest marker as `[background noise]`, in bytes.
const LONGEST_MARKER: usize = 40;

/// The words of `text`, in order. Linear in its length.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::with_capacity(text.len() / 5);
    let mut apart = false;
    let mut at = 0;
    while let Some((start, end)) = chunk(text, at) {
        at = end;
        let piece = &text[start..end];
        if let Some(length) = marker(&text[start..]) {
            at = start + length;
            words.push(marked(text, start, at));
            apart = false;
            continue;
        }
        let (from, to) = core(piece);
        if from == to {
            if let Some(last) = words.last_mut() {
                last.after = stronger(last.after, after(piece, &last.norm));
                apart = matches!(piece, "'" | "’" | "`");
            }
            continue;
        }
        let word = &piece[from..to];
        let quoted_apart = apart || piece[..from].ends_with(['\'', '’']) || word.eq_ignore_ascii_case("n't");
        apart = false;
        if quoted_apart
            && let Some(last) = words.last_mut()
            && ENDINGS.iter().any(|ending| word.eq_ignore_ascii_case(ending))
        {
            let joint = if word.len() == 3 { "" } else { "'" };
            last.norm = Cow::Owned(format!("{}{joint}{}", last.norm, word.to_ascii_lowercase()));
            last.end = start + to;
            last.after = after(&piece[to..], &last.norm);
            continue;
        }
        let rest = &piece[to..];
        let norm = normalised(word);
        let sound = if rest.starts_with('~') || rest == "-" {
            Sound::Lost
        } else if norm.starts_with(['a', 'e', 'h', 'm', 'u']) && FILLERS.contains(&norm.as_ref()) {
            Sound::Filler
        } else {
            Sound::Word
        };
        let after = match after(rest, &norm) {
            After::Nothing if rest == "." && HALVES.contains(&norm.as_ref()) && begins_sentence(&text[at..]) => {
                After::Stop
            }
            after => after,
        };
        words.push(Word {
            start: start + from,
            end: start + to,
            norm,
            sound,
            after,
        });
    }
    words
}

/// The next run of characters without blanks from byte `at` on. A run ends also behind `?`, `!`, `,`, `;` and `..` that
/// a letter follows, because transcripts leave blanks out there.
fn chunk(text: &str, at: usize) -> Option<(usize, usize)> {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let start = at + text[at..].find(|c: char| !blank(c))?;
    let mut dots = 0;
    let mut ends = false;
    let (mut last, mut before_last) = (' ', ' ');
    for (offset, c) in text[start..].char_indices() {
        // "At 5 pm.The car": a capital behind a word and a full stop begins a sentence.
        let begins = c.is_uppercase() && last == '.' && (before_last.is_lowercase() || before_last.is_ascii_digit());
        if blank(c) || (ends && c.is_alphabetic()) || begins {
            return Some((start, start + offset));
        }
        (before_last, last) = (last, c);
        dots = if c == '.' { dots + 1 } else { 0 };
        ends = dots > 1 || matches!(c, '?' | '!' | ',' | ';' | '…' | '—');
        // A marker may touch the word before it.
        if offset > 0 && matches!(c, '[' | '<') {
            return Some((start, start + offset));
        }
    }
    Some((start, text.len()))
}

/// The length of the marker that `text` begins with.
fn marker(text: &str) -> Option<usize> {
    let close = match text.as_bytes().first()? {
        b'[' => ']',
        b'<' => '>',
        _ => return None,
    };
    let (end, _) = text
        .char_indices()
        .take_while(|(offset, _)| *offset < LONGEST_MARKER)
        .find(|(_, c)| *c == close)?;
    Some(end + 1)
}

/// Marks that stand in place of a word that was said.
const UNHEARD: &[&str] = &["unk", "inaudible", "unintelligible", "crosstalk", "redacted"];

fn marked(text: &str, start: usize, end: usize) -> Word<'_> {
    let mark = text[start..end].to_lowercase();
    Word {
        start,
        end,
        norm: Cow::Borrowed(""),
        sound: if UNHEARD.iter().any(|unheard| mark.contains(unheard)) {
            Sound::Lost
        } else {
            Sound::Filler
        },
        after: After::Nothing,
    }
}

/// The part of `piece` without the punctuation around it.
fn core(piece: &str) -> (usize, usize) {
    let leads = |c: char| c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '+' | '@');
    let Some(from) = piece.find(leads) else { return (0, 0) };
    let Some((last, c)) = piece
        .char_indices()
        .rev()
        .find(|(_, c)| c.is_alphanumeric() || *c == '%')
    else {
        return (0, 0);
    };
    if last < from {
        (0, 0)
    } else {
        (from, last + c.len_utf8())
    }
}

fn normalised(word: &str) -> Cow<'_, str> {
    let same = |b: u8| b.is_ascii() && !b.is_ascii_uppercase();
    if word.bytes().all(same) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase().replace('’', "'"))
    }
}

/// What the punctuation `rest` behind the word `norm` means.
fn after(rest: &str, norm: &str) -> After {
    let mut found = After::Nothing;
    for c in rest.chars() {
        let meaning = match c {
            '?' | '？' => After::Question,
            '!' | '。' | '！' | '…' => After::Stop,
            '.' if rest.contains("..") || !(ABBREVIATIONS.contains(&norm) || norm.chars().count() == 1) => After::Stop,
            ',' | ';' | ':' | '-' | '—' | '–' => After::Pause,
            _ => After::Nothing,
        };
        found = stronger(found, meaning);
    }
    found
}

/// Whether a sentence rather than a day begins what follows an hour.
fn begins_sentence(following: &str) -> bool {
    let mut words = following.split_whitespace();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    let Some(first) = words
        .next()
        .filter(|word| word.starts_with(char::is_uppercase))
        .map(bare)
    else {
        return false;
    };
    let is_weekday = first.ends_with("day") && first != "today";
    let is_dated = words
        .next()
        .is_some_and(|second| second.starts_with(|c: char| c.is_ascii_digit()));
    !is_weekday && !is_dated
}

const fn stronger(one: After, other: After) -> After {
    if (one as u8) < (other as u8) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_hour_may_end_a_sentence() {
        let stops = |text: &str| words(text).iter().any(|word| word.after == After::Stop);
        assert!(stops("It is at 10:30 AM. Is there anything else"));
        assert!(stops("See you at 9 p.m. May I have your name"));
        assert!(!stops("See you at 9 p.m. Friday or at 3 p.m. March 8th"));
        assert!(!stops("from 9 a.m. to 5 p.m. on weekdays"));
    }

    fn norms(text: &str) -> Vec<String> {
        words(text).iter().map(|word| word.norm.to_string()).collect()
    }

    #[test]
    fn punctuation_is_told_apart_from_words() {
        let found = words("Well, Mr. Lee: it costs $12.50, doesn't it? Yes!");
        let shown: Vec<(&str, After)> = found.iter().map(|word| (word.norm.as_ref(), word.after)).collect();
        assert_eq!(
            shown,
            [
                ("well", After::Pause),
                ("mr", After::Nothing),
                ("lee", After::Pause),
                ("it", After::Nothing),
                ("costs", After::Nothing),
                ("$12.50", After::Pause),
                ("doesn't", After::Nothing),
                ("it", After::Question),
                ("yes", After::Stop),
            ]
        );
    }

    #[test]
    fn tokenised_text_is_put_together() {
        assert_eq!(
            norms("I ' Ve been there , don ’ t you ?"),
            ["i've", "been", "there", "don't", "you"]
        );
        assert_eq!(
            norms("that 's fine, I do n't mind"),
            ["that's", "fine", "i", "don't", "mind"]
        );
        assert_eq!(norms("wait...what,now"), ["wait", "what", "now"]);
    }

    #[test]
    fn noise_and_broken_words_are_lost() {
        let found = words("uh my [noise] car~ my <unk> card [background noise]no");
        let shown: Vec<(&str, Sound)> = found.iter().map(|word| (word.norm.as_ref(), word.sound)).collect();
        assert_eq!(
            shown,
            [
                ("uh", Sound::Filler),
                ("my", Sound::Word),
                ("", Sound::Filler),
                ("car", Sound::Lost),
                ("my", Sound::Word),
                ("", Sound::Lost),
                ("card", Sound::Word),
                ("", Sound::Filler),
                ("no", Sound::Word),
            ]
        );
    }

    proptest! {
        #[test]
        fn words_are_ordered_spans_of_any_text(text in "\\PC{0,80}|[a-z' .,?!\\[\\]<>~’-]{0,80}") {
            let mut end = 0;
            for word in words(&text) {
                prop_assert!(word.start >= end && word.start < word.end);
                prop_assert!(text.get(word.start..word.end).is_some());
                end = word.end;
            }
        }
    }
}

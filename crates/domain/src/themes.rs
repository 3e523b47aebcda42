//! What a caller speaks of over all calls: kept with the caller when a call ends, so that a recall of a caller with a
//! thousand calls reads no more than one with a single call.

use std::{borrow::Cow, cmp::Reverse, collections::HashMap, fmt};

use language::{
    Transcript,
    themes::{self, Theme},
};

/// The most themes that are kept of a caller.
pub const THEMES: usize = 160;

/// What a theme of a call weighs among the caller's: so much that its weight can fade in small steps.
const SCALE: u32 = 16;

/// With each call that has themes, the weights of before lose this part. Without it, what a caller spoke of years ago
/// would leave no room for what they speak of now.
const FADING: u32 = 32;

/// Themes with their weights, the weightiest first, as the text that a storage keeps: a line for each, with its weight,
/// a blank and its words.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Themes(String);

impl fmt::Debug for Themes {
    /// Leaves the words out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Themes").finish_non_exhaustive()
    }
}

/// Themes by their stems: the weight and the words.
type Weighed<'t> = HashMap<Cow<'t, str>, (u32, &'t str)>;

impl Themes {
    /// Those of one call.
    #[must_use]
    pub fn of_call(transcript: &Transcript<'_>) -> Self {
        let found = themes::of_call(transcript);
        let line = |Theme { words, weight }: &Theme| format!("{weight} {words}\n");
        Self(found.iter().map(line).collect())
    }

    /// What a storage kept. A line that is none is passed over.
    #[must_use]
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The text to keep.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words of each, the weightiest first.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.lines().map(|(_, words)| words)
    }

    fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let line = |line| {
            let (weight, words): (&str, &str) = str::split_once(line, ' ')?;
            Some((weight.parse().ok()?, words))
        };
        self.0.lines().filter_map(line)
    }

    /// Those of the caller after one more call.
    #[must_use]
    pub fn with(&self, call: &Self) -> Self {
        if call.is_empty() {
            return self.clone();
        }
        let mut weighed = self.weighed(|weight| weight - weight / FADING);
        add(&mut weighed, call);
        kept(weighed)
    }

    /// Those of the caller after the correction of a call: without what it said before, with what it says now.
    #[must_use]
    pub fn corrected(&self, before: &Self, now: &Self) -> Self {
        let mut weighed = self.weighed(|weight| weight);
        for (weight, words) in before.lines() {
            if let Some((sum, _)) = weighed.get_mut(&themes::stem(words)) {
                *sum = sum.saturating_sub(weight.saturating_mul(SCALE));
            }
        }
        add(&mut weighed, now);
        kept(weighed)
    }

    fn weighed(&self, weight: impl Fn(u32) -> u32) -> Weighed<'_> {
        let themes = self.lines();
        themes
            .map(|(of_old, words)| (themes::stem(words), (weight(of_old), words)))
            .collect()
    }
}

fn add<'t>(weighed: &mut Weighed<'t>, call: &'t Themes) {
    for (weight, words) in call.lines() {
        let (sum, _) = weighed.entry(themes::stem(words)).or_insert((0, words));
        *sum = sum.saturating_add(weight.saturating_mul(SCALE));
    }
}

/// The weightiest, in the order of their weights.
fn kept(weighed: Weighed<'_>) -> Themes {
    let mut themes: Vec<(u32, &str)> = weighed.into_values().filter(|(weight, _)| *weight > 0).collect();
    themes.sort_unstable_by_key(|(weight, words)| (Reverse(*weight), *words));
    themes.truncate(THEMES);
    let mut text = String::with_capacity(themes.len() * 16);
    for (weight, words) in themes {
        text.push_str(&weight.to_string());
        text.push(' ');
        text.push_str(words);
        text.push('\n');
    }
    Themes(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Themes {
        Themes::stored(text.to_owned())
    }

    #[test]
    fn themes_of_calls_add_up() {
        let caller = Themes::default().with(&of("4 garage door\n2 boiler\n"));
        assert_eq!(caller.as_str(), "64 garage door\n32 boiler\n");
        let caller = caller.with(&of("5 boilers\n1 Lisbon\n"));
        // What was said earlier weighs a little less by then, and is shown as it was said first.
        assert_eq!(caller.as_str(), "111 boiler\n62 garage door\n16 Lisbon\n");
        assert_eq!(caller.words().collect::<Vec<_>>(), ["boiler", "garage door", "Lisbon"]);
    }

    #[test]
    fn a_correction_takes_away_what_was_said_before() {
        let (first, wrong, right) = (of("4 boiler\n"), of("3 boiler\n2 tax\n"), of("2 taxi\n"));
        let caller = Themes::default().with(&first).with(&wrong);
        let corrected = caller.corrected(&wrong, &right);
        assert_eq!(corrected, Themes::default().with(&first).with(&right));
        assert_eq!(corrected.corrected(&right, &Themes::default()).as_str(), "62 boiler\n");
        assert_eq!(
            Themes::default().corrected(&wrong, &Themes::default()),
            Themes::default()
        );
    }

    #[test]
    fn a_thousand_calls_leave_a_bounded_text_that_knows_the_last_ones() {
        let mut caller = Themes::default();
        for call in 0..1_000 {
            let names = (0..language::themes::THEMES).map(|theme| {
                let letters = [call / 50 % 26, call % 26, theme % 26, theme / 26]
                    .map(|n| char::from(b"abcdefghijklmnopqrstuvwxyz"[n]));
                format!("2 theme {}\n", String::from_iter(letters))
            });
            caller = caller.with(&of(&names.collect::<String>()));
        }
        let caller = caller.with(&of("2 orchard\n"));
        assert_eq!(caller.words().count(), THEMES);
        assert!(caller.words().any(|words| words == "orchard"));
        assert!(caller.as_str().len() < 4_096);
    }

    #[test]
    fn what_is_no_theme_is_passed_over() {
        let damaged = of("x boiler\n3\n\n7 tax\n-1 door\n");
        assert_eq!(damaged.words().collect::<Vec<_>>(), ["tax"]);
        assert_eq!(damaged.with(&of("1 door\n")).as_str(), "16 door\n7 tax\n");
    }
}

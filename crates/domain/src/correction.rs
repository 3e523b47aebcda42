//! What an operator says of a caller's facts: it stands over what was heard, then and later.

use crate::facts::{FactKey, KnownFact, Terms};

/// The most characters of a fact's value.
pub const VALUE_CHARS: usize = language::findings::VALUE_CHARACTERS;

/// The most corrections of a caller.
pub const CORRECTIONS: usize = 32;

/// An operator's word on a caller's facts of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// What it is about.
    pub key: FactKey,
    /// What the operator says.
    pub word: Word,
    /// When it was said, in milliseconds since the epoch.
    pub at_ms: i64,
}

/// What an operator says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// This holds, whatever was heard and will be. Of a key of which several facts stand, it holds beside the others.
    Set {
        /// What holds, in the key's form.
        value: String,
        /// What an agreement comes to.
        terms: Option<Terms>,
    },
    /// What was heard by then does not hold. What is heard later does.
    Drop {
        /// The value that does not hold; all of the key when there is none.
        value: Option<String>,
    },
}

/// Why a correction is not kept. The texts say what to do and repeat nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionFault {
    /// A value says nothing.
    #[error("the value is empty; give what holds, or drop the fact")]
    NoValue,
    /// A value is too long.
    #[error("the value is longer than {VALUE_CHARS} characters; shorten it")]
    LongValue,
    /// A value holds a control character.
    #[error("the value holds a control character, a tab or a line break for example; remove it")]
    ControlInValue,
    /// There are too many corrections.
    #[error("the caller has {CORRECTIONS} corrections of facts already; drop what is no longer needed")]
    ManyCorrections,
}

impl Correction {
    /// Whether it says that a fact of `key` and `value`, heard at `said_at_ms`, does not hold.
    fn hides(&self, key: FactKey, value: &str, said_at_ms: i64) -> bool {
        self.key == key
            && match &self.word {
                Word::Set { value: set, .. } => key.most_standing() == 1 || is_same(set, value),
                Word::Drop { value: dropped } => {
                    said_at_ms <= self.at_ms && dropped.as_ref().is_none_or(|dropped| is_same(dropped, value))
                }
            }
    }

    /// Whether `later` takes its place.
    fn is_replaced_by(&self, later: &Self) -> bool {
        self.key == later.key
            && match (&self.word, &later.word) {
                (_, Word::Drop { value: None }) => true,
                (Word::Set { value, .. }, Word::Drop { value: Some(dropped) }) => is_same(value, dropped),
                (Word::Drop { value }, Word::Drop { value: dropped }) => value == dropped,
                (Word::Set { value, .. }, Word::Set { value: set, .. }) => {
                    self.key.most_standing() == 1 || is_same(value, set)
                }
                // What holds now is said over what did not hold.
                (Word::Drop { value }, Word::Set { value: set, .. }) => {
                    self.key.most_standing() == 1 || value.as_ref().is_some_and(|value| is_same(value, set))
                }
            }
    }

    fn fact(&self) -> Option<KnownFact> {
        let Word::Set { value, terms } = &self.word else {
            return None;
        };
        Some(KnownFact {
            key: self.key,
            value: value.clone(),
            quote: String::new(),
            call_id: None,
            said_at_ms: self.at_ms,
            observed_at_ms: self.at_ms,
            terms: terms.clone(),
        })
    }
}

/// Whether two values are the same to a person who types one of them.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    let lower = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    lower(one) == lower(other)
}

/// Reads the value of a fact: without the blanks around it.
///
/// # Errors
/// [`CorrectionFault::ControlInValue`], [`CorrectionFault::NoValue`], [`CorrectionFault::LongValue`].
pub fn value(text: &str) -> Result<String, CorrectionFault> {
    if text.contains(char::is_control) {
        return Err(CorrectionFault::ControlInValue);
    }
    let value = text.trim();
    if value.is_empty() {
        return Err(CorrectionFault::NoValue);
    }
    if value.chars().count() > VALUE_CHARS {
        return Err(CorrectionFault::LongValue);
    }
    Ok(value.to_owned())
}

/// Adds `correction` to `corrections`, in the place of those that it makes void.
///
/// # Errors
/// [`CorrectionFault::ManyCorrections`] when there would be more than [`CORRECTIONS`].
pub fn add(corrections: &mut Vec<Correction>, correction: Correction) -> Result<(), CorrectionFault> {
    corrections.retain(|earlier| !earlier.is_replaced_by(&correction));
    if corrections.len() >= CORRECTIONS {
        return Err(CorrectionFault::ManyCorrections);
    }
    corrections.push(correction);
    Ok(())
}

/// What is left of the `heard` facts that stand, newest first, after `corrections`: what the operator set comes first.
#[must_use]
pub fn corrected(heard: Vec<KnownFact>, corrections: &[Correction]) -> Vec<KnownFact> {
    if corrections.is_empty() {
        return heard;
    }
    let mut facts: Vec<KnownFact> = corrections.iter().rev().filter_map(Correction::fact).collect();
    let holds = |fact: &KnownFact| holds(corrections, fact.key, &fact.value, fact.said_at_ms);
    facts.extend(heard.into_iter().filter(holds));
    facts
}

/// Whether `corrections` let a fact of `key` and `value`, heard at `said_at_ms`, hold.
#[must_use]
pub fn holds(corrections: &[Correction], key: FactKey, value: &str, said_at_ms: i64) -> bool {
    !corrections
        .iter()
        .any(|correction| correction.hides(key, value, said_at_ms))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::call::CallId;

    fn heard(key: FactKey, value: &str, said_at_ms: i64) -> KnownFact {
        KnownFact {
            key,
            value: value.to_owned(),
            quote: value.to_owned(),
            call_id: Some(CallId(Uuid::nil())),
            said_at_ms,
            observed_at_ms: said_at_ms,
            terms: None,
        }
    }

    fn set(key: FactKey, value: &str, at_ms: i64) -> Correction {
        Correction {
            key,
            word: Word::Set {
                value: value.to_owned(),
                terms: None,
            },
            at_ms,
        }
    }

    fn drop(key: FactKey, value: Option<&str>, at_ms: i64) -> Correction {
        Correction {
            key,
            word: Word::Drop {
                value: value.map(str::to_owned),
            },
            at_ms,
        }
    }

    fn shown(facts: &[KnownFact], corrections: impl IntoIterator<Item = Correction>) -> Vec<(String, bool)> {
        let mut kept = Vec::new();
        for correction in corrections {
            add(&mut kept, correction).unwrap();
        }
        let facts = corrected(facts.to_vec(), &kept).into_iter();
        facts.map(|fact| (fact.value, fact.call_id.is_some())).collect()
    }

    fn as_shown(shown: &[(&str, bool)]) -> Vec<(String, bool)> {
        shown
            .iter()
            .map(|(value, heard)| ((*value).to_owned(), *heard))
            .collect()
    }

    #[test]
    fn what_is_set_stands_over_what_was_and_will_be_heard() {
        let facts = [heard(FactKey::City, "York", 30), heard(FactKey::Email, "a@b.org", 20)];
        assert_eq!(
            shown(&facts, [set(FactKey::City, "Leeds", 10)]),
            as_shown(&[("Leeds", false), ("a@b.org", true)])
        );
        assert_eq!(
            shown(
                &facts,
                [set(FactKey::City, "Leeds", 10), set(FactKey::City, "Hull", 11)]
            ),
            as_shown(&[("Hull", false), ("a@b.org", true)])
        );
    }

    #[test]
    fn of_what_stands_beside_others_only_the_same_is_hidden() {
        let facts = [
            heard(FactKey::Reference, "order 12", 30),
            heard(FactKey::Reference, "order 13", 20),
        ];
        assert_eq!(
            shown(&facts, [set(FactKey::Reference, "Order  13", 40)]),
            as_shown(&[("Order  13", false), ("order 12", true)])
        );
    }

    #[test]
    fn what_is_dropped_is_heard_again_when_it_is_said_again() {
        let before = [heard(FactKey::City, "York", 30)];
        assert_eq!(shown(&before, [drop(FactKey::City, None, 30)]), as_shown(&[]));
        assert_eq!(shown(&before, [drop(FactKey::City, Some("york"), 30)]), as_shown(&[]));
        assert_eq!(
            shown(&before, [drop(FactKey::City, Some("Leeds"), 30)]),
            as_shown(&[("York", true)])
        );
        let again = [heard(FactKey::City, "York", 31)];
        assert_eq!(
            shown(&again, [drop(FactKey::City, None, 30)]),
            as_shown(&[("York", true)])
        );
    }

    #[test]
    fn a_drop_takes_away_what_was_set_and_a_set_what_was_dropped() {
        let facts = [heard(FactKey::City, "York", 5)];
        let (set, drop) = (set(FactKey::City, "Leeds", 10), drop(FactKey::City, None, 11));
        assert_eq!(shown(&facts, [set.clone(), drop.clone()]), as_shown(&[]));
        assert_eq!(shown(&facts, [drop, set]), as_shown(&[("Leeds", false)]));
    }

    #[test]
    fn a_value_is_trimmed_and_has_limits() {
        assert_eq!(value(" 12 Mill Lane "), Ok("12 Mill Lane".to_owned()));
        assert_eq!(value(" "), Err(CorrectionFault::NoValue));
        assert_eq!(value("a\tb"), Err(CorrectionFault::ControlInValue));
        let longest = "ä".repeat(VALUE_CHARS);
        assert_eq!(value(&longest), Ok(longest.clone()));
        assert_eq!(value(&format!("{longest}x")), Err(CorrectionFault::LongValue));
    }

    #[test]
    fn there_is_a_limit_that_says_what_to_do() {
        let mut corrections = Vec::new();
        for number in 0..CORRECTIONS {
            add(&mut corrections, set(FactKey::Reference, &number.to_string(), 1)).unwrap();
        }
        let one_more = add(&mut corrections, set(FactKey::Reference, "x", 1));
        assert_eq!(one_more, Err(CorrectionFault::ManyCorrections));
        assert_eq!(corrections.len(), CORRECTIONS);
        add(&mut corrections, set(FactKey::Reference, "7", 2)).unwrap();
        add(&mut corrections, drop(FactKey::Reference, None, 3)).unwrap();
        assert_eq!(corrections.len(), 1);
    }
}

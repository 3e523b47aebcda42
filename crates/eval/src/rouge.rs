//! ROUGE (C.-Y. Lin, 2004): how much of what people wrote a text says. F-measures of stemmed words.

use std::collections::HashMap;

use crate::porter::stem;

/// The F-measures of a text against a reference, or their mean over many; 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Score {
    /// Words in common.
    pub(crate) one: f64,
    /// Pairs of words in common.
    pub(crate) two: f64,
    /// The longest common subsequence of words.
    pub(crate) longest: f64,
}

/// The stems of a text's words. Apostrophes vanish (`don't` is one word), everything else that is neither ASCII letter
/// nor digit parts words.
#[must_use]
pub(crate) fn stems(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace(['\'', '’'], "")
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| if word.len() > 3 { stem(word) } else { word.to_owned() })
        .collect()
}

/// The mean of the scores of `text` against each of the references, given as stems.
#[must_use]
pub(crate) fn score(text: &[String], references: &[Vec<String>]) -> Score {
    mean(references.iter().map(|reference| Score {
        one: overlap(text, reference, 1),
        two: overlap(text, reference, 2),
        longest: f_measure(common_subsequence(text, reference), text.len(), reference.len()),
    }))
}

/// The mean of scores; zero for none.
#[must_use]
pub(crate) fn mean(scores: impl IntoIterator<Item = Score>) -> Score {
    let (mut sum, mut count) = (Score::default(), 0.0);
    for score in scores {
        sum.one += score.one;
        sum.two += score.two;
        sum.longest += score.longest;
        count += 1.0;
    }
    if count == 0.0 {
        return Score::default();
    }
    Score {
        one: sum.one / count,
        two: sum.two / count,
        longest: sum.longest / count,
    }
}

fn overlap(text: &[String], reference: &[String], n: usize) -> f64 {
    let mut left: HashMap<&[String], usize> = HashMap::new();
    for gram in reference.windows(n) {
        *left.entry(gram).or_default() += 1;
    }
    let common = text
        .windows(n)
        .filter(|gram| match left.get_mut(gram) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
        .count();
    f_measure(
        common,
        (text.len() + 1).saturating_sub(n),
        (reference.len() + 1).saturating_sub(n),
    )
}

fn common_subsequence(text: &[String], reference: &[String]) -> usize {
    let mut row = vec![0; reference.len() + 1];
    for word in text {
        let mut diagonal = 0;
        for (j, other) in reference.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if word == other { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[reference.len()]
}

#[expect(clippy::cast_precision_loss, reason = "counts of words, far below 2^53")]
fn f_measure(common: usize, ours: usize, theirs: usize) -> f64 {
    if common == 0 {
        return 0.0;
    }
    2.0 * common as f64 / (ours + theirs) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_vanish_and_words_are_stemmed() {
        assert_eq!(
            stems("Don't worry: she's asked 2 agents."),
            ["dont", "worri", "she", "ask", "2", "agent"]
        );
    }

    #[test]
    fn equal_texts_score_one_and_strangers_zero() {
        let (one, other) = (stems("the caller asked twice"), stems("nobody came"));
        let full = score(&one, std::slice::from_ref(&one));
        assert!((full.one - 1.0).abs() < 1e-9 && (full.two - 1.0).abs() < 1e-9 && (full.longest - 1.0).abs() < 1e-9);
        assert_eq!(score(&one, &[other]), Score::default());
    }

    #[test]
    fn the_order_matters_to_pairs_and_subsequences_only() {
        let (text, reference) = (stems("a b c d"), stems("d a b x"));
        let score = score(&text, &[reference]);
        assert!((score.one - 0.75).abs() < 1e-9);
        assert!((score.two - 1.0 / 3.0).abs() < 1e-9);
        assert!((score.longest - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_mean_over_references_counts_each_once() {
        let text = stems("yes");
        let score = score(&text, &[stems("yes"), stems("no")]);
        assert!((score.one - 0.5).abs() < 1e-9);
    }
}

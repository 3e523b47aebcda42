//! Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", Program 14 no. 3, 1980), in the form its author
//! published later, with `-bli` and `-logi` in step 2. ROUGE compares stems, so that `asked` agrees with `asks`.

/// The stem of an English word in lower-case ASCII. Words of up to two letters stay as they are.
#[must_use]
pub(crate) fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut w = word.as_bytes().to_vec();
    step1a(&mut w);
    step1b(&mut w);
    step1c(&mut w);
    for (suffixes, least) in [(STEP2, 0), (STEP3, 0)] {
        replace_first(&mut w, suffixes, least);
    }
    step4(&mut w);
    step5(&mut w);
    String::from_utf8_lossy(&w).into_owned()
}

const STEP2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const STEP3: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

fn consonant(w: &[u8], i: usize) -> bool {
    match w[i] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => i == 0 || !consonant(w, i - 1),
        _ => true,
    }
}

/// How often a consonant follows a vowel: the `m` of Porter's conditions.
fn measure(w: &[u8]) -> usize {
    (1..w.len())
        .filter(|&i| consonant(w, i) && !consonant(w, i - 1))
        .count()
}

fn has_vowel(w: &[u8]) -> bool {
    (0..w.len()).any(|i| !consonant(w, i))
}

fn double_consonant(w: &[u8]) -> bool {
    let n = w.len();
    n >= 2 && w[n - 1] == w[n - 2] && consonant(w, n - 1)
}

/// Whether the word ends consonant, vowel, consonant, the last one not `w`, `x` or `y`.
fn short_end(w: &[u8]) -> bool {
    let n = w.len();
    n >= 3
        && consonant(w, n - 3)
        && !consonant(w, n - 2)
        && consonant(w, n - 1)
        && !matches!(w[n - 1], b'w' | b'x' | b'y')
}

fn step1a(w: &mut Vec<u8>) {
    if w.ends_with(b"sses") || w.ends_with(b"ies") {
        w.truncate(w.len() - 2);
    } else if w.ends_with(b"s") && !w.ends_with(b"ss") {
        w.pop();
    }
}

fn step1b(w: &mut Vec<u8>) {
    if w.ends_with(b"eed") {
        if measure(&w[..w.len() - 3]) > 0 {
            w.pop();
        }
        return;
    }
    let Some(cut) = [&b"ed"[..], b"ing"]
        .iter()
        .find(|suffix| w.ends_with(suffix) && has_vowel(&w[..w.len() - suffix.len()]))
        .map(|suffix| suffix.len())
    else {
        return;
    };
    w.truncate(w.len() - cut);
    if w.ends_with(b"at") || w.ends_with(b"bl") || w.ends_with(b"iz") || (measure(w) == 1 && short_end(w)) {
        w.push(b'e');
    } else if double_consonant(w) && !matches!(w.last(), Some(b'l' | b's' | b'z')) {
        w.pop();
    }
}

fn step1c(w: &mut [u8]) {
    let last = w.len() - 1;
    if w[last] == b'y' && has_vowel(&w[..last]) {
        w[last] = b'i';
    }
}

/// Replaces the longest of the suffixes that the word has, when what is left measures more than `least`.
fn replace_first(w: &mut Vec<u8>, suffixes: &[(&str, &str)], least: usize) {
    let longest = suffixes
        .iter()
        .filter(|(suffix, _)| w.ends_with(suffix.as_bytes()))
        .max_by_key(|(s, _)| s.len());
    if let Some((suffix, replacement)) = longest {
        let left = w.len() - suffix.len();
        if measure(&w[..left]) > least {
            w.truncate(left);
            w.extend_from_slice(replacement.as_bytes());
        }
    }
}

fn step4(w: &mut Vec<u8>) {
    let longest = STEP4
        .iter()
        .filter(|suffix| w.ends_with(suffix.as_bytes()))
        .max_by_key(|suffix| suffix.len());
    if let Some(suffix) = longest {
        let left = w.len() - suffix.len();
        let fits = *suffix != "ion" || matches!(w[..left].last(), Some(b's' | b't'));
        if fits && measure(&w[..left]) > 1 {
            w.truncate(left);
        }
    }
}

fn step5(w: &mut Vec<u8>) {
    if w.ends_with(b"e") {
        let left = &w[..w.len() - 1];
        let m = measure(left);
        if m > 1 || (m == 1 && !short_end(left)) {
            w.pop();
        }
    }
    if w.ends_with(b"ll") && measure(w) > 1 {
        w.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn the_examples_of_the_paper() {
        let examples = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("rational", "ration"),
            ("vietnamization", "vietnam"),
            ("triplicate", "triplic"),
            ("hopeful", "hope"),
            ("adoption", "adopt"),
            ("replacement", "replac"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controll", "control"),
            ("roll", "roll"),
        ];
        for (word, expected) in examples {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}

//! Numbers as people say them.

/// The digit that a word stands for when digits are read out one by one.
pub(crate) fn spoken_digit(word: &str) -> Option<u8> {
    let digit = match word {
        "zero" | "oh" | "o" => 0,
        "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        _ => return None,
    };
    Some(digit)
}

/// The value of a word for a number from ten to ninety.
pub(crate) fn spoken_tens(word: &str) -> Option<u8> {
    let value = match word {
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        "thirteen" => 13,
        "fourteen" => 14,
        "fifteen" => 15,
        "sixteen" => 16,
        "seventeen" => 17,
        "eighteen" => 18,
        "nineteen" => 19,
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "sixty" => 60,
        "seventy" => 70,
        "eighty" => 80,
        "ninety" => 90,
        _ => return None,
    };
    Some(value)
}

/// Whether a word is a number or part of one, in digits or in letters.
pub(crate) fn is_number(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
        || (spoken_digit(word).is_some() && word != "o" && word != "oh")
        || spoken_tens(word).is_some()
        || matches!(
            word,
            "hundred" | "thousand" | "million" | "double" | "triple" | "half" | "dozen"
        )
}

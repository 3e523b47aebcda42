//! Numbers as people say them in Spanish, and as they read them out in groups.

use super::super::{
    readout::{Readout, figures},
    utterance::Utterance,
};
use crate::text::words::After;

/// The value of a word for a number below thirty.
pub(super) fn small_number(word: &str) -> Option<u8> {
    let value = match word {
        "cero" => 0,
        "un" | "una" | "uno" => 1,
        "dos" => 2,
        "tres" => 3,
        "cuatro" => 4,
        "cinco" => 5,
        "seis" => 6,
        "siete" => 7,
        "ocho" => 8,
        "nueve" => 9,
        "diez" => 10,
        "once" => 11,
        "doce" => 12,
        "trece" => 13,
        "catorce" => 14,
        "quince" => 15,
        "dieciseis" => 16,
        "diecisiete" => 17,
        "dieciocho" => 18,
        "diecinueve" => 19,
        "veinte" => 20,
        "veintiun" | "veintiuna" | "veintiuno" => 21,
        "veintidos" => 22,
        "veintitres" => 23,
        "veinticuatro" => 24,
        "veinticinco" => 25,
        "veintiseis" => 26,
        "veintisiete" => 27,
        "veintiocho" => 28,
        "veintinueve" => 29,
        _ => return None,
    };
    Some(value)
}

fn tens(word: &str) -> Option<u8> {
    let value = match word {
        "treinta" => 30,
        "cuarenta" => 40,
        "cincuenta" => 50,
        "sesenta" => 60,
        "setenta" => 70,
        "ochenta" => 80,
        "noventa" => 90,
        _ => return None,
    };
    Some(value)
}

fn hundreds(word: &str) -> Option<u16> {
    let value = match word {
        "cien" | "ciento" => 100,
        "doscientos" => 200,
        "trescientos" => 300,
        "cuatrocientos" => 400,
        "quinientos" => 500,
        "seiscientos" => 600,
        "setecientos" => 700,
        "ochocientos" => 800,
        "novecientos" => 900,
        _ => return None,
    };
    Some(value)
}

/// A digit; "un" and "una" are articles.
fn digit(word: &str) -> Option<u8> {
    small_number(word).filter(|value| *value < 10 && !matches!(word, "un" | "una"))
}

/// The number below a hundred that begins at `place`, and the place behind it: "doce", "cincuenta y cinco".
pub(super) fn below_hundred(utterance: &Utterance<'_>, place: usize) -> Option<(usize, u8)> {
    let word = utterance.norm(place);
    if let Some(value) = small_number(word) {
        return Some((place + 1, value));
    }
    let tens = tens(word)?;
    let unit = digit(utterance.norm(place + 2)).filter(|unit| *unit > 0 && utterance.norm(place + 1) == "y");
    Some(unit.map_or((place + 1, tens), |unit| (place + 3, tens + unit)))
}

/// Whether the word is a number or part of one.
pub(super) fn is_number(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
        || digit(word).is_some()
        || small_number(word).is_some_and(|value| value > 9)
        || tens(word).is_some()
        || hundreds(word).is_some()
        || matches!(word, "mil" | "millon" | "millones")
}

/// What is read out from `place` on: digits, in figures or in words, one by one and in groups. `None` when nothing is.
pub(super) fn read_out(utterance: &Utterance<'_>, place: usize) -> Option<Readout> {
    let mut code = String::new();
    let mut at = place;
    let mut doubtful = false;
    while at < utterance.words.len() && !(at > place && utterance.stops_before(at)) {
        let word = utterance.norm(at);
        if matches!(word, "doble" | "triple")
            && let Some(repeated) = digit(utterance.norm(at + 1))
        {
            let times = if word == "doble" { 2 } else { 3 };
            code.extend(std::iter::repeat_n(char::from(b'0' + repeated), times));
            at += 2;
        } else if let Some(hundreds) = hundreds(word) {
            let joined = utterance.words[at].after == After::Nothing;
            let (end, rest) = below_hundred(utterance, at + 1)
                .filter(|_| joined)
                .unwrap_or((at + 1, 0));
            code.push_str(&(hundreds + u16::from(rest)).to_string());
            at = end;
        } else if let Some((end, value)) = below_hundred(utterance, at).filter(|_| !matches!(word, "un" | "una")) {
            code.push_str(&value.to_string());
            // "Treinta cinco" may be one number or two.
            let is_tens = value > 10 && value % 10 == 0;
            doubtful |=
                is_tens && utterance.words[end - 1].after == After::Nothing && digit(utterance.norm(end)).is_some();
            at = end;
        } else if word == "mas" && code.is_empty() && is_number(utterance.norm(at + 1)) {
            code.push('+');
            at += 1;
        } else if matches!(word, "guion" | "y") && !code.is_empty() && is_number(utterance.norm(at + 1)) {
            at += 1;
        } else if let Some(figures) = figures(utterance.shown(at), false) {
            code.push_str(&figures);
            at += 1;
        } else {
            break;
        }
    }
    if code.is_empty() {
        return None;
    }
    doubtful |= utterance.lost(at) || matches!(utterance.norm(at), "algo" | "como" | "mil" | "millones" | "o");
    Some(Readout {
        code,
        end: at,
        doubtful,
    })
}

#[cfg(test)]
mod tests {
    use super::{super::folding::folded, *};
    use crate::transcript::{Speaker, Transcript};

    fn read(text: &str) -> Option<(String, bool)> {
        let call = Transcript::read([(Speaker::Caller, text)]);
        let readout = read_out(&Utterance::new(0, &folded(&call.turns[0])), 0)?;
        Some((readout.code, readout.doubtful))
    }

    #[test]
    fn numbers_are_read_as_said() {
        for (text, code) in [
            ("seis uno dos tres cuatro", "61234"),
            ("cincuenta y cinco doce treinta y cuatro", "551234"),
            ("seiscientos doce, treinta y cuatro, cincuenta y seis", "6123456"),
            ("seiscientos, doce", "60012"),
            ("doble cinco triple cero veintidós", "5500022"),
            ("más treinta y cuatro 612", "+34612"),
            ("+34 612 34 56 78 gracias", "+34612345678"),
            ("sesenta, cinco", "605"),
        ] {
            assert_eq!(read(text), Some((code.to_owned(), false)), "{text}");
        }
        for text in ["treinta cinco", "cinco mil", "cinco <unk> seis"] {
            assert!(read(text).is_some_and(|(_, doubtful)| doubtful), "{text}");
        }
        for text in ["una cita", "hola", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

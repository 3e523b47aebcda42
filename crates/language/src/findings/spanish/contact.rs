//! How to reach the caller: e-mail address and telephone number.

use std::ops::Range;

use super::{
    super::{
        contact::is_address,
        exchange::Exchange,
        finding::{Finding, Topic, statement},
        utterance::Utterance,
    },
    clause::{is_condition, sentence_start},
    numbers::{below_hundred, is_number, read_out},
    small::{is_interjection, is_ordinary},
};
use crate::{
    text::phrases::{Phrases, phrases},
    transcript::{Evidence, Speaker},
};

/// Looks for e-mail addresses and telephone numbers that callers give as theirs.
pub(super) fn find(exchanges: &[Exchange<'_, '_>], findings: &mut Vec<Finding>) {
    for exchange in exchanges {
        emails(exchange, findings);
    }
    let mut behind = 0;
    for exchange in exchanges {
        if exchange.answer.turn >= behind {
            behind = numbers(exchange, findings);
        }
    }
}

const EMAIL_CUES: &Phrases = phrases![
    "el correo es",
    "el email es",
    "el mio es",
    "enviemelo a",
    "escribame a",
    "escribanme a",
    "escribir a",
    "escribirme a",
    "mandemelo a",
    "mi correo",
    "mi correo a",
    "mi correo de trabajo es",
    "mi correo electronico",
    "mi correo electronico es",
    "mi correo es",
    "mi correo nuevo es",
    "mi correo personal es",
    "mi correo que es",
    "mi direccion de correo electronico es",
    "mi direccion de correo es",
    "mi e-mail es",
    "mi email",
    "mi email es",
    "mi email personal es",
    "mi mail es",
    "mi nuevo correo es",
    "mi nuevo email es",
];

/// Those of them that say nothing by themselves.
const BARE_CUES: &Phrases = phrases!["mi correo", "mi correo electronico", "mi email"];

/// Whether an address stands at `place`, or a pause before it.
fn leads_to_address(utterance: &Utterance<'_>, place: usize) -> bool {
    utterance.ends_before(place) || utterance.shown(place).contains('@')
}

/// Words that show that an address or a number is not the caller's, or is not to be used.
const NOT_MINE: &Phrases = phrases![
    "antigua", "antiguo", "borre", "borren", "elimine", "eliminen", "era", "no", "nunca", "su", "vieja", "viejo",
    "ya no",
];

/// Whether what is stated at `places` is asked, supposed or denied.
fn is_open(utterance: &Utterance<'_>, places: &Range<usize>) -> bool {
    let mut before = sentence_start(utterance, places.start)..places.start;
    utterance.asks(places.start)
        || utterance.has_before(places.end, 6, NOT_MINE)
        || !places.is_empty() && before.any(|place| is_condition(utterance, place))
}

/// The place behind what an answer begins with.
fn answer_start(utterance: &Utterance<'_>) -> usize {
    const LEADS: &Phrases = phrases![
        "a",
        "al",
        "anote",
        "apunte",
        "con mucho gusto",
        "el",
        "en el",
        "es",
        "es el",
        "le doy",
        "por favor",
        "por supuesto",
        "sera",
        "seria",
        "seria el",
    ];
    let mut at = 0;
    while at < utterance.words.len() {
        match utterance.behind(at, LEADS) {
            Some(end) => at = end,
            None if is_interjection(utterance.norm(at)) => at += 1,
            None => break,
        }
    }
    at
}

fn emails(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let utterance = exchange.answer;
    let mut cues: Vec<Range<usize>> = utterance.find(EMAIL_CUES).collect();
    let asked = exchange.question.is_some_and(|agent| {
        agent.has(phrases![
            "direccion de correo",
            "que correo",
            "su correo",
            "su e-mail",
            "su email",
            "su mail",
            "tu correo",
            "tu email",
            "un correo",
            "un email",
        ]) && !agent.has(phrases!["nuestro correo", "su correo es", "su email es"])
    });
    if cues.is_empty() && asked {
        let start = answer_start(utterance);
        cues.push(start..start);
    }
    for cue in cues {
        // "Mi correo: ana@example.com"; "mi correo llega tarde" names none.
        if utterance.behind(cue.start, BARE_CUES) == Some(cue.end) && !leads_to_address(utterance, cue.end) {
            continue;
        }
        match address(utterance, cue.end) {
            Some(Some((value, end))) if !is_open(utterance, &cue) => {
                findings.push(statement(Topic::Email, value, utterance, cue.start..end));
                return;
            }
            Some(_) => findings.push(Finding::Doubt(Topic::Email)),
            None => {}
        }
    }
}

/// The most words of each side of a spelled-out address.
const SIDE: usize = 24;

/// The address at `place`, and the place behind it; inside, `None` for one that can be read in two ways.
#[expect(clippy::option_option, reason = "no address, and one that is not clear")]
fn address(utterance: &Utterance<'_>, place: usize) -> Option<Option<(String, usize)>> {
    let shown = utterance.shown(place);
    if shown.contains('@') {
        let value = shown.to_lowercase();
        return Some(is_address(&value).then_some((value, place + 1)));
    }
    let at = (place + 1..utterance.words.len().min(place + SIDE)).find(|at| utterance.norm(*at) == "arroba")?;
    // A domain goes on as long as there are dots.
    let mut end = at + 2;
    while utterance.norm(end) == "punto" {
        end += 2;
    }
    let whole = || {
        let value = format!("{}@{}", side(utterance, place..at)?, side(utterance, at + 1..end)?);
        (is_address(&value) && !utterance.lost(end) && end <= utterance.words.len()).then_some((value, end))
    };
    Some(whole())
}

/// One side of a spelled-out address. Two words in a row could be one or have a dot between, so that nobody knows.
fn side(utterance: &Utterance<'_>, places: Range<usize>) -> Option<String> {
    let mut written = String::new();
    let mut is_behind_word = false;
    let mut at = places.start;
    while at < places.end {
        let word = utterance.norm(at);
        let mark = match (word, utterance.norm(at + 1)) {
            ("guion", "bajo") => Some(("_", 2)),
            ("guion", "medio") => Some(("-", 2)),
            ("guion", _) => Some(("-", 1)),
            ("punto", _) => Some((".", 1)),
            _ => None,
        };
        if let Some((mark, length)) = mark {
            written.push_str(mark);
            (at, is_behind_word) = (at + length, false);
        } else if let Some((end, value)) = below_hundred(utterance, at) {
            written.push_str(&value.to_string());
            (at, is_behind_word) = (end, false);
        } else if word.bytes().all(|b| b.is_ascii_digit()) && !word.is_empty() {
            written.push_str(word);
            (at, is_behind_word) = (at + 1, false);
        } else {
            let is_word = word.len() > 1;
            let is_fit = !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
            // "El de ana arroba" is no address.
            let is_joint = is_joint(word) && !written.ends_with('.');
            let is_large = is_word && is_number(word) && word.chars().all(char::is_alphabetic);
            if !is_fit || is_word && (is_behind_word || is_joint || is_large) {
                return None;
            }
            written.push_str(word);
            (at, is_behind_word) = (at + 1, is_word);
        }
    }
    (!written.is_empty()).then_some(written)
}

/// Whether a word joins others rather than being part of an address.
fn is_joint(word: &str) -> bool {
    matches!(
        word,
        "con" | "de" | "el" | "en" | "es" | "la" | "mi" | "no" | "que" | "su" | "un" | "una"
    )
}

const NUMBER_CUES: &Phrases = phrases![
    "apunte mi numero",
    "contactarme al",
    "devolver la llamada al",
    "el numero es",
    "llamarme al",
    "llameme al",
    "llamenme al",
    "localizar al",
    "localizar en",
    "localizarme en",
    "mi cel es",
    "mi celular es",
    "mi fijo es",
    "mi movil es",
    "mi nuevo numero es",
    "mi nuevo telefono es",
    "mi numero de celular es",
    "mi numero de contacto es",
    "mi numero de movil es",
    "mi numero de telefono es",
    "mi numero es",
    "mi numero nuevo es",
    "mi telefono celular es",
    "mi telefono es",
    "mi telefono movil es",
];

/// The fewest and the most digits of a telephone number with its area.
const FEWEST: usize = 7;
const MOST: usize = 15;

/// The fewest digits of a group.
const GROUP: usize = 2;

fn asks_number(agent: &Utterance<'_>) -> bool {
    agent.has(phrases![
        "a que numero",
        "numero de contacto",
        "numero de telefono",
        "que numero puedo",
        "su celular",
        "su movil",
        "su numero",
        "su telefono",
        "telefono",
        "tu celular",
        "tu numero",
        "tu telefono",
        "un numero",
    ]) && !agent.has(phrases![
        "de afiliado",
        "de cliente",
        "de cuenta",
        "de factura",
        "de orden",
        "de pedido",
        "de poliza",
        "de referencia",
        "de reserva",
        "de seguridad",
        "de serie",
        "de socio",
        "de tarjeta",
        "nuestro numero",
        "nuestro telefono",
        "su numero es",
        "su telefono es",
        "telefono de la",
        "telefono del",
    ])
}

/// Notes the number of an exchange, and gives the turn from which on the call is to be read for others.
fn numbers(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) -> usize {
    let utterance = exchange.answer;
    let mut behind = utterance.turn + 1;
    let mut cues: Vec<Range<usize>> = utterance.find(NUMBER_CUES).collect();
    if cues.is_empty() && exchange.question.is_some_and(asks_number) {
        let start = answer_start(utterance);
        cues.push(start..start);
    }
    for cue in cues {
        let first = cue.end + usize::from(matches!(utterance.norm(cue.end), "ahora" | "el"));
        let Some(readout) = read_out(utterance, first).filter(|readout| readout.digits() >= GROUP) else {
            continue;
        };
        let mut number = Number {
            code: readout.code,
            is_doubtful: readout.doubtful || is_open(utterance, &cue),
            groups: vec![(utterance, cue.start..readout.end)],
        };
        if readout.end >= utterance.words.len() {
            behind = number.go_on(exchange.behind).unwrap_or(behind);
        } else {
            let next = utterance.norm(readout.end);
            let is_clear = utterance.ends_before(readout.end) || is_ordinary(next);
            number.is_doubtful |= !is_clear || matches!(next, "extension" | "ext");
        }
        let is_noted = number.is_clear();
        findings.extend(number.finding());
        if is_noted {
            break;
        }
    }
    behind
}

/// A number as far as it was read out.
struct Number<'c, 'a> {
    code: String,
    is_doubtful: bool,
    /// The words of each turn, and whose they are. Never empty.
    groups: Vec<(&'c Utterance<'a>, Range<usize>)>,
}

/// How many turns behind the first group are looked at.
const REACH: usize = 24;

impl<'c, 'a> Number<'c, 'a> {
    /// Reads the groups that follow in the turns of `call`, while the agent repeats each of them or has the caller go
    /// on. Gives the turn behind them.
    fn go_on(&mut self, call: &[&'c Utterance<'a>]) -> Option<usize> {
        let mut behind = None;
        // Whether the agent said again what was said last: the caller may do so too, or go on with the same digits.
        let mut is_repeated = false;
        for utterance in call.iter().take(REACH) {
            let says_digits = |place: &usize| {
                let word = utterance.norm(*place);
                !(is_interjection(word) || matches!(word, "continue" | "el" | "siga" | "y"))
            };
            let Some(start) = (0..utterance.words.len()).find(says_digits) else {
                continue;
            };
            let Some(readout) = read_out(utterance, start) else {
                break;
            };
            let is_whole = (readout.end..utterance.words.len()).all(|place| is_interjection(utterance.norm(place)));
            match utterance.speaker {
                Speaker::Agent if self.code.ends_with(&readout.code) && is_whole => is_repeated = true,
                Speaker::Agent => {
                    self.is_doubtful |= readout.digits() >= GROUP;
                    break;
                }
                Speaker::Caller if is_whole && !readout.doubtful => {
                    behind = Some(utterance.turn + 1);
                    if is_repeated && self.code != readout.code && self.code.ends_with(&readout.code) {
                        self.is_doubtful = true;
                        break;
                    }
                    is_repeated = false;
                    // Said once more, it is the same number.
                    if self.code != readout.code {
                        self.code.push_str(&readout.code);
                        self.groups.push((utterance, start..readout.end));
                    }
                }
                Speaker::Caller => {
                    self.is_doubtful = true;
                    break;
                }
            }
        }
        behind
    }

    fn is_clear(&self) -> bool {
        let digits = self.code.bytes().filter(u8::is_ascii_digit).count();
        !self.is_doubtful && (FEWEST..=MOST).contains(&digits)
    }

    fn finding(mut self) -> Option<Finding> {
        if !self.is_clear() {
            return Some(Finding::Doubt(Topic::CallbackNumber));
        }
        let (utterance, words) = self.groups.pop()?;
        let mut finding = statement(Topic::CallbackNumber, self.code, utterance, words);
        if let Finding::Statement(statement) = &mut finding {
            let earlier = self.groups.into_iter();
            statement.earlier = earlier
                .map(|(utterance, words)| Evidence {
                    turn: utterance.turn,
                    span: utterance.span(words),
                })
                .collect();
        }
        Some(finding)
    }
}

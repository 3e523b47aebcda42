//! Spanish calls: phrasings with what a careful listener would note, and what is left in silence.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod appointments;
mod callbacks;
mod emails;
mod names;
mod numbers;
mod refusals;

use language::{
    Speaker, Transcript,
    findings::{self, Day, Finding, Statement},
    summary,
};
use proptest::prelude::*;

/// Lines of a call, the agent's with `A: ` in front, and what is to be noted, as `key=value`.
type Phrasing = (&'static [&'static str], &'static [&'static str]);

fn turns(lines: &[String]) -> Vec<(Speaker, &str)> {
    let turn = |line: &'_ String| -> (Speaker, usize) {
        match line.strip_prefix("A: ") {
            Some(said) => (Speaker::Agent, line.len() - said.len()),
            None => (Speaker::Caller, 0),
        }
    };
    lines.iter().map(|line| (turn(line).0, &line[turn(line).1..])).collect()
}

fn found(lines: &[String]) -> Vec<String> {
    let call = Transcript::read(turns(lines));
    let today = Day::of(2026, 3, 4).expect("a day");
    let noted = |finding: Finding| match finding {
        Finding::Statement(statement) => Some(shown(&call, &statement)),
        Finding::Doubt(_) => None,
    };
    findings::of_call(&call, Some(today))
        .into_iter()
        .filter_map(noted)
        .collect()
}

/// A statement as the tables show it.
fn shown(call: &Transcript<'_>, statement: &Statement) -> String {
    assert!(!call.quote(statement).is_empty(), "a statement has its proof");
    let key = key(statement);
    match &statement.terms {
        Some(terms) => format!("{key}={} {}", terms.when().unwrap_or_default(), terms.status.as_str()),
        None if key == "do_not_call" => key.to_owned(),
        None if key == "promise" => format!("{key}={}", statement.value.to_lowercase()),
        None => format!("{key}={}", statement.value),
    }
}

fn summed_up(lines: &[&str]) -> String {
    let lines = owned(lines);
    let call = Transcript::read(turns(&lines));
    summary::of_call(&call, &findings::of_call(&call, Day::of(2026, 3, 4)))
}

fn key(statement: &Statement) -> &'static str {
    use findings::Topic;
    match statement.topic {
        Topic::Name => "name",
        Topic::Email => "email",
        Topic::CallbackNumber => "callback_number",
        Topic::Appointment => "appointment",
        Topic::Promise => "promise",
        Topic::DoNotCall => "do_not_call",
        _ => "another",
    }
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Without accents, as some recognisers write.
fn bare(text: &str) -> String {
    let bare = |c: char| match c {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        'ñ' => 'n',
        'Á' => 'A',
        'É' => 'E',
        'Í' => 'I',
        'Ó' => 'O',
        'Ú' => 'U',
        c => c,
    };
    text.chars().map(bare).collect()
}

/// Checks a table, as it is written and without accents, and that half of it has nothing to note.
fn check(table: &str, phrasings: &[Phrasing]) {
    let mut wrong = Vec::new();
    for (lines, expected) in phrasings {
        let said = owned(lines);
        let found_as_written = found(&said);
        if found_as_written != owned(expected) {
            wrong.push(format!(
                "{lines:?}\n  expected {expected:?}\n  found    {found_as_written:?}"
            ));
            continue;
        }
        let said: Vec<String> = said.iter().map(|line| bare(line)).collect();
        let expected: Vec<String> = expected.iter().map(|noted| bare(noted)).collect();
        let found_bare = found(&said);
        if found_bare != expected {
            wrong.push(format!("{said:?}\n  expected {expected:?}\n  found    {found_bare:?}"));
        }
    }
    let positive = phrasings.iter().filter(|(_, expected)| !expected.is_empty()).count();
    assert!(
        wrong.is_empty(),
        "{table}: {} of {} wrong, {positive} have something to note\n{}",
        wrong.len(),
        phrasings.len(),
        wrong.join("\n")
    );
}

#[test]
fn names_are_found() {
    check("names", names::DEVELOPED);
}

#[test]
fn held_names_are_found() {
    check("names held out", names::HELD_OUT);
}

#[test]
fn later_names_are_found() {
    check("names written later", names::LATER);
}

#[test]
fn emails_are_found() {
    check("emails", emails::DEVELOPED);
}

#[test]
fn held_emails_are_found() {
    check("emails held out", emails::HELD_OUT);
}

#[test]
fn later_emails_are_found() {
    check("emails written later", emails::LATER);
}

#[test]
fn numbers_are_found() {
    check("numbers", numbers::DEVELOPED);
}

#[test]
fn held_numbers_are_found() {
    check("numbers held out", numbers::HELD_OUT);
}

#[test]
fn later_numbers_are_found() {
    check("numbers written later", numbers::LATER);
}

#[test]
fn appointments_are_found() {
    check("appointments", appointments::DEVELOPED);
}

#[test]
fn held_appointments_are_found() {
    check("appointments held out", appointments::HELD_OUT);
}

#[test]
fn later_appointments_are_found() {
    check("appointments written later", appointments::LATER);
}

#[test]
fn callbacks_are_found() {
    check("callbacks", callbacks::DEVELOPED);
}

#[test]
fn held_callbacks_are_found() {
    check("callbacks held out", callbacks::HELD_OUT);
}

#[test]
fn later_callbacks_are_found() {
    check("callbacks written later", callbacks::LATER);
}

#[test]
fn refusals_are_found() {
    check("refusals", refusals::DEVELOPED);
}

#[test]
fn held_refusals_are_found() {
    check("refusals held out", refusals::HELD_OUT);
}

#[test]
fn later_refusals_are_found() {
    check("refusals written later", refusals::LATER);
}

#[test]
fn last_refusals_are_found() {
    check("refusals written last", refusals::LAST);
}

/// Calls in languages that are not read, with names, numbers and times in them.
const UNREAD: &[&[&str]] = &[
    &[
        "A: Guten Tag, Praxis Sommer, was kann ich für Sie tun?",
        "Guten Tag, mein Name ist Anna Schmidt. Ich bin am Freitag um drei Uhr da, meine Nummer ist 030 555 0142.",
        "A: Gut, Ihr Termin am Freitag um drei Uhr ist bestätigt.",
        "Danke, meine E-Mail ist anna@example.com.",
    ],
    &["ich bin am freitag da", "A: ja gut", "danke"],
    &[
        "A: Bonjour, à qui ai-je l'honneur ?",
        "Je m'appelle Marie Dubois et mon numéro est le 01 55 50 14 20.",
        "A: Votre rendez-vous est confirmé pour mardi à trois heures.",
        "Merci, au revoir.",
    ],
    &[
        "A: Bom dia, com quem eu falo?",
        "Olá, meu nome é João Silva e eu quero marcar uma consulta para amanhã às três da tarde.",
        "A: Muito bem, a sua consulta está confirmada para amanhã.",
        "Obrigado. Não me liguem mais, por favor, meu número é 11 5555 0142.",
    ],
    &[
        "A: Buongiorno, con chi parlo?",
        "Sono Paolo Rossi, vorrei un appuntamento per domani alle tre.",
        "A: Va bene, il suo appuntamento è confermato per domani alle tre.",
        "Grazie, il mio numero è 06 5550 1420.",
    ],
    &[
        "hello mera naam rahul hai",
        "A: ji rahul aapka number kya hai",
        "mera number nau aath saat hai aur main kal subah aaunga",
    ],
    &[
        "dag ik heet jan de vries en ik wil graag een afspraak voor dinsdag",
        "A: dat is goed",
    ],
    &[
        "merhaba benim adım ayşe yılmaz yarın saat üçte gelmek istiyorum",
        "A: tamam yarın saat üçte görüşürüz",
    ],
    &[
        "здравствуйте меня зовут анна мой номер 555 01 42",
        "A: хорошо завтра в три часа",
    ],
    &["你好 我叫王芳 明天下午三点"],
];

#[test]
fn other_languages_are_left_in_silence() {
    for lines in UNREAD {
        assert_eq!(found(&owned(lines)), [""; 0], "{lines:?}");
        assert_eq!(summed_up(lines), "", "{lines:?}");
    }
}

#[test]
fn a_spanish_call_is_summed_up_by_what_was_agreed() {
    for (lines, expected) in [
        (
            &[
                "A: Clínica Arce, buenos días.",
                "Hola, quiero una cita para el martes a las tres y media de la tarde.",
                "A: Muy bien, queda agendada. ¿Su nombre?",
                "Ana Ruiz.",
            ][..],
            "Agreed: \"cita el martes a las tres y media de la tarde\".",
        ),
        (
            &[
                "A: Entonces, una mesa para dos el sábado a las nueve de la noche, ¿correcto?",
                "Sí.",
            ],
            "Asked for: \"mesa para dos el sábado a las nueve de la noche\".",
        ),
        (
            &[
                "A: ¿Le viene bien el lunes a las nueve de la mañana?",
                "Sí.",
                "A: Queda reservada la cita.",
                "Ay, no, cancele la cita, por favor.",
                "A: Su cita ha sido cancelada.",
            ],
            "Cancelled: \"cita\".",
        ),
        (
            &[
                "Hola, tengo una duda con mi factura.",
                "A: Dígame, ¿qué le pasa?",
                "Me cobraron dos veces.",
            ],
            "",
        ),
        (&["Buenos días.", "A: Hola, ¿qué tal?"], ""),
    ] {
        assert_eq!(summed_up(lines), expected, "{lines:?}");
    }
}

#[test]
fn each_turn_is_read_in_its_own_language() {
    let lines = [
        "A: Thank you for calling, how can I help you?",
        "Hola, ¿habla español? Me llamo Ana Ruiz.",
        "A: Sí, claro. ¿Su correo?",
        "ana arroba example punto com",
        "A: I have booked you for Tuesday at three, one moment please.",
        "okay thank you my number is two oh two five five five oh one four two",
    ];
    assert_eq!(
        found(&owned(&lines)),
        [
            "callback_number=2025550142",
            "appointment=2026-03-10 agreed",
            "name=Ana Ruiz",
            "email=ana@example.com",
        ]
    );
}

/// Words of which calls are made in which something is stated.
fn words() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "me llamo",
        "Ana",
        "García,",
        "de la",
        "mi número es",
        "el",
        "seis",
        "doble",
        "cincuenta",
        "y",
        "612",
        "+34",
        "mi correo es",
        "arroba",
        "punto",
        "guion bajo",
        "ejemplo",
        "com",
        "su cita",
        "queda",
        "confirmada",
        "cancelada",
        "para el martes",
        "a las tres",
        "menos cuarto",
        "de la tarde",
        "mañana",
        "pasado",
        "sí,",
        "no",
        "no me llamen",
        "más",
        "le llamamos",
        "le llamará",
        "¿",
        "?",
        "<unk>",
        "hola.",
        "si",
        "quiero una cita",
        "bórreme de la lista",
    ]);
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn what_is_stated_is_proven(lines in prop::collection::vec((any::<bool>(), words()), 0..8)) {
        let speaker = |is_agent: bool| if is_agent { Speaker::Agent } else { Speaker::Caller };
        let turns: Vec<(Speaker, &str)> = lines.iter().map(|(agent, text)| (speaker(*agent), text.as_str())).collect();
        let call = Transcript::read(turns.iter().copied());
        for finding in findings::of_call(&call, Day::of(2026, 3, 4)) {
            if let Finding::Statement(statement) = finding {
                prop_assert!(call.quotes(&statement).all(|quote| !quote.is_empty()));
                prop_assert!(statement.topic.speakers().contains(&turns[statement.turn].0));
            }
        }
    }
}

#[test]
fn every_group_of_a_number_has_its_quote() {
    let lines = ["A: ¿Su teléfono?", "es el seis doce", "A: seis doce", "34 56 78"];
    let lines = owned(&lines);
    let call = Transcript::read(turns(&lines));
    let findings = findings::of_call(&call, None);
    let [Finding::Statement(statement)] = &findings[..] else {
        panic!("{findings:?}");
    };
    assert_eq!(call.quotes(statement).collect::<Vec<_>>(), ["seis doce", "34 56 78"]);
}

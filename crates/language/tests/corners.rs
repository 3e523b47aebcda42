//! What was once read wrongly, in shapes that no table of phrasings has.

use language::{
    Speaker, Transcript,
    findings::{self, Finding, Topic},
    summary,
};

fn read(turns: &[(Speaker, &str)]) -> (Vec<(Topic, String)>, String) {
    let call = Transcript::read(turns.iter().copied());
    let findings = findings::of_call(&call, None);
    let summary = summary::of_call(&call, &findings);
    let stated = findings.into_iter().filter_map(|finding| match finding {
        Finding::Statement(statement) => Some((statement.topic, statement.value)),
        Finding::Doubt(_) => None,
    });
    (stated.collect(), summary)
}

const CALLER: Speaker = Speaker::Caller;
const AGENT: Speaker = Speaker::Agent;

#[test]
fn a_wish_may_begin_a_call() {
    let (found, _) = read(&[(CALLER, "Number's on the do not call list.")]);
    assert_eq!(found, [(Topic::DoNotCall, "no calls".to_owned())]);
    let (found, _) = read(&[(CALLER, "My number's on the do not call list.")]);
    assert_eq!(found, [(Topic::DoNotCall, "no calls".to_owned())]);
    let (found, _) = read(&[(CALLER, "No further more calls.")]);
    assert!(found.iter().all(|(topic, _)| *topic == Topic::DoNotCall), "{found:?}");
    // Whatever it means, it is read to its end.
    read(&[(CALLER, "Further more calls.")]);
    read(&[(CALLER, "more calls")]);
}

#[test]
fn a_number_from_abroad_does_not_end_by_its_length() {
    for parts in [
        ["my number is +49 151 234", "567", "89"],
        ["my number is 0151 234", "567 8", "90 1"],
    ] {
        let (found, _) = read(&[
            (CALLER, parts[0]),
            (AGENT, "mm-hm"),
            (CALLER, parts[1]),
            (AGENT, "mm-hm"),
            (CALLER, parts[2]),
            (AGENT, "thank you"),
        ]);
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let whole: String = parts.iter().map(|part| digits(part)).collect();
        let numbers = found.iter().filter(|(topic, _)| *topic == Topic::CallbackNumber);
        for (_, number) in numbers {
            assert_eq!(digits(number), whole, "{parts:?}");
        }
    }
}

#[test]
fn a_group_that_the_agent_repeats_is_not_added_twice() {
    let (found, _) = read(&[
        (CALLER, "mi número es cincuenta y cinco doce"),
        (AGENT, "sí"),
        (CALLER, "treinta y cuatro"),
        (AGENT, "¿treinta y cuatro?"),
        (CALLER, "treinta y cuatro"),
        (AGENT, "gracias"),
    ]);
    assert_eq!(found, []);
}

#[test]
fn what_somebody_says_of_two_is_not_taken_back() {
    let (_, summary) = read(&[
        (CALLER, "I called because you called me about the invoice."),
        (AGENT, "Let me look that up for you."),
    ]);
    assert_eq!(
        summary,
        "Caller called because the agent called them about the invoice."
    );
}

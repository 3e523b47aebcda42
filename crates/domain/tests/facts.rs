//! Facts from what people say: phrasings with what a careful listener would note, and what must hold of any transcript.

use std::collections::BTreeSet;

use domain::{
    call::{self, Role, Turn},
    facts::{self, Extraction, Fact, FactKey, FactOutcome, FactView, SaidFact, Status},
};
use language::findings::{self, Finding, Statement, Terms, Topic};
use proptest::prelude::*;

/// Lines of a call, the agent's with `A: ` in front, and what is to be noted, as `key=value`.
type Phrasing = (&'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const PHRASINGS: &[Phrasing] = &[
    // Names.
    (&["Hi, my name is Maren Okafor and I have a question about my bill."], &["name=Maren Okafor"]),
    (&["hi my name is tobias lindqvist i'd like to change my flight"], &["name=Tobias Lindqvist"]),
    (&["hello my name is sofia"], &["name=Sofia"]),
    (&["yeah my name's wendell pruitt"], &["name=Wendell Pruitt"]),
    (&["Good morning, this is Harriet Vance calling about the quote you sent."], &["name=Harriet Vance"]),
    (&["hi this is desmond calling"], &["name=Desmond"]),
    (&["this is imani clarke speaking"], &["name=Imani Clarke"]),
    (&["Hey, it's Gus here again."], &["name=Gus"]),
    (&["Hello, this is Dr. Amara Nwosu from the clinic on Fifth."], &["name=Amara Nwosu"]),
    (&["A: May I have your name, please?", "Sure, it's Beatriz Almeida."], &["name=Beatriz Almeida"]),
    (&["A: who am i speaking with", "uh you're speaking with no one special ha"], &[]),
    (&["A: who am i speaking with today", "kofi mensah"], &["name=Kofi Mensah"]),
    (&["A: can i get your first and last name", "yes it's yuki tanaka"], &["name=Yuki Tanaka"]),
    (&["A: And your name?", "Prefer not to say."], &[]),
    (&["A: what's your name", "what do you need that for"], &[]),
    (&["A: your name please", "okay hold on a second"], &[]),
    (&["A: Can I have your name?", "O'Malley. Siobhan O'Malley."], &["name=Siobhan O'Malley"]),
    (&["A: what is your last name", "fernandez", "A: and your first name", "luz"], &["name=Fernandez", "name=Luz Fernandez"]),
    (&["my name is pieter van der merwe"], &["name=Pieter van der Merwe"]),
    (&["My full name is Ngozi Adaeze Eze."], &["name=Ngozi Adaeze Eze"]),
    (&["my name is rosa delgado", "A: thanks rosa delgato", "no it's delgado with a d"], &["name=Rosa Delgado"]),
    (&["my name is karl jensen", "A: okay mr jenson", "no it's jensen with an e"], &["name=Karl Jensen"]),
    (&["this is my second call today"], &[]),
    (&["this is unbelievable"], &[]),
    (&["this is for the account under my wife's name"], &[]),
    (&["my husband's name is carlos ortega and he's the account holder"], &[]),
    (&["my name is not on the policy for some reason"], &[]),
    (&["my name is spelled wrong on the bill"], &[]),
    (&["i'm calling on behalf of ingrid solberg"], &[]),
    (&["can you check if my name is still in the system"], &[]),
    (&["A: hello my name is trevor how can i help", "hi trevor i need a new card"], &[]),
    (&["A: Hi, this is Paula from Northwind.", "Hi Paula, good to hear from you."], &[]),
    (&["i'm really frustrated with this whole thing"], &[]),
    (&["I'm John's neighbour, he asked me to call."], &[]),
    (&["It's raining here and the roof is leaking."], &[]),
    (&["A: what is the company name", "blue harbor electric"], &[]),
    (&["A: what's the name of your dog", "biscuit"], &[]),
    (&["this is sam's mom calling"], &[]),
    (&["my name is uh <unk> smith"], &[]),
    (&["they told me my name is mud around there"], &[]),
    (&["hi i'm calling about the apartment on elm"], &[]),
    (&["No, my name is Ines Barros, not Agnes."], &["name=Ines Barros"]),
    (&["Hello, I'm Rafael Quintero and I'd like a quote."], &["name=Rafael Quintero"]),
    // E-mail addresses.
    (&["My email is jane.doe@example.com."], &["email=jane.doe@example.com"]),
    (&["my email address is jane at example dot com"], &["email=jane@example.com"]),
    (&["sure my email is j dot smith at example dot co dot uk"], &["email=j.smith@example.co.uk"]),
    (&["A: What's your email?", "It's m underscore ortiz at example dot org."], &["email=m_ortiz@example.org"]),
    (&["A: and your email address", "tom forty at example dot com"], &[]),
    (&["A: what is a good email address for you", "k l e e at example dot net"], &["email=klee@example.net"]),
    (&["you can email me at ben99@example.com, that's easiest"], &["email=ben99@example.com"]),
    (&["please update my email to new.me@example.com"], &["email=new.me@example.com"]),
    (&["i emailed support@example.com twice and nobody answered"], &[]),
    (&["my wife's email is anna@example.com"], &[]),
    (&["my old email is gone so don't use it"], &[]),
    (&["my email is not working"], &[]),
    (&["A: what's your email", "i don't have one"], &[]),
    (&["my email is jane doe at example dot com"], &[]),
    (&["my email is lucy at <unk> dot com"], &[]),
    (&["is my email jane@example.com in your system?"], &[]),
    (&["can you look at the email i sent you yesterday"], &[]),
    (&["A: We have info@example.com, is that your email address?", "no"], &[]),
    // Telephone numbers.
    (&["you can call me back at 202-555-0142"], &["callback_number=2025550142"]),
    (&["my number is two zero two five five five oh one four two"], &["callback_number=2025550142"]),
    (&["My cell is (202) 555-0187."], &["callback_number=2025550187"]),
    (&["A: What's the best number to reach you?", "It's +1 202 555 0110."], &["callback_number=+12025550110"]),
    (&["A: and a callback number", "two oh two five five five zero one nine nine"], &["callback_number=2025550199"]),
    (&["A: can i have your phone number", "sure two zero two double five five oh one one one"], &["callback_number=2025550111"]),
    (&["reach me on 07700 900123 please"], &["callback_number=07700900123"]),
    (&["A: what is your phone number", "one two nine"], &[]),
    (&["my number is five five five <unk> one two three four"], &[]),
    (&["don't call me at 202-555-0142 anymore, that's my work line"], &[]),
    (&["my account number is 4417123456"], &[]),
    (&["i dialed 1-800-555-0199 and got you"], &[]),
    (&["my card ends in four four one seven"], &[]),
    (&["A: what's your account number", "two two oh one nine nine eight seven"], &[]),
    (&["his number is 202-555-0177"], &[]),
    (&["i'm number 3 in line apparently"], &[]),
    (&["is my number 202-555-0142 on file?"], &[]),
    // Addresses and cities.
    (&["my address is 42 Maple Street, Springfield"], &["address=42 Maple Street, Springfield"]),
    (&["i live at one twenty eight oak lane"], &["address=one twenty eight oak lane"]),
    (&["A: what is your address", "seven seven five west birch avenue apartment four"], &["address=seven seven five west birch avenue apartment four"]),
    (&["My mailing address is 1200 Harbor Blvd, Unit 5, Oakdale, CA 95361."], &["address=1200 Harbor Blvd, Unit 5, Oakdale, CA 95361"]),
    (&["A: and your home address?", "Sure, it's 9 Quarry Road."], &["address=9 Quarry Road"]),
    (&["A: what is the company address", "the address is five two zero first street"], &[]),
    (&["my address is wrong on the invoice"], &[]),
    (&["A: what's your email address", "i'd rather give you my street address"], &[]),
    (&["the store is at 50 main street"], &[]),
    (&["i used to live at 12 elm street"], &[]),
    (&["there's a branch at 200 park avenue right"], &[]),
    (&["do you still have my address as 14 Pine Road?"], &[]),
    (&["I live in Portland."], &["city=Portland"]),
    (&["i live in new orleans and the delivery never came"], &["city=New Orleans"]),
    (&["We're located in Salt Lake City."], &["city=Salt Lake City"]),
    (&["i live in an apartment on the third floor"], &[]),
    (&["A: what city are you in", "uh tacoma"], &["city=Tacoma"]),
    (&["my daughter lives in boston"], &[]),
    (&["i live in fear of my next bill"], &[]),
    (&["if i live in canada do i pay duty"], &[]),
    // Preferred time.
    (&["Please call me after 5 pm."], &["preferred_time=after 5 pm"]),
    (&["mornings work best for me"], &["preferred_time=mornings"]),
    (&["the best time to reach me is between nine and eleven"], &["preferred_time=between nine and eleven"]),
    (&["i'm only available on weekends"], &["preferred_time=weekends"]),
    (&["i prefer afternoons"], &["preferred_time=afternoons"]),
    (&["Could you call me back tomorrow at 3:30?"], &["preferred_time=tomorrow at 3:30"]),
    (&["after six is better because i'm at work"], &["preferred_time=after six"]),
    (&["weekday evenings are best"], &["preferred_time=weekday evenings"]),
    (&["call me back in the morning"], &["preferred_time=in the morning"]),
    (&["don't call me in the morning"], &[]),
    (&["somebody called me tuesday at nine"], &[]),
    (&["i have been on hold since noon"], &[]),
    (&["can you call me a cab"], &[]),
    (&["call me when you know more"], &[]),
    (&["i called yesterday afternoon and again this morning"], &[]),
    (&["are mornings better for you?"], &[]),
    // Preferred channel.
    (&["I prefer email."], &["preferred_channel=email"]),
    (&["just text me"], &["preferred_channel=text"]),
    (&["please don't call, text me instead"], &["preferred_channel=text"]),
    (&["the best way to reach me is by email"], &["preferred_channel=email"]),
    (&["i'd prefer a phone call"], &["preferred_channel=phone"]),
    (&["texting works best for me"], &["preferred_channel=text"]),
    (&["i'd rather get a text message"], &["preferred_channel=text"]),
    (&["can you email me the receipt"], &[]),
    (&["please text me the address when you get it"], &[]),
    (&["i don't prefer email at all"], &[]),
    (&["you never text me back"], &[]),
    (&["i got your email this morning"], &[]),
    (&["contact me via whatsapp please"], &["preferred_channel=whatsapp"]),
    // References.
    (&["my order number is 48213"], &["reference=order 48213"]),
    (&["the policy number is AB-120934"], &["reference=policy AB120934"]),
    (&["A: your confirmation number is x y four four seven two"], &["reference=confirmation XY4472"]),
    (&["A: Your case number is 00918273.", "thanks"], &["reference=case 00918273"]),
    (&["A: what's your order number", "it's seven seven one oh three"], &["reference=order 77103"]),
    (&["I'm calling about order 1049823."], &["reference=order 1049823"]),
    (&["it's about claim number two two five nine one"], &["reference=claim 22591"]),
    (&["i don't have my order number with me"], &[]),
    (&["A: is your order number 48213?", "no"], &[]),
    (&["i placed an order for 2 chairs"], &[]),
    (&["the order is one day late"], &[]),
    (&["my ticket number is seven <unk> nine nine two"], &[]),
    (&["A: is there a reference number", "not that i know"], &[]),
    (&["in that case i want a refund of 40 dollars"], &[]),
    (&["my credit card number is 4242 4242 4242 4242"], &[]),
    // Appointments.
    (&["A: Great, your appointment is on Tuesday at 3 pm."], &["appointment=Tuesday at 3 pm"]),
    (&["A: okay i've booked you in for friday at ten thirty"], &["appointment=friday at ten thirty"]),
    (&["A: you're all set for march 3rd at 9 am"], &["appointment=march 3rd at 9 am"]),
    (&["A: See you tomorrow at noon!"], &["appointment=tomorrow at noon"]),
    (&["i have an appointment on thursday at four"], &["appointment=thursday at four"]),
    (&["A: We have you down for Monday, June 2nd at 11:15."], &["appointment=Monday, June 2nd at 11:15"]),
    (&["A: would you like an appointment on tuesday at three"], &[]),
    (&["A: your appointment on tuesday has been cancelled"], &["appointment=appointment on tuesday"]),
    (&["i need an appointment for next monday"], &[]),
    (&["A: we don't have anything on friday at ten"], &[]),
    (&["A: if your appointment is on friday at ten please bring your card"], &[]),
    (&["i had an appointment on monday and nobody came"], &[]),
    (&["A: I moved your appointment to Wednesday at 2."], &["appointment=Wednesday at 2"]),
    // Promises.
    (&["A: we will send your payment to fossil gas today"], &["promise=send your payment to fossil gas today"]),
    (&["A: I'll email you the invoice by Friday. Anything else?"], &["promise=email you the invoice by Friday"]),
    (&["A: a technician will call you back within the hour"], &["promise=call you back within the hour"]),
    (&["A: we'll refund the forty dollars to your card"], &["promise=refund the forty dollars to your card"]),
    (&["A: you'll receive a confirmation email shortly"], &["promise=receive a confirmation email shortly"]),
    (&["A: i will get back to you on monday is there anything else"], &["promise=get back to you on monday"]),
    (&["A: i'll be happy to help you with that"], &[]),
    (&["A: if you sign up we'll send you a free mug"], &[]),
    (&["A: i'll put you on hold for a moment"], &[]),
    (&["A: will you send me the photo"], &[]),
    (&["i'll send you the check tomorrow"], &[]),
    (&["A: i'll need your date of birth"], &[]),
    (&["A: we won't send anything by mail"], &[]),
    (&["A: shall i say that we'll call you back?"], &[]),
    // The same things in other words.
    (&["hello yes my name is fatima al sayed and i am calling about a refund"], &["name=Fatima al Sayed"]),
    (&["Hi there! My name is Georg, I ordered a lamp last week."], &["name=Georg"]),
    (&["hi um this is uh lars eriksen i'm calling about my internet"], &["name=Lars Eriksen"]),
    (&["good afternoon this is mrs abernathy calling"], &["name=Abernathy"]),
    (&["A: thank you for calling may i ask who's calling", "yes this is oscar"], &["name=Oscar"]),
    (&["A: And who do I have on the line?", "This is Thandiwe."], &["name=Thandiwe"]),
    (&["A: could you tell me your name", "sure my name is mei ling chen"], &[]),
    (&["A: first and last name please", "jerome baptiste sir"], &["name=Jerome Baptiste"]),
    (&["A: what is your name", "it's complicated the account is under my dad"], &[]),
    (&["A: What's your name?", "What's yours?"], &[]),
    (&["A: your name", "same as last time"], &[]),
    (&["A: name please", "yeah one second let me find the letter"], &[]),
    (&["it's peter from two doors down here you go"], &[]),
    (&["this is about the leak in unit four"], &[]),
    (&["hi this is not an emergency but my heat is out"], &[]),
    (&["this is exactly what i was calling about"], &[]),
    (&["my name is also on the lease"], &[]),
    (&["the name is smith and sons plumbing"], &[]),
    (&["hey it's me again"], &[]),
    (&["I am so sorry, I am late."], &[]),
    (&["I'm Canadian so I need it in French."], &[]),
    (&["hi i'm a new customer"], &[]),
    (&["you're speaking with the wrong person"], &[]),
    (&["my name is danielle d a n i e l l e"], &["name=Danielle"]),
    (&["My name is Jon Hale, J-O-N."], &["name=Jon Hale"]),
    (&["my email is p a u l at example dot com"], &["email=paul@example.com"]),
    (&["Email's r.vega@example.net"], &["email=r.vega@example.net"]),
    (&["A: is this still your email address, old@example.com?", "No, it's new@example.com now."], &["email=new@example.com"]),
    (&["send the receipt to billing@example.com please"], &[]),
    (&["A: what's your email", "sara dot lind at example dot com"], &["email=sara.lind@example.com"]),
    (&["my email keeps bouncing"], &[]),
    (&["A: Could I take an email address?", "Yes: t-brown@example.co.uk"], &["email=t-brown@example.co.uk"]),
    (&["best number for me is 202 555 0133"], &["callback_number=2025550133"]),
    (&["you can reach me at 2025550155 or by mail"], &["callback_number=2025550155"]),
    (&["A: What number can we reach you at?", "202-555-0161, it's my cell."], &["callback_number=2025550161"]),
    (&["A: is this the best number", "no use 202 555 0120 instead"], &["callback_number=2025550120"]),
    (&["the serial number is 2025550142"], &[]),
    (&["my social is 123456789"], &[]),
    (&["call me at nine tomorrow"], &["preferred_time=nine tomorrow"]),
    (&["My new address is 77 Willow Court, Apt 3B, Dayton, Ohio."], &["address=77 Willow Court, Apt 3B, Dayton, Ohio"]),
    (&["i live at four fifteen north ridge road and the power is out"], &["address=four fifteen north ridge road"]),
    (&["Can you ship it to 18 Lark Terrace?"], &[]),
    (&["we live in grand rapids"], &["city=Grand Rapids"]),
    (&["I'm based in Leeds, by the way."], &["city=Leeds"]),
    (&["i don't live in denver anymore"], &[]),
    (&["i live in the city center"], &[]),
    (&["i'd prefer mornings if possible"], &["preferred_time=mornings"]),
    (&["weekends are better for me"], &["preferred_time=weekends"]),
    (&["anytime after four works for me"], &["preferred_time=anytime after four"]),
    (&["I'm usually home in the evenings."], &["preferred_time=in the evenings"]),
    (&["A: when would be a good time to call", "after lunch"], &[]),
    (&["i work nights so never call me before noon"], &[]),
    (&["the technician was here tuesday morning"], &[]),
    (&["Email is better than phone for me."], &["preferred_channel=email"]),
    (&["could you call me instead of emailing"], &["preferred_channel=phone"]),
    (&["i would rather you text me"], &["preferred_channel=text"]),
    (&["I don't like phone calls, email me instead."], &["preferred_channel=email"]),
    (&["did you text me yesterday"], &[]),
    (&["my confirmation code is Q7T4Z2"], &["reference=confirmation Q7T4Z2"]),
    (&["Policy number: 7710-2234."], &["reference=policy 77102234"]),
    (&["the tracking number is one z nine nine nine"], &["reference=tracking 1Z999"]),
    (&["A: i've opened ticket number 55120 for you"], &["reference=ticket 55120"]),
    (&["i ordered number four from the menu"], &[]),
    (&["in case you need it my zip is 97201"], &[]),
    (&["A: perfect so we will see you on the 14th at 4 pm"], &["appointment=the 14th at 4 pm"]),
    (&["A: your reservation is confirmed for saturday at eight"], &["appointment=saturday at eight"]),
    (&["my appointment is tomorrow at 8 am and i can't make it"], &["appointment=tomorrow at 8 am"]),
    (&["A: the earliest appointment is thursday at two would that work"], &[]),
    (&["A: Someone will contact you within two business days."], &["promise=contact you within two business days"]),
    (&["A: i'm going to send you a text with the link"], &["promise=send you a text with the link"]),
    (&["A: I'll call you back after I talk to my manager."], &["promise=call you back after I talk to my manager"]),
    (&["A: we'll have to see about that"], &[]),
    (&["A: you'll need to call your bank"], &[]),
    (&["A: i will transfer you now"], &[]),
    // Once more, as recognisers hear it.
    (&["hi there um my name's ola nordmann and uh i've got a problem with the heating"], &["name=Ola Nordmann"]),
    (&["yeah my name is priscilla hart what are your opening hours"], &["name=Priscilla Hart"]),
    (&["okay so my name is hector villanueva i wanna cancel"], &["name=Hector Villanueva"]),
    (&["hi good afternoon my name is bao nguyen and i would like to make a payment"], &["name=Bao Nguyen"]),
    (&["hello my name is [noise] esther cohen"], &["name=Esther Cohen"]),
    (&["my name is jo~ jordan pike"], &[]),
    (&["hi my name is uh lena and my last name is fischer"], &["name=Lena"]),
    (&["my name is marcus aurel stone bridge"], &[]),
    (&["so my name is like on the waiting list right"], &[]),
    (&["hi it's me i called earlier about the fridge"], &[]),
    (&["this is kind of urgent"], &[]),
    (&["this is mister gupta again"], &["name=Gupta"]),
    (&["this is the third time i'm calling"], &[]),
    (&["this is gonna sound strange but i need two"], &[]),
    (&["i'm gonna need that in writing"], &[]),
    (&["it's working now thanks"], &[]),
    (&["it's broken again here in the kitchen"], &[]),
    (&["A: who's calling please", "my boss told me to call"], &[]),
    (&["A: your full name please", "first name ravi last name shankar"], &["name=Ravi Shankar"]),
    (&["A: may i have your name", "it's under thompson"], &[]),
    (&["A: what name is the reservation under", "it's under whitaker"], &[]),
    (&["A: and what was your name again", "leila"], &["name=Leila"]),
    (&["A: can you spell your last name", "k o v a c s"], &[]),
    (&["my name is eva kovacs", "A: can you spell your last name", "k o v a c s"], &["name=Eva Kovacs"]),
    (&["my name is eva kovach", "A: can you spell your last name", "k o v a c s"], &["name=Eva Kovach", "name=Eva Kovacs"]),
    (&["A: so that's miss leigh", "no lee with two e's"], &["name=Lee"]),
    (&["sure my email's anna dash lee at example dot com"], &["email=anna-lee@example.com"]),
    (&["it's all lower case maria42 at example dot org"], &[]),
    (&["A: what's the email on the account", "should be finance at example dot com"], &[]),
    (&["my email address is mike one two three at example dot com"], &["email=mike123@example.com"]),
    (&["i never gave you my email"], &[]),
    (&["my phone number is still two oh two five five five oh one eight eight"], &["callback_number=2025550188"]),
    (&["you have my number it's the one i'm calling from"], &[]),
    (&["my number used to be 202 555 0111"], &[]),
    (&["A: what's a good number", "two oh two five five five"], &[]),
    (&["A: can i get a number in case we get cut off", "yeah 202 555 0172"], &["callback_number=2025550172"]),
    (&["the address is 15 cedar drive but that's my neighbor's"], &[]),
    (&["A: where should we send it", "to 900 ocean parkway apartment 6 brooklyn"], &["address=900 ocean parkway apartment 6 brooklyn"]),
    (&["i live on a farm outside town"], &[]),
    (&["A: what is the delivery address", "it's 31 mill lane"], &["address=31 mill lane"]),
    (&["i live in the same building as my mother"], &[]),
    (&["i live in houston but i'm calling for my sister in dallas"], &["city=Houston"]),
    (&["tomorrow at ten works for me"], &["preferred_time=tomorrow at ten"]),
    (&["call me any time after three p m"], &["preferred_time=any time after three p m"]),
    (&["is after five better for you guys"], &[]),
    (&["my shift is from nine to five"], &[]),
    (&["i was told you would call me monday morning"], &[]),
    (&["email works better for me than phone"], &["preferred_channel=email"]),
    (&["text me the code again please"], &[]),
    (&["i'd like to get a call from your manager"], &[]),
    (&["my order number ends in 44"], &[]),
    (&["reference number q r seven seven two one"], &["reference=reference QR7721"]),
    (&["the claim number you gave me was wrong"], &[]),
    (&["A: okay your booking is all set it's for two people"], &[]),
    (&["A: alright you're scheduled for next wednesday at one fifteen p m"], &["appointment=next wednesday at one fifteen p m"]),
    (&["A: we could see you on tuesday at nine"], &[]),
    (&["A: so i have you down for the second of june at ten"], &["appointment=the second of june at ten"]),
    (&["A: i'll go ahead and send you that form now"], &["promise=send you that form now"]),
    (&["A: we will credit your account within three days"], &["promise=credit your account within three days"]),
    (&["A: i'll call the store and see if they have it"], &[]),
    (&["A: somebody will come and fix it tomorrow morning"], &["promise=come and fix it tomorrow morning"]),
    (&["A: you'll get a text when it's ready"], &["promise=get a text when it's ready"]),
    (&["A: i will not be able to refund that"], &[]),
    // Nothing at all.
    (&["hello"], &[]),
    (&["[noise]", "<unk>", "uh"], &[]),
    (&["i would like to transfer sixty nine dollars from checking to savings"], &[]),
    (&["thank you so much have a nice evening"], &[]),
    (&["is the branch open on sunday mornings"], &[]),
];

fn turns(lines: &[&str]) -> Vec<Turn> {
    lines
        .iter()
        .map(|line| {
            let agent = line.strip_prefix("A: ");
            Turn {
                role: if agent.is_some() { Role::Agent } else { Role::User },
                text: agent.unwrap_or(line).to_owned(),
                ts_ms: 0.0,
            }
        })
        .collect()
}

fn of_call(transcript: &[Turn]) -> Extraction {
    let read = call::read(transcript);
    facts::of_call(&read, &findings::of_call(&read, None))
}

#[test]
fn phrasings_give_the_facts_that_a_listener_would_note() {
    assert!(PHRASINGS.len() >= 120, "{} phrasings", PHRASINGS.len());
    let (mut right, mut found, mut expected) = (0, 0, 0);
    let mut faults = Vec::new();
    for (lines, facts) in PHRASINGS {
        let wanted: BTreeSet<String> = facts.iter().map(|fact| (*fact).to_owned()).collect();
        let noted: BTreeSet<String> = of_call(&turns(lines))
            .facts
            .iter()
            .map(|fact| format!("{}={}", fact.key.as_str(), fact.value))
            .collect();
        right += wanted.intersection(&noted).count();
        found += noted.len();
        expected += wanted.len();
        if wanted != noted {
            faults.push(format!("{lines:?}: wanted {wanted:?}, noted {noted:?}"));
        }
    }
    let report = format!(
        "{right} right of {found} noted, {expected} wanted\n{}",
        faults.join("\n")
    );
    assert!(right * 100 >= found * 95, "precision: {report}");
    assert!(right * 100 >= expected * 90, "recall: {report}");
}

#[test]
fn a_newer_statement_supersedes_the_older_which_stays() {
    let call = turns(&[
        "my number is 202-555-0142",
        "A: okay",
        "sorry my number is 202-555-0143",
        "order number 48213",
        "order number 48214",
    ]);
    let found = of_call(&call);
    assert_eq!(
        found
            .facts
            .iter()
            .filter(|fact| fact.key == FactKey::CallbackNumber)
            .count(),
        2
    );
    let standing = facts::standing(&found.facts, |fact| FactView::new(fact.key, &fact.value, None));
    let values: Vec<&str> = standing.iter().map(|fact| fact.value.as_str()).collect();
    assert_eq!(values, ["order 48214", "order 48213", "2025550143"]);
}

#[test]
fn each_key_ends_in_a_named_outcome() {
    let found = of_call(&turns(&[
        "my name is ana ruiz",
        "my email is jane doe at example dot com",
    ]));
    let outcome = |key| {
        found
            .outcomes
            .iter()
            .find(|(other, _)| *other == key)
            .map(|(_, outcome)| outcome.as_str())
    };
    assert_eq!(found.outcomes.len(), FactKey::ALL.len());
    assert_eq!(outcome(FactKey::Name), Some(FactOutcome::Found.as_str()));
    assert_eq!(outcome(FactKey::Email), Some("doubtful"));
    assert_eq!(outcome(FactKey::City), Some("nothing"));
}

#[test]
fn debug_output_shows_no_words() {
    let found = of_call(&turns(&["my name is ana ruiz"]));
    assert!(!format!("{found:?}").to_lowercase().contains("ana"));
}

/// Words that make transcripts in which the rules find something.
fn words() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "my name is",
        "ana",
        "Ruiz",
        "this is",
        "calling",
        "it's",
        "no",
        "with an h",
        "my email is",
        "jane",
        "at",
        "dot",
        "com",
        "example",
        "my number is",
        "two",
        "oh",
        "five",
        "202-555-0142",
        "my address is",
        "12",
        "main street",
        "i live in",
        "springfield",
        "call me",
        "after 5 pm",
        "tuesday",
        "mornings",
        "work best",
        "text me",
        "instead",
        "order number",
        "AB-1234",
        "your appointment is",
        "at nine",
        "we will",
        "send you",
        "the invoice",
        "<unk>",
        "[noise]",
        "car~",
        "uh",
        ",",
        ".",
        "?",
        "İ",
        "ß’s",
        "日本",
        "\u{202e}",
        "\u{0}",
        "👩‍👩‍👧",
        "a",
        "b",
        "c",
        "what is your name",
        "your email",
        "phone number",
        "s-m-i-t-h",
    ]);
    prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn quotes_are_spans_of_turns_of_the_right_speaker(
        lines in prop::collection::vec((any::<bool>(), prop_oneof![words(), any::<String>()]), 0..8)
    ) {
        let call: Vec<Turn> = lines
            .into_iter()
            .map(|(agent, text)| Turn { role: if agent { Role::Agent } else { Role::User }, text, ts_ms: 0.0 })
            .collect();
        let found = of_call(&call);
        for fact in &found.facts {
            let role = call[fact.turn].role;
            prop_assert!(facts::is_evidence(&call, fact.turn, role, &fact.quote), "{}", fact.key.as_str());
            prop_assert!(!fact.value.is_empty() && !fact.value.chars().any(char::is_control));
            match fact.key {
                FactKey::Promise => prop_assert_eq!(role, Role::Agent),
                FactKey::Reference | FactKey::Appointment | FactKey::Order => {}
                _ => prop_assert_eq!(role, Role::User),
            }
        }
        prop_assert_eq!(&found, &of_call(&call));
    }
}

#[test]
fn what_is_said_again_stands_once_and_so_many_of_a_key_stand() {
    let said: Vec<(FactKey, String)> = (0..20)
        .map(|i| (FactKey::Promise, format!("promise {}", i % 12)))
        .collect();
    let standing = facts::standing(&said, |(key, value)| FactView::new(*key, value, None));
    let values: Vec<&str> = standing.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, (0..8).rev().map(|i| format!("promise {i}")).collect::<Vec<_>>());
}

#[test]
fn what_was_called_off_keeps_out_nothing_that_is_agreed() {
    let mut said = vec![("checkup".to_owned(), Status::Agreed)];
    for thing in [
        "table", "taxi", "haircut", "room", "massage", "lesson", "repair", "tour", "wash",
    ] {
        said.push((thing.to_owned(), Status::Agreed));
        said.push((format!("{thing} today"), Status::Cancelled));
    }
    let standing = facts::standing(&said, |(value, status)| FactView {
        key: FactKey::Appointment,
        value,
        when: None,
        status: Some(*status),
    });
    let values: Vec<&str> = standing.iter().map(|(value, _)| value.as_str()).collect();
    assert_eq!(values, ["wash today", "tour today", "checkup"]);
}

/// A fact of the property below: its order, and what the rule goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    order: usize,
    key: FactKey,
    value: &'static str,
    when: Option<&'static str>,
    status: Option<Status>,
}

impl Known {
    fn stated(&self) -> FactView<'_> {
        FactView {
            key: self.key,
            value: self.value,
            when: self.when,
            status: self.status,
        }
    }
}

fn known() -> impl Strategy<Value = Vec<Known>> {
    let key = prop_oneof![Just(FactKey::City), Just(FactKey::Order), Just(FactKey::Appointment)];
    let value = prop::sample::select(vec![
        "haircut",
        "haircut for Ana",
        "haircut for Ben",
        "Ben's haircut with a shave",
        "taxi",
        "taxi to the station",
        "table for two",
        "table at Nonna's",
        "boiler inspection",
        "technician",
        "room with a view",
        "appointment",
        "friday",
    ]);
    let when = prop::sample::select(vec![None, Some("2026-01-02"), Some("2026-01-03T10:00")]);
    let status = prop::sample::select(vec![
        None,
        Some(Status::Agreed),
        Some(Status::Agreed),
        Some(Status::Requested),
        Some(Status::Moved),
        Some(Status::Cancelled),
    ]);
    let one = (key, value, when, status).prop_map(|(key, value, when, status)| Known {
        order: 0,
        key,
        value,
        when: status.and(when),
        status: status.filter(|_| key != FactKey::City),
    });
    // Now and then more than the rule of closing reaches back.
    let several = prop_oneof![
        4 => prop::collection::vec(one.clone(), 1..30),
        1 => prop::collection::vec(one, 100..140),
    ];
    let several = several.prop_map(|mut said| {
        for (order, said) in said.iter_mut().enumerate() {
            said.order = order;
        }
        said
    });
    several.prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_stands_is_the_same_when_calls_arrive_one_by_one(arriving in known(), together in 1..4_usize) {
        let mut all: Vec<Known> = Vec::new();
        let mut standing: Vec<Known> = Vec::new();
        // Long histories arrive in fewer parts, so that the test stays quick.
        let together = together * (1 + arriving.len() / 20);
        for new in arriving.chunks(together) {
            all.extend_from_slice(new);
            all.sort_by_key(|fact| fact.order);
            let of_all = facts::standing(all.clone(), Known::stated);
            let with = facts::standing_with(standing, new.to_vec(), Known::stated, |fact| fact.order);
            if let Some(with) = with {
                prop_assert_eq!(&with, &of_all);
            }
            standing = of_all;
        }
    }
}

#[test]
fn what_is_called_off_may_have_been_kept_under_another_key() {
    let said = |order, key, value, status| Known {
        order,
        key,
        value,
        when: None,
        status: Some(status),
    };
    let booked = said(0, FactKey::Appointment, "haircut for Ana", Status::Agreed);
    let off = said(1, FactKey::Order, "haircut", Status::Cancelled);
    let of_all = facts::standing([booked.clone(), off.clone()], Known::stated);
    assert_eq!(of_all, std::slice::from_ref(&off));
    let with = facts::standing_with(vec![off], vec![booked], Known::stated, |fact| fact.order);
    assert_eq!(with, None);
}

#[test]
fn what_is_booked_again_in_the_same_call_stands() {
    let stated = |turn, value: &str, status| {
        Finding::Statement(Statement {
            topic: Topic::Appointment,
            value: value.to_owned(),
            turn,
            span: 0..1,
            terms: Some(Terms {
                day: None,
                clock: None,
                status,
            }),
        })
    };
    let transcript = turns(&["A: one", "A: two", "A: three", "A: four"]);
    let read = call::read(&transcript);
    let booked = |turn| stated(turn, "haircut for Ana", Status::Agreed);
    let off = |turn| stated(turn, "haircut", Status::Cancelled);
    let standing = |findings: &[Finding]| {
        let facts = facts::of_call(&read, findings).facts;
        let standing = facts::standing(facts, |fact| FactView::new(fact.key, &fact.value, fact.terms.as_ref()));
        standing.into_iter().map(|fact| fact.value).collect::<Vec<_>>()
    };
    assert_eq!(
        standing(&[booked(0), off(1), booked(2)]),
        ["haircut for Ana", "haircut"]
    );
    assert_eq!(standing(&[booked(0), off(1), booked(2), off(3)]), ["haircut"]);
    let other = stated(0, "haircut for Ben", Status::Agreed);
    // What is only said again closes nothing more.
    assert_eq!(
        standing(&[other, booked(1), off(2), off(3)]),
        ["haircut", "haircut for Ben"]
    );
}

#[test]
fn everything_is_asked_only_for_what_may_have_been_closed() {
    let said = |order, value, status| Known {
        order,
        key: FactKey::Appointment,
        value,
        when: None,
        status: Some(status),
    };
    let follows = |stood: Known, new: Known| {
        facts::standing_with(vec![stood], vec![new], Known::stated, |fact| fact.order).is_some()
    };
    let off = said(1, "haircut", Status::Cancelled);
    assert!(follows(off.clone(), said(2, "taxi", Status::Agreed)));
    assert!(!follows(off.clone(), said(0, "taxi", Status::Agreed)));
    assert!(!follows(said(0, "haircut", Status::Agreed), off.clone()));
    assert!(!follows(off, said(2, "haircut", Status::Agreed)));
}

#[test]
fn a_statement_is_timed_by_its_turn_and_ordered_by_its_clock_or_the_report() {
    const STARTED_MS: i64 = 1_790_000_000_000;
    const RECEIVED_MS: i64 = STARTED_MS + 60_000;
    for (ts_ms, said_at_ms, order_ms) in [
        (0.0, STARTED_MS, RECEIVED_MS),
        (1_500.7, STARTED_MS + 1_500, RECEIVED_MS),
        (-3.0, STARTED_MS, RECEIVED_MS),
        (f64::from(i32::MAX), RECEIVED_MS, RECEIVED_MS),
        (1_790_000_010_000.0, STARTED_MS + 10_000, STARTED_MS + 10_000),
        (1_690_000_000_000.0, 1_690_000_000_000, 1_690_000_000_000),
        (f64::MAX, RECEIVED_MS, RECEIVED_MS),
    ] {
        let turn = Turn {
            role: Role::User,
            text: String::new(),
            ts_ms,
        };
        let fact = Fact {
            key: FactKey::Name,
            value: "Ana".to_owned(),
            quote: "ana".to_owned(),
            turn: 0,
            terms: None,
        };
        let said = SaidFact::new(fact, &turn, STARTED_MS, RECEIVED_MS);
        assert_eq!((said.said_at_ms, said.order_ms), (said_at_ms, order_ms), "{ts_ms}");
    }
}

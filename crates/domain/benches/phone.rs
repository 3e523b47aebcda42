//! What a number costs on the way in. Run with `cargo bench -p domain --bench phone`.
//!
//! Each pass reads one mobile (else fixed) example number of every region, so the caches that libphonenumber ports keep
//! per region are exercised in full. The time printed is of a pass, the elements per second are numbers.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use domain::phone::{PhoneNumber, Region};
use phonenumber::{Mode, country, metadata::DATABASE};
use rlibphonenumber::PHONE_NUMBER_UTIL;

/// Region, country as the reference has it, E.164, digits of the national number.
fn examples() -> Vec<(Region, country::Id, String, String)> {
    PHONE_NUMBER_UTIL
        .get_supported_regions()
        .filter_map(|region| {
            let name = region.to_string();
            let plan = DATABASE.by_id(&name)?;
            let mobile = plan.descriptors().mobile().and_then(|plan| plan.example());
            let national = mobile.or_else(|| plan.descriptors().fixed_line().and_then(|plan| plan.example()))?;
            Some((
                name.parse().ok()?,
                name.parse().ok()?,
                format!("+{}{national}", plan.country_code()),
                national.to_owned(),
            ))
        })
        .collect()
}

fn phone(criterion: &mut Criterion) {
    let examples = examples();
    assert!(examples.len() > 240, "a mix of all regions");
    let mut group = criterion.benchmark_group("phone");
    group.throughput(Throughput::Elements(examples.len() as u64));
    group.bench_function("normalise E.164", |bencher| {
        bencher.iter(|| {
            for (region, _, e164, _) in &examples {
                assert!(PhoneNumber::normalise(black_box(e164), *region).is_ok());
            }
        });
    });
    group.bench_function("from_e164", |bencher| {
        bencher.iter(|| {
            for (_, _, e164, _) in &examples {
                assert!(PhoneNumber::from_e164(black_box(e164)).is_ok());
            }
        });
    });
    group.bench_function("normalise national", |bencher| {
        bencher.iter(|| {
            for (region, _, _, national) in &examples {
                assert!(PhoneNumber::normalise(black_box(national), *region).is_ok());
            }
        });
    });
    group.bench_function("normalise a SIP header", |bencher| {
        let header = "\"Caller\" <sip:+1-202-555-0142@gateway.example;user=phone>;tag=1c2d";
        let region = examples[0].0;
        bencher.iter(|| {
            for _ in 0..examples.len() {
                assert!(PhoneNumber::normalise(black_box(header), region).is_ok());
            }
        });
    });
    group.sample_size(10);
    group.bench_function("phonenumber crate, E.164", |bencher| {
        bencher.iter(|| {
            for (_, country, e164, _) in &examples {
                let number = phonenumber::parse(Some(*country), black_box(e164));
                assert!(number.is_ok_and(|number| !number.format().mode(Mode::E164).to_string().is_empty()));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, phone);
criterion_main!(benches);

//! Quantiles of any number of durations in a fixed amount of memory.

use std::time::Duration;

/// Counts of durations in steps that are at most 1/64 apart.
pub(super) struct Latencies {
    counts: Vec<u64>,
    total: u64,
}

/// Bits of precision: 64 steps between a power of two and the next.
const BITS: u32 = 6;
const STEPS: usize = 1 << BITS;

impl Default for Latencies {
    fn default() -> Self {
        Self {
            counts: vec![0; STEPS * (65 - BITS as usize)],
            total: 0,
        }
    }
}

impl Latencies {
    pub(super) fn record(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(count) = self.counts.get_mut(step(micros)) {
            *count += 1;
            self.total += 1;
        }
    }

    /// The duration that `per_mille` of the recorded ones do not exceed, rounded up to its step; `None` when there are
    /// none.
    pub(super) fn quantile(&self, per_mille: u64) -> Option<Duration> {
        let rank = self.total.saturating_mul(per_mille).div_ceil(1000).max(1);
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(Duration::from_micros(longest(found)))
    }
}

/// Below 64 µs a step is a microsecond; above, the leading bit and the six after it make the step.
fn step(micros: u64) -> usize {
    let octave = micros.checked_ilog2().unwrap_or(0).saturating_sub(BITS - 1);
    let within = if octave == 0 {
        micros
    } else {
        (micros >> (octave - 1)) & (STEPS as u64 - 1)
    };
    octave as usize * STEPS + usize::try_from(within).unwrap_or_default()
}

/// The longest duration of a step, in microseconds.
fn longest(step: usize) -> u64 {
    let (octave, within) = (step / STEPS, (step % STEPS) as u64);
    match octave {
        0 => within,
        _ => ((STEPS as u64 + within + 1) << (octave - 1)).wrapping_sub(1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_are_close() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile(500), None);
        for ms in 1..=1000 {
            latencies.record(Duration::from_millis(ms));
        }
        for (per_mille, exact) in [(1, 1.0), (500, 500.0), (990, 990.0), (1000, 1000.0)] {
            let found = latencies.quantile(per_mille).expect("a quantile").as_secs_f64() * 1000.0;
            assert!((exact..=exact * 1.02).contains(&found), "{per_mille}: {found}");
        }
    }

    proptest! {
        #[test]
        fn a_step_holds_its_durations(micros: u64) {
            let step = step(micros);
            prop_assert!(step < Latencies::default().counts.len());
            prop_assert!(longest(step) >= micros);
            prop_assert!(longest(step) - micros <= micros / 64 + 1);
            prop_assert!(step == 0 || longest(step - 1) < micros);
        }
    }
}

//! Probes that say nothing or remember everything.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use domain::{
    facts::{FactKey, Outcome},
    port::{Probe, Stage},
};

/// A probe that nobody listens to.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProbe;

impl Probe for SilentProbe {
    fn stage(&self, _stage: Stage, _took: Duration) {}

    fn facts(&self, _key: FactKey, _outcome: Outcome) {}

    fn degraded(&self) {}
}

/// A probe that remembers what it was told.
#[derive(Debug, Default)]
pub struct RecordingProbe {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    stages: Vec<(Stage, Duration)>,
    facts: Vec<(FactKey, Outcome)>,
    degraded: usize,
}

impl RecordingProbe {
    /// Every stage that ended, in order, with how long it took.
    #[must_use]
    pub fn stages(&self) -> Vec<(Stage, Duration)> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).stages.clone()
    }

    /// What became of each key in the calls that were read for facts, in order.
    #[must_use]
    pub fn fact_outcomes(&self) -> Vec<(FactKey, Outcome)> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).facts.clone()
    }

    /// How many recalls were answered without memory.
    #[must_use]
    pub fn degraded_count(&self) -> usize {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).degraded
    }
}

impl Probe for RecordingProbe {
    fn stage(&self, stage: Stage, took: Duration) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.stages.push((stage, took));
    }

    fn facts(&self, key: FactKey, outcome: Outcome) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.facts.push((key, outcome));
    }

    fn degraded(&self) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).degraded += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_probe_remembers() {
        let probe = RecordingProbe::default();
        probe.stage(Stage::MemoryRecall, Duration::from_millis(3));
        probe.facts(FactKey::Name, Outcome::Found);
        probe.degraded();
        assert_eq!(probe.stages(), [(Stage::MemoryRecall, Duration::from_millis(3))]);
        assert_eq!(probe.fact_outcomes(), [(FactKey::Name, Outcome::Found)]);
        assert_eq!(probe.degraded_count(), 1);
    }
}

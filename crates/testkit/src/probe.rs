//! Probes that say nothing or remember everything.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use domain::{
    facts::{FactKey, FactOutcome},
    port::{Probe, Stage},
};

/// A probe that nobody listens to.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProbe;

impl Probe for SilentProbe {
    fn stage(&self, _stage: Stage, _took: Duration) {}

    fn facts(&self, _key: FactKey, _outcome: FactOutcome) {}

    fn degraded(&self) {}
}

/// A probe that remembers what it was told.
#[derive(Debug, Default)]
pub struct RecordingProbe {
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    stages: Vec<(Stage, Duration)>,
    facts: Vec<(FactKey, FactOutcome)>,
    degraded: usize,
}

impl RecordingProbe {
    /// Every stage that ended, in order, with how long it took.
    #[must_use]
    pub fn stages(&self) -> Vec<(Stage, Duration)> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).stages.clone()
    }

    /// What became of each key in the calls that were read for facts, in order.
    #[must_use]
    pub fn fact_outcomes(&self) -> Vec<(FactKey, FactOutcome)> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).facts.clone()
    }

    /// How many recalls were answered without memory.
    #[must_use]
    pub fn degraded_count(&self) -> usize {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).degraded
    }
}

impl Probe for RecordingProbe {
    fn stage(&self, stage: Stage, took: Duration) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.stages.push((stage, took));
    }

    fn facts(&self, key: FactKey, outcome: FactOutcome) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.facts.push((key, outcome));
    }

    fn degraded(&self) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).degraded += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_probe_remembers() {
        let probe = RecordingProbe::default();
        probe.stage(Stage::MemoryRecall, Duration::from_millis(3));
        probe.facts(FactKey::Name, FactOutcome::Found);
        probe.degraded();
        assert_eq!(probe.stages(), [(Stage::MemoryRecall, Duration::from_millis(3))]);
        assert_eq!(probe.fact_outcomes(), [(FactKey::Name, FactOutcome::Found)]);
        assert_eq!(probe.degraded_count(), 1);
    }
}

//! Probes that say nothing or remember everything.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use domain::port::{Probe, Stage};

/// A probe that nobody listens to.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProbe;

impl Probe for SilentProbe {
    fn stage(&self, _stage: Stage, _took: Duration) {}

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
    degraded: usize,
}

impl RecordingProbe {
    /// Every stage that ended, in order, with how long it took.
    #[must_use]
    pub fn stages(&self) -> Vec<(Stage, Duration)> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).stages.clone()
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
        probe.degraded();
        assert_eq!(probe.stages(), [(Stage::MemoryRecall, Duration::from_millis(3))]);
        assert_eq!(probe.degraded_count(), 1);
    }
}

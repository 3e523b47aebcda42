//! One look-up for all who ask the same at the same time.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

type Flights<K, V> = Mutex<HashMap<K, watch::Receiver<Option<V>>>>;

/// The look-ups under way. Each runs as a task of its own, so that neither the impatience nor the cancellation of the
/// one who began it takes the answer from the others.
pub(crate) struct SingleFlight<K, V> {
    flights: Arc<Flights<K, V>>,
    most: usize,
}

/// A look-up that was joined.
pub(crate) struct Flight<V> {
    answer: watch::Receiver<Option<V>>,
    /// Whether this request began it. One that was under way before may fail for reasons that no longer hold.
    pub(crate) began_here: bool,
}

impl<K, V> SingleFlight<K, V>
where
    K: Copy + Eq + Hash + Send + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// At most `most` look-ups at once.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            flights: Arc::default(),
            most,
        }
    }

    /// Joins the look-up of `key`, or begins it with `work`; `None` when too many others are under way.
    ///
    /// `known` is asked before `work` begins and may give the answer of a look-up that ended in between: `work` has
    /// stored its answer where `known` sees it before it counts as ended, so no second look-up follows on its heels.
    pub(crate) fn join<W>(
        &self,
        key: K,
        known: impl FnOnce() -> Option<V>,
        work: impl FnOnce() -> W,
    ) -> Option<Flight<V>>
    where
        W: Future<Output = V> + Send + 'static,
    {
        let mut flights = lock(&self.flights);
        if let Some(answer) = flights.get(&key) {
            return Some(Flight {
                answer: answer.clone(),
                began_here: false,
            });
        }
        if let Some(value) = known() {
            return Some(Flight {
                answer: watch::channel(Some(value)).1,
                began_here: true,
            });
        }
        if flights.len() >= self.most {
            return None;
        }
        let (land, answer) = watch::channel(None);
        flights.insert(key, answer.clone());
        let under_way = UnderWay {
            flights: Arc::clone(&self.flights),
            key,
        };
        let work = work();
        // A runtime that is shutting down drops the task here and now, which takes this look-up off the list.
        drop(flights);
        tokio::spawn(async move {
            let value = work.await;
            // Nobody may join this look-up after its answer was given out.
            drop(under_way);
            land.send_replace(Some(value));
        });
        Some(Flight {
            answer,
            began_here: true,
        })
    }
}

impl<V: Clone> Flight<V> {
    /// The answer; `None` when it took longer than `patience` or its task was torn down.
    pub(crate) async fn wait(&mut self, patience: Duration) -> Option<V> {
        let landed = tokio::time::timeout(patience, self.answer.wait_for(Option::is_some)).await;
        landed.ok()?.ok()?.clone()
    }
}

/// Takes a look-up off the list when it ends, however it ends.
struct UnderWay<K: Eq + Hash, V> {
    flights: Arc<Flights<K, V>>,
    key: K,
}

impl<K: Eq + Hash, V> Drop for UnderWay<K, V> {
    fn drop(&mut self) {
        lock(&self.flights).remove(&self.key);
    }
}

/// The list stays whole whatever panics while it is held, so a poisoned lock is as good as any.
fn lock<K, V>(flights: &Flights<K, V>) -> MutexGuard<'_, HashMap<K, watch::Receiver<Option<V>>>> {
    flights.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn nothing() -> Option<u32> {
        None
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_a_bound_on_look_ups_under_way() {
        let flights = SingleFlight::new(2);
        let hung = [1, 2].map(|key| flights.join(key, nothing, pending::<u32>).unwrap());
        assert!(hung.iter().all(|flight| flight.began_here));
        assert!(flights.join(3, nothing, pending).is_none());
        assert!(
            !flights.join(2, nothing, pending).unwrap().began_here,
            "joining is always possible"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_became_known_meanwhile_is_not_looked_up() {
        let flights = SingleFlight::new(1);
        let mut flight = flights.join(1, || Some(7), pending).unwrap();
        assert_eq!(flight.wait(PATIENCE).await, Some(7));
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_up_that_panics_ends_like_any_other() {
        let flights = SingleFlight::new(1);
        let work = || async { panic!("on purpose") };
        assert_eq!(flights.join(1, nothing, work).unwrap().wait(PATIENCE).await, None);
        assert_eq!(
            flights.join(1, nothing, || ready(8)).unwrap().wait(PATIENCE).await,
            Some(8)
        );
    }

    #[test]
    fn a_look_up_whose_runtime_ends_is_over() {
        let flights = SingleFlight::new(1);
        let runtime = || {
            tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build()
                .unwrap()
        };
        let first = runtime();
        let mut flight = first.block_on(async { flights.join(1, nothing, pending).unwrap() });
        drop(first);
        runtime().block_on(async {
            assert_eq!(flight.wait(PATIENCE).await, None);
            assert_eq!(
                flights.join(1, nothing, || ready(9)).unwrap().wait(PATIENCE).await,
                Some(9)
            );
        });
    }
}

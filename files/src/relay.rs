//! A value that passes from item to item in order, whichever threads work on them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number of condition variables. Item *n* waits for number *n* modulo this, so a pass wakes few others.
const CONDITIONS: u64 = 64;

/// A value that one item has at a time: chunks, numbered from 0. Threads must begin with chunks in their order.
#[derive(Debug)]
pub(crate) struct Relay<T> {
    state: Mutex<RelayState<T>>,
    passed: [Condvar; CONDITIONS as usize],
}

/// Where the value is.
#[derive(Debug)]
struct RelayState<T> {
    /// The number of the item that may take it, and the value, unless an item has it.
    next: u64,
    value: Option<T>,
    /// The first item that was lost: it passes nothing on.
    lost: Option<u64>,
}

impl<T> Relay<T> {
    pub fn new(value: T) -> Relay<T> {
        Relay {
            state: Mutex::new(RelayState { next: 0, value: Some(value), lost: None }),
            passed: [const { Condvar::new() }; CONDITIONS as usize],
        }
    }

    fn state(&self) -> MutexGuard<'_, RelayState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The condition that an item waits for.
    fn passed(&self, number: u64) -> &Condvar {
        &self.passed[(number % CONDITIONS) as usize]
    }

    /// Whether an item before this one was lost.
    pub fn is_lost(&self, number: u64) -> bool {
        self.state().lost.is_some_and(|lost| lost < number)
    }

    /// Waits for all items before this one, and takes it. `None` if one of them was lost.
    pub fn take(&self, number: u64) -> Option<T> {
        let waits = |state: &mut RelayState<T>| {
            let is_lost = state.lost.is_some_and(|lost| lost < number);
            !is_lost && (state.next != number || state.value.is_none())
        };
        let mut state = self.passed(number).wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        if state.next == number { state.value.take() } else { None }
    }

    /// A copy of the value, unless an item has it.
    pub fn last(&self) -> Option<T>
    where
        T: Copy,
    {
        self.state().value
    }

    /// Passes it to the item after this one.
    pub fn pass(&self, number: u64, value: T) {
        let mut state = self.state();
        (state.next, state.value) = (number + 1, Some(value));
        drop(state);
        self.passed(number + 1).notify_all();
    }

    /// This item was lost: those after it do not wait any longer.
    pub fn lose(&self, number: u64) {
        let mut state = self.state();
        state.lost = Some(state.lost.map_or(number, |lost| lost.min(number)));
        drop(state);
        self.passed.iter().for_each(Condvar::notify_all);
    }
}

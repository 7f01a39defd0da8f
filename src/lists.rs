//! An iterator over lists that share one array.

use core::iter::FusedIterator;
use core::slice::Windows;

/// An iterator over the lists of [`Moves`](crate::moves::Moves) or [`Threats`](crate::analysis::Threats): one slice per position.
#[derive(Debug)]
pub struct ListsIter<'a, T> {
    items: &'a [T],
    offsets: Windows<'a, usize>,
}

impl<'a, T> ListsIter<'a, T> {
    /// List *i* are the items from `offsets[i]` to `offsets[i + 1]`.
    pub(crate) fn new(items: &'a [T], offsets: &'a [usize]) -> ListsIter<'a, T> {
        ListsIter { items, offsets: offsets.windows(2) }
    }

    fn between(&self, offsets: &[usize]) -> &'a [T] {
        &self.items[offsets[0]..offsets[1]]
    }
}

// Not derived: that would ask for a `T` that can be cloned.
impl<T> Clone for ListsIter<'_, T> {
    fn clone(&self) -> Self {
        ListsIter { items: self.items, offsets: self.offsets.clone() }
    }
}

impl<'a, T> Iterator for ListsIter<'a, T> {
    type Item = &'a [T];

    fn next(&mut self) -> Option<&'a [T]> {
        self.offsets.next().map(|offsets| self.between(offsets))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl<T> DoubleEndedIterator for ListsIter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.offsets.next_back().map(|offsets| self.between(offsets))
    }
}

impl<T> ExactSizeIterator for ListsIter<'_, T> {}
impl<T> FusedIterator for ListsIter<'_, T> {}

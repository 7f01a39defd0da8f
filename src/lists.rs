//! Lists that share one array.

use core::iter::FusedIterator;
use core::ops::Index;
use core::slice::Windows;

/// One list for each position of an array, all of them in one array of items: `lists[i]` is that of position *i*.
/// [`Moves`](crate::moves::Moves) and [`Threats`](crate::analysis::Threats) are such lists.
///
/// Memory is that of the items, and 8 bytes per position.
///
/// ```
/// use slider_attacks::Lists;
///
/// let mut lists = Lists::new();
/// lists.push(&[4, 5]);
/// lists.push(&[]);
/// lists.push(&[6]);
/// assert_eq!((lists.len(), &lists[0]), (3, &[4, 5][..]));
/// assert_eq!((lists.offsets(), lists.as_slice()), (&[0, 2, 2, 3][..], &[4, 5, 6][..]));
/// assert!(lists.iter().map(<[_]>::len).eq([2, 0, 1]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lists<T> {
    items: Vec<T>,
    /// Begins with 0, so there is one more than there are positions.
    offsets: Vec<usize>,
}

impl<T> Lists<T> {
    /// The lists of no positions.
    #[must_use]
    pub fn new() -> Lists<T> {
        Lists { items: Vec::new(), offsets: vec![0] }
    }

    /// Adds the list of one more position.
    pub fn push(&mut self, items: &[T])
    where
        T: Clone,
    {
        self.items.extend_from_slice(items);
        self.offsets.push(self.items.len());
    }

    /// Adds the lists of the positions of `others`.
    ///
    /// ```
    /// use slider_attacks::Lists;
    ///
    /// let (mut lists, mut others) = (Lists::new(), Lists::new());
    /// lists.push(&[4, 5]);
    /// others.push(&[6]);
    /// lists.append(&others);
    /// assert!(lists.iter().eq([&[4, 5][..], &[6]]));
    /// ```
    pub fn append(&mut self, others: &Lists<T>)
    where
        T: Clone,
    {
        let before = self.items.len();
        self.items.extend_from_slice(&others.items);
        self.offsets.extend(others.offsets[1..].iter().map(|offset| before + offset));
    }

    /// Removes all positions and keeps the memory for new ones.
    pub fn clear(&mut self) {
        self.items.clear();
        self.offsets.truncate(1);
    }

    /// Removes the items whose indexes in [`as_slice`](Lists::as_slice) do not satisfy `keep`. No position is removed.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let (mut at, mut kept, mut offset) = (0, 0, 0);
        self.items.retain(|_| {
            while self.offsets[offset] == at {
                self.offsets[offset] = kept;
                offset += 1;
            }
            at += 1;
            let keeps = keep(at - 1);
            kept += usize::from(keeps);
            keeps
        });
        self.offsets[offset..].fill(kept);
    }

    /// The arrays, for those who keep them consistent.
    #[doc(hidden)]
    pub fn parts_mut(&mut self) -> (&mut Vec<T>, &mut Vec<usize>) {
        (&mut self.items, &mut self.offsets)
    }

    /// The items of all positions, one position after the other.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list of each position.
    #[must_use]
    pub fn iter(&self) -> ListsIter<'_, T> {
        ListsIter { items: &self.items, offsets: self.offsets.windows(2) }
    }

    /// One element more than there are positions: the list of position *i* is that from `offsets()[i]` to `offsets()[i + 1]` of
    /// [`as_slice`](Lists::as_slice).
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
}

// Not derived: that would ask for a `T` with a default.
impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists::new()
    }
}

/// The list of one position. Panics if there is no position with this index.
impl<T> Index<usize> for Lists<T> {
    type Output = [T];

    fn index(&self, position: usize) -> &[T] {
        &self.items[self.offsets[position]..self.offsets[position + 1]]
    }
}

impl<'a, T> IntoIterator for &'a Lists<T> {
    type Item = &'a [T];
    type IntoIter = ListsIter<'a, T>;

    fn into_iter(self) -> ListsIter<'a, T> {
        self.iter()
    }
}

/// An iterator over [`Lists`]: one slice per position.
#[derive(Debug)]
pub struct ListsIter<'a, T> {
    items: &'a [T],
    offsets: Windows<'a, usize>,
}

impl<'a, T> ListsIter<'a, T> {
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

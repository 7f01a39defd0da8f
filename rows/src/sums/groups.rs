//! The groups of a run, as they are found.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Result, bail};
use slider_attacks_arrow::{Plan, Summary};
use slider_attacks_formats::error::quoted;

use super::keys::{GroupKey, Key, order};
use super::table::Totals;

/// The most bytes that the texts of all keys may take.
const MOST_TEXT: usize = 16 << 20;

/// The groups so far, in the order in which they were found.
pub struct GroupedSummary {
    keys: Vec<Key>,
    numbers: HashMap<GroupKey, u32>,
    summary: Summary,
    most: usize,
    /// The texts of the keys, and how many bytes they have.
    texts: HashSet<Arc<str>>,
    bytes: usize,
}

impl GroupedSummary {
    /// No positions yet, and at most this many groups. Without keys, there is one group nevertheless.
    pub fn new(plan: &Plan, keys: &[Key], most: usize) -> GroupedSummary {
        let (keys, summary) = (keys.to_vec(), Summary::new(plan, 0));
        let mut groups =
            GroupedSummary { keys, numbers: HashMap::new(), summary, most, texts: HashSet::new(), bytes: 0 };
        if groups.keys.is_empty() {
            groups.summary.grow(1);
            groups.numbers.insert(GroupKey::default(), 0);
        }
        groups
    }

    /// The same, with at most this many groups, but at least one, whatever the run may have.
    pub fn at_most(self, groups: usize) -> GroupedSummary {
        GroupedSummary { most: self.most.min(groups.max(1)), ..self }
    }

    /// Adds a summary whose groups have these values of the keys.
    ///
    /// # Errors
    ///
    /// There are too many groups.
    pub fn add(&mut self, keys: Vec<GroupKey>, summary: &Summary) -> Result<()> {
        let mut places = Vec::with_capacity(keys.len());
        for values in keys {
            let place = match self.numbers.get(&values) {
                Some(&place) => place,
                None => self.new_group(values)?,
            };
            places.push(place);
        }
        self.summary.grow(self.numbers.len());
        self.summary.add(summary, Some(&places));
        Ok(())
    }

    /// A group for these values, none of whose texts is there twice.
    fn new_group(&mut self, mut values: GroupKey) -> Result<u32> {
        if self.numbers.len() == self.most {
            return self.too_many();
        }
        for (value, key) in values.iter_mut().zip(&self.keys).filter_map(|(value, key)| Some((value.as_mut()?, key))) {
            match self.texts.get(value) {
                Some(text) => *value = text.clone(),
                None => {
                    self.bytes += value.len();
                    if self.bytes > MOST_TEXT {
                        bail!(
                            "group keys exceed {} MiB of text, the last one of key {}: use keys with shorter values",
                            MOST_TEXT >> 20,
                            quoted(&key.name)
                        );
                    }
                    self.texts.insert(value.clone());
                }
            }
        }
        let next = self.numbers.len() as u32;
        self.numbers.insert(values, next);
        Ok(next)
    }

    /// Names the key that has the most values.
    fn too_many(&self) -> Result<u32> {
        let values = |at: usize| {
            let mut values: Vec<_> = self.numbers.keys().map(|values| &values[at]).collect();
            values.sort_unstable();
            values.dedup();
            values.len()
        };
        let key = (0..self.keys.len()).max_by_key(|&at| values(at));
        let key = &self.keys[key.expect("without keys, there is one group")];
        let advice = if key.step.is_none() { format!(", such as {}:100 for numbers", key.name) } else { String::new() };
        let most = self.most;
        bail!(
            "key {} yields more than {most} groups: use a key with fewer values{advice}, or fewer \
             products",
            quoted(&key.name)
        )
    }

    /// The values of the keys for each group, in the order in which they were found, and the sums.
    pub fn into_parts(self) -> (Vec<GroupKey>, Summary) {
        let mut keys = vec![GroupKey::default(); self.numbers.len()];
        self.numbers.into_iter().for_each(|(values, place)| keys[place as usize] = values);
        (keys, self.summary)
    }

    /// How many of these values are those of groups that are not there yet, and how many bytes their texts have.
    pub fn missing(&self, keys: &[GroupKey]) -> (usize, usize) {
        let missing = keys.iter().filter(|values| !self.numbers.contains_key(*values));
        missing.fold((0, 0), |(groups, bytes), values| {
            let texts = values.iter().flatten().filter(|text| !self.texts.contains(*text));
            (groups + 1, bytes + texts.map(|text| text.len()).sum::<usize>())
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// All groups in the order of their keys.
    pub fn totals(self) -> Totals {
        let mut groups: Vec<(GroupKey, u32)> = self.numbers.into_iter().collect();
        groups.sort_by(|(a, _), (b, _)| order(&self.keys, a, b));
        let (keys, places) = groups.into_iter().map(|(values, place)| (values, place as usize)).unzip();
        Totals { by: self.keys, keys, places, summary: self.summary }
    }
}

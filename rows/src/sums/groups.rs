//! The groups of a run, as they are found.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Arc;

use anyhow::{Result, bail};
use slider_attacks_arrow::{Plan, Summary};
use slider_attacks_formats::error::quoted;

use super::files::GroupFiles;
use super::keys::{GroupKey, Key, order};
use super::table::Totals;

/// The most groups where their number is limited, the most bytes that all of them may take, and those of the texts of all keys.
const MOST_GROUPS: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;
const MOST_TEXT: usize = 16 << 20;

/// The most bytes that the texts of one group may have where there may be any number of groups. Each of its rows has them.
pub const MOST_GROUP_TEXT: usize = 64 << 10;

/// How many groups a run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupLimit {
    /// At most 10,000, or fewer with many products. The text is advice about more.
    Count(&'static str),
    /// As many as fit into so many bytes. The text is advice about more.
    Memory(u64, &'static str),
    /// Any number. What does not fit into so many bytes goes to temporary files.
    Files(u64),
}

impl GroupLimit {
    /// The memory before groups go to temporary files, unless the caller says otherwise.
    pub const MEMORY: u64 = MOST_BYTES as u64;

    /// The most groups, if each takes this many bytes.
    pub fn most_groups(self, group_bytes: usize) -> usize {
        match self {
            GroupLimit::Count(_) => MOST_GROUPS.min(MOST_BYTES / group_bytes),
            GroupLimit::Memory(bytes, _) => (bytes as usize / group_bytes).max(1),
            GroupLimit::Files(_) => usize::MAX,
        }
    }

    /// The same in half of the memory.
    pub fn half(self) -> GroupLimit {
        match self {
            GroupLimit::Count(_) => self,
            GroupLimit::Memory(bytes, advice) => GroupLimit::Memory(bytes / 2, advice),
            GroupLimit::Files(bytes) => GroupLimit::Files(bytes / 2),
        }
    }

    fn advice(self) -> &'static str {
        match self {
            GroupLimit::Count(advice) | GroupLimit::Memory(_, advice) => advice,
            GroupLimit::Files(_) => "",
        }
    }
}

/// The groups so far, in the order in which they were found.
pub struct GroupedSummary {
    plan: Plan,
    keys: Vec<Key>,
    numbers: HashMap<GroupKey, u32>,
    summary: Summary,
    /// The limit, if there is one, and the most groups by it.
    limit: Option<GroupLimit>,
    most: usize,
    group_bytes: usize,
    /// The texts of the keys, and how many bytes they have.
    texts: HashSet<Arc<str>>,
    bytes: usize,
    /// Those that did not fit into memory.
    files: Option<GroupFiles>,
}

impl GroupedSummary {
    /// No positions yet, and any number of groups. Without keys, there is one group nevertheless.
    pub fn new(plan: &Plan, keys: &[Key]) -> GroupedSummary {
        let mut groups = GroupedSummary {
            plan: plan.clone(),
            keys: keys.to_vec(),
            numbers: HashMap::new(),
            summary: Summary::new(plan, 0),
            limit: None,
            most: usize::MAX,
            group_bytes: 0,
            texts: HashSet::new(),
            bytes: 0,
            files: None,
        };
        if groups.keys.is_empty() {
            groups.summary.grow(1);
            groups.numbers.insert(GroupKey::default(), 0);
        }
        groups
    }

    /// The same with a limit, where each group takes at most this many bytes.
    pub fn limited(self, limit: GroupLimit, group_bytes: usize) -> GroupedSummary {
        GroupedSummary { limit: Some(limit), most: limit.most_groups(group_bytes), group_bytes, ..self }
    }

    /// The same, with at most this many groups, but at least one, whatever the run may have.
    pub fn at_most(self, groups: usize) -> GroupedSummary {
        GroupedSummary { most: self.most.min(groups.max(1)), ..self }
    }

    /// Adds a summary whose groups have these values of the keys.
    ///
    /// # Errors
    ///
    /// There are too many groups, the values of a group have too many bytes, or a temporary file cannot be written.
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
        match self.limit {
            Some(GroupLimit::Files(most)) if self.memory() > most && !self.keys.is_empty() => self.spill(),
            _ => Ok(()),
        }
    }

    /// Adds the groups of another run by the same keys.
    ///
    /// # Errors
    ///
    /// Those of [`add`](GroupedSummary::add), or a temporary file cannot be read.
    pub fn add_all(&mut self, other: GroupedSummary) -> Result<()> {
        other.finish()?.for_each(&mut |totals| self.add(totals.found(), &totals.summary))
    }

    /// About how many bytes the groups take.
    fn memory(&self) -> u64 {
        (self.numbers.len() * self.group_bytes + self.bytes) as u64
    }

    /// Writes all groups to a temporary file.
    fn spill(&mut self) -> Result<()> {
        let totals = self.take_totals();
        let files = self.files.get_or_insert_with(|| GroupFiles::new(&self.plan, &self.keys, self.group_bytes));
        files.add(&totals)
    }

    /// A group for these values, none of whose texts is there twice.
    fn new_group(&mut self, mut values: GroupKey) -> Result<u32> {
        if self.numbers.len() == self.most {
            return self.too_many();
        }
        let most = match self.limit {
            None => usize::MAX,
            Some(GroupLimit::Count(_)) => MOST_TEXT,
            Some(GroupLimit::Memory(..) | GroupLimit::Files(_)) => {
                self.check_text(&values)?;
                usize::MAX
            }
        };
        for (value, key) in values.iter_mut().zip(&self.keys).filter_map(|(value, key)| Some((value.as_mut()?, key))) {
            match self.texts.get(value) {
                Some(text) => *value = text.clone(),
                None => {
                    self.bytes += value.len();
                    if self.bytes > most {
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
        if matches!(self.limit, Some(GroupLimit::Memory(most, _)) if self.memory() > most) {
            return self.too_many();
        }
        let next = self.numbers.len() as u32;
        self.numbers.insert(values, next);
        Ok(next)
    }

    /// Checks the values of the keys of groups, as [`add`](GroupedSummary::add) does, but adds nothing.
    ///
    /// # Errors
    ///
    /// Those of a group have too many bytes.
    pub fn check(&self, keys: &[GroupKey]) -> Result<()> {
        match self.limit {
            Some(GroupLimit::Memory(..) | GroupLimit::Files(_)) => keys.iter().try_for_each(|key| self.check_text(key)),
            Some(GroupLimit::Count(_)) | None => Ok(()),
        }
    }

    /// Checks the length of the texts of a group.
    fn check_text(&self, values: &GroupKey) -> Result<()> {
        let bytes = |value: &Option<Arc<str>>| value.as_ref().map_or(0, |text| text.len());
        let all: usize = values.iter().map(bytes).sum();
        let Some(longest) = (0..values.len()).max_by_key(|&at| bytes(&values[at])) else { return Ok(()) };
        if all > MOST_GROUP_TEXT {
            bail!(
                "a group has a value of {} bytes for key {}: use keys with values of at most {} KiB together",
                bytes(&values[longest]),
                quoted(&self.keys[longest].name),
                MOST_GROUP_TEXT >> 10
            );
        }
        Ok(())
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
        let steps = if key.step.is_none() { format!(", such as {}:100 for numbers", key.name) } else { String::new() };
        let (most, advice) = (self.numbers.len(), self.limit.map_or("", GroupLimit::advice));
        bail!(
            "key {} yields more than {most} groups: use a key with fewer values{steps}, or fewer products{advice}",
            quoted(&key.name)
        )
    }

    /// The values of the keys for each group in memory, in the order in which they were found, and the sums.
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

    /// How many there are in memory.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Removes the groups from memory, and returns them in the order of their keys.
    fn take_totals(&mut self) -> Totals {
        let mut groups: Vec<(GroupKey, u32)> = self.numbers.drain().collect();
        groups.sort_by_cached_key(|(values, _)| order(&self.keys, values));
        let (keys, places) = groups.into_iter().map(|(values, place)| (values, place as usize)).unzip();
        self.texts.clear();
        self.bytes = 0;
        Totals {
            by: self.keys.clone(),
            keys,
            places,
            summary: mem::replace(&mut self.summary, Summary::new(&self.plan, 0)),
        }
    }

    /// All groups, once there will be no more.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be written.
    pub fn finish(mut self) -> Result<SummedGroups> {
        if self.files.is_some() {
            self.spill()?;
        }
        let files = self.files.take();
        Ok(files.map_or_else(|| SummedGroups::Memory(Box::new(self.take_totals())), SummedGroups::Files))
    }
}

/// All groups of a run, in the order of their keys.
pub enum SummedGroups {
    /// In memory.
    Memory(Box<Totals>),
    /// In temporary files.
    Files(GroupFiles),
}

impl SummedGroups {
    /// Passes on all groups, some at a time; also if there are none.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be read, or that of `each`.
    pub fn for_each(&self, each: &mut dyn FnMut(&Totals) -> Result<()>) -> Result<()> {
        match self {
            SummedGroups::Memory(totals) => each(totals),
            SummedGroups::Files(files) => files.for_each(each),
        }
    }

    /// How many there are.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be read.
    pub fn count(&self) -> Result<usize> {
        let mut count = 0;
        self.for_each(&mut |totals| {
            count += totals.keys.len();
            Ok(())
        })?;
        Ok(count)
    }

    /// All of them in memory.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be read.
    pub fn totals(self) -> Result<Totals> {
        let files = match self {
            SummedGroups::Memory(totals) => return Ok(*totals),
            SummedGroups::Files(files) => files,
        };
        let mut all = files.no_totals();
        files.for_each(&mut |totals| {
            let first = all.keys.len();
            all.keys.extend_from_slice(&totals.keys);
            all.places = (0..all.keys.len()).collect();
            all.summary.grow(all.keys.len());
            let places: Vec<u32> = (first as u32..).take(totals.keys.len()).collect();
            all.summary.add(&totals.summary, Some(&places));
            Ok(())
        })?;
        Ok(all)
    }
}

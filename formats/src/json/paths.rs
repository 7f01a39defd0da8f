//! Values at the ends of paths. One pass over a record finds all of them, whatever their number and length.
//!
//! Paths that begin with the same steps share them. Names match ignoring case unless one matches exactly, which is known only
//! at the end of an object. So the first field that matches ignoring case is followed, and the first exact match of each name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::fmt;

use memchr::{memchr, memchr2};
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{JsonFields, Object, find, two_fields};
use crate::error::RecordError;

/// So many names are compared one by one; of more, one is found by its hash.
const FEW: usize = 8;

/// Whether paths are followed in one pass. The page keeps no columns, and has to be small.
pub const IN_ONE_PASS: bool = !cfg!(target_arch = "wasm32");

/// Different names, and their numbers in the order in which they came.
#[derive(Default)]
pub struct NameNumbers {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl NameNumbers {
    /// The number of a name, which may be new.
    pub fn add(&mut self, name: String) -> usize {
        if let Some(number) = self.number(&name) {
            return number;
        }
        if IN_ONE_PASS {
            self.numbers.insert(name.clone(), self.names.len());
        }
        self.names.push(name);
        self.names.len() - 1
    }

    fn number(&self, name: &str) -> Option<usize> {
        if self.names.len() <= FEW || !IN_ONE_PASS {
            return self.names.iter().position(|known| known == name);
        }
        self.numbers.get(name).copied()
    }

    /// The same ignoring case, for names in lower case.
    #[inline]
    pub fn number_in_any_case(&self, name: &str) -> Option<usize> {
        if self.names.len() <= FEW || !IN_ONE_PASS {
            return self.names.iter().position(|known| known.eq_ignore_ascii_case(name));
        }
        self.number_of_many(name)
    }

    #[inline(never)]
    fn number_of_many(&self, name: &str) -> Option<usize> {
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.numbers.get(&name.to_ascii_lowercase()).copied();
        }
        self.numbers.get(name).copied()
    }
}

/// The value at the end of a path, step by step: each step reads the whole value again. `warn` takes a name, and two that differ from
/// it in case alone.
///
/// # Errors
///
/// Two fields have the name of a step.
pub fn value_by_steps<'t>(
    object: &JsonFields<'t>,
    wanted: &str,
    warn: impl Fn(&str, &str, &str),
) -> Result<Option<&'t str>, RecordError> {
    if let Some(value) = find(object, wanted, |one, other| warn(wanted, one, other))? {
        return Ok(Some(value));
    }
    let Some((root, path)) = wanted.split_once('.') else { return Ok(None) };
    let mut value = find(object, root, |one, other| warn(root, one, other))?;
    for name in path.split('.') {
        let Some(whole) = value else { break };
        let mut reader = serde_json::Deserializer::from_str(whole);
        value = if whole.starts_with('{') {
            let mut fields = Vec::new();
            let is_needed = |found: &str| found.eq_ignore_ascii_case(name);
            match reader.deserialize_map(Object(&is_needed, &mut fields)) {
                Ok(()) => find(&fields, name, |one, other| warn(name, one, other))?,
                Err(_) => None,
            }
        } else {
            let mut found = None;
            if let Some(index) = index(name) {
                _ = reader.deserialize_seq(Element(index, &mut found));
            }
            found
        };
    }
    Ok(value)
}

struct Element<'a, 'de>(usize, &'a mut Option<&'de str>);

impl<'de> Visitor<'de> for Element<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        for _ in 0..self.0 {
            if elements.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        *self.1 = elements.next_element::<&RawValue>()?.map(RawValue::get);
        Ok(())
    }
}

/// A step of a path: its node, and the number of its spelling there.
type PathStep = (usize, usize);

/// Where paths lead.
pub struct FieldPaths {
    /// The first one is the record.
    nodes: Vec<PathNode>,
}

/// The targets of steps, ignoring case.
#[derive(Default)]
struct PathNode {
    /// How the last step is spelled.
    spellings: NameNumbers,
    /// The names of the next steps in lower case, and their nodes.
    names: NameNumbers,
    next: Vec<usize>,
    /// The next steps that may be numbers of elements, and their nodes, in order.
    elements: Vec<(usize, usize)>,
}

/// A path: its first step if all of it is the name of a field, and its steps otherwise.
pub struct FieldPath {
    whole: PathStep,
    steps: Vec<PathStep>,
}

impl FieldPaths {
    /// The paths among these names. Others are paths as well if there are many of them, or else nothing.
    pub fn new(names: &[String]) -> (FieldPaths, Vec<Option<FieldPath>>) {
        const MANY: usize = 32;
        if !IN_ONE_PASS {
            return (FieldPaths { nodes: Vec::new() }, names.iter().map(|_| None).collect());
        }
        let mut paths = FieldPaths { nodes: vec![PathNode::default()] };
        let mut path = |name: &String| {
            let is_path = name.contains('.');
            let steps = |paths: &mut FieldPaths| {
                let mut at = 0;
                let mut step = |name: &str| {
                    let step = paths.step(at, name);
                    at = step.0;
                    step
                };
                if is_path { name.split('.').map(&mut step).collect() } else { Vec::new() }
            };
            (is_path || names.len() > MANY).then(|| FieldPath { whole: paths.step(0, name), steps: steps(&mut paths) })
        };
        let ends = names.iter().map(&mut path).collect();
        paths.nodes.iter_mut().for_each(|node| node.elements.sort_unstable());
        (paths, ends)
    }

    /// The next step from a node, which may be new.
    fn step(&mut self, from: usize, name: &str) -> PathStep {
        let (new, node) = (self.nodes.len(), &mut self.nodes[from]);
        let number = node.names.add(name.to_ascii_lowercase());
        if number == node.next.len() {
            node.next.push(new);
            node.elements.extend(index(name).map(|index| (index, new)));
            self.nodes.push(PathNode::default());
        }
        let to = self.nodes[from].next[number];
        (to, self.nodes[to].spellings.add(name.to_owned()))
    }

    fn name(&self, (node, spelling): PathStep) -> &str {
        &self.nodes[node].spellings.names[spelling]
    }
}

/// The number of an element that a step is.
fn index(step: &str) -> Option<usize> {
    let is_usual = step == "0" || !step.starts_with(['0', '+']);
    if is_usual { step.parse().ok() } else { None }
}

// Sources can be shown, and the page is to be small.
impl fmt::Debug for NameNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names.fmt(f)
    }
}

impl fmt::Debug for FieldPaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldPaths").finish_non_exhaustive()
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldPath").finish_non_exhaustive()
    }
}

/// The values of the paths in a record.
pub struct FoundValues<'p, 't> {
    paths: &'p FieldPaths,
    /// Where in `members` something is, by the object or array, the node, and the spelling, or `None` for any.
    places: HashMap<(usize, usize, Option<usize>), usize>,
    members: Vec<Member<'t>>,
    /// Whether each object or array can be read.
    containers: Vec<bool>,
    open: Vec<OpenContainer>,
}

/// A field of an object, or an element of an array.
#[derive(Debug)]
struct Member<'t> {
    name: Cow<'t, str>,
    value: &'t str,
    /// The number of the object or array that the value is, if there are steps into it.
    container: Option<usize>,
    /// Whether another field has the same name, and the name of the next one that differs only in case.
    has_twin: bool,
    other: Option<Cow<'t, str>>,
}

/// An object or array that is being read.
#[derive(Debug)]
struct OpenContainer {
    is_object: bool,
    start: usize,
    /// Its index, the member that contains it, and the node of that.
    container: usize,
    member: usize,
    node: usize,
    /// The number of the next element, and the number of wanted ones so far.
    index: usize,
    came: usize,
}

impl<'p, 't> FoundValues<'p, 't> {
    /// Nothing was found yet.
    pub fn new(paths: &'p FieldPaths) -> FoundValues<'p, 't> {
        FoundValues { paths, places: HashMap::new(), members: Vec::new(), containers: Vec::new(), open: Vec::new() }
    }

    /// Looks for all paths in a record of these fields.
    pub fn look(&mut self, fields: &JsonFields<'t>) {
        let root = &self.paths.nodes[0];
        if root.next.is_empty() {
            return;
        }
        self.places.clear();
        self.members.clear();
        self.containers.clear();
        self.containers.push(true);
        for (name, value) in fields {
            let Some(number) = root.names.number_in_any_case(name) else { continue };
            let node = root.next[number];
            if let Some(member) = self.add(0, node, name.clone()) {
                self.read(value, member, node);
            }
        }
    }

    /// The value at the end of a path, unless there is none. `warn` takes a name, and two that differ from it in case alone.
    ///
    /// # Errors
    ///
    /// Two fields have the name of a step.
    pub fn value(&self, path: &FieldPath, warn: impl Fn(&str, &str, &str)) -> Result<Option<&'t str>, RecordError> {
        if let Some(member) = self.find(0, path.whole, &warn)? {
            return Ok(Some(member.value));
        }
        let (mut container, mut value) = (Some(0), None);
        for &step in &path.steps {
            let Some(inside) = container else { return Ok(None) };
            let Some(member) = self.find(inside, step, &warn)? else { return Ok(None) };
            (container, value) = (member.container, Some(member.value));
        }
        Ok(value)
    }

    fn find(
        &self,
        container: usize,
        step: PathStep,
        warn: impl Fn(&str, &str, &str),
    ) -> Result<Option<&Member<'t>>, RecordError> {
        if !self.containers[container] {
            return Ok(None);
        }
        let place = |spelling| self.places.get(&(container, step.0, spelling)).map(|&place| &self.members[place]);
        let exact = place(Some(step.1));
        let Some(member) = exact.or_else(|| place(None)) else { return Ok(None) };
        if member.has_twin {
            return Err(two_fields(&member.name));
        }
        if let (None, Some(other)) = (exact, &member.other) {
            warn(self.paths.name(step), &member.name, other);
        }
        Ok(Some(member))
    }

    /// Adds a field of this name. The result is its place, if it may be at the end of a path or on the way there.
    fn add(&mut self, container: usize, node: usize, name: Cow<'t, str>) -> Option<usize> {
        let (new, spelling) = (self.members.len(), self.paths.nodes[node].spellings.number(&name));
        let mut is_new = false;
        match self.places.entry((container, node, None)) {
            Vacant(place) => {
                place.insert(new);
                is_new = true;
            }
            Occupied(place) => {
                let first = &mut self.members[*place.get()];
                if first.name == name {
                    first.has_twin = true;
                } else if first.other.is_none() {
                    first.other = Some(name.clone());
                }
            }
        }
        if let Some(spelling) = spelling {
            match self.places.entry((container, node, Some(spelling))) {
                Vacant(place) => {
                    place.insert(new);
                    is_new = true;
                }
                Occupied(place) => self.members[*place.get()].has_twin = true,
            }
        }
        is_new.then(|| self.push(name))
    }

    fn push(&mut self, name: Cow<'t, str>) -> usize {
        self.members.push(Member { name, value: "", container: None, has_twin: false, other: None });
        self.members.len() - 1
    }

    /// Reads the value of a member, and what steps from its node lead to. It has no errors, because the reader of the record has found
    /// none.
    fn read(&mut self, text: &'t str, member: usize, node: usize) {
        let mut scanner = Scanner { text, at: 0 };
        let mut target = Some((member, node));
        loop {
            let (start, paths) = (scanner.at, self.paths);
            match (target, scanner.next()) {
                (Some((member, node)), Some(bracket @ (b'{' | b'['))) if !paths.nodes[node].next.is_empty() => {
                    let container = self.containers.len();
                    self.containers.push(true);
                    self.members[member].container = Some(container);
                    let is_object = bracket == b'{';
                    self.open.push(OpenContainer { is_object, start, container, member, node, index: 0, came: 0 });
                    scanner.at += 1;
                }
                (target, _) => {
                    scanner.pass_value();
                    if let Some((member, _)) = target {
                        self.members[member].value = &text[start..scanner.at];
                    }
                }
            }
            target = loop {
                let Some(open) = self.open.last_mut() else { return };
                scanner.pass_blanks();
                match scanner.next() {
                    None => {
                        self.open.clear();
                        return;
                    }
                    Some(b'}' | b']') => {
                        scanner.at += 1;
                        self.members[open.member].value = &text[open.start..scanner.at];
                        self.open.pop();
                    }
                    Some(b',') => scanner.at += 1,
                    Some(_) if open.is_object => break self.field(&mut scanner),
                    Some(_) => {
                        let elements = &paths.nodes[open.node].elements;
                        let Some(&(wanted, node)) = elements.get(open.came) else {
                            scanner.pass_rest();
                            continue;
                        };
                        let index = open.index;
                        open.index += 1;
                        if index < wanted {
                            break None;
                        }
                        open.came += 1;
                        let (container, member) = (open.container, self.members.len());
                        self.places.insert((container, node, None), member);
                        break Some((self.push(Cow::Borrowed("")), node));
                    }
                }
            };
        }
    }

    /// Reads the name of a field of the object that is open, up to its value.
    fn field(&mut self, scanner: &mut Scanner<'t>) -> Option<(usize, usize)> {
        let &OpenContainer { container, node, .. } = self.open.last()?;
        let name = scanner.name();
        scanner.pass_blanks();
        scanner.at += 1;
        scanner.pass_blanks();
        let Some(name) = name else {
            self.containers[container] = false;
            return None;
        };
        let paths = self.paths;
        let next = paths.nodes[node].next[paths.nodes[node].names.number_in_any_case(&name)?];
        self.add(container, next, name).map(|member| (member, next))
    }
}

/// Goes through text that is JSON.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass_blanks(&mut self) {
        while self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn pass_string(&mut self) {
        self.at += 1;
        while let Some(mark) = memchr2(b'"', b'\\', &self.text.as_bytes()[self.at.min(self.text.len())..]) {
            self.at += mark + 1;
            if self.text.as_bytes()[self.at - 1] == b'"' {
                return;
            }
            self.at += 1;
        }
        self.at = self.text.len();
    }

    fn pass_value(&mut self) {
        match self.next() {
            Some(b'"') => self.pass_string(),
            Some(b'{' | b'[') => {
                self.at += 1;
                self.pass_rest();
                self.at = self.text.len().min(self.at + 1);
            }
            _ => {
                let rest = &self.text.as_bytes()[self.at..];
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
            }
        }
    }

    /// Passes over the rest of an object or an array, up to the bracket that closes it.
    fn pass_rest(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.next() {
            match byte {
                b'"' => {
                    self.pass_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads the name of a field, unless it is no text.
    fn name(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at;
        self.pass_string();
        let name = &self.text[start..self.at];
        if memchr(b'\\', name.as_bytes()).is_some() {
            return serde_json::from_str(name).ok().map(Cow::Owned);
        }
        name.get(1..name.len() - 1).map(Cow::Borrowed)
    }
}

#[cfg(test)]
mod tests;

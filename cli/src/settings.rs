//! The options of a command line with their values, for the report of a run and for the record of a directory of outputs.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

/// Options that do not change the rows of an input: where rows go, how the work is shared, and what is said about it.
const OTHERS: [&str; 17] = [
    "backend",
    "block-bytes",
    "files-from",
    "format", // each has its own record
    "group-memory",
    "keep-going",
    "max-errors",
    "merge",
    "output",
    "output-dir",
    "overwrite",
    "report",
    "shard",
    "stats",
    "theme",
    "threads",
    "unique-memory",
];

/// The options of a subcommand, in the order of its help.
#[derive(Debug, Default)]
pub struct Settings(Vec<Setting>);

/// An option that has a value.
#[derive(Debug)]
struct Setting {
    name: String,
    value: Value,
    is_default: bool,
}

/// How a recorded option differs from that of this run.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// The recorded value, if it had one.
    pub before: Option<Value>,
    /// Its value now, if it has one.
    pub now: Option<Value>,
}

impl Settings {
    /// The options of a subcommand, as they were given or by default.
    pub fn new(command: &Command, matches: &ArgMatches) -> Settings {
        let named = command.get_arguments().filter_map(|argument| Some((argument, argument.get_long()?)));
        Settings(named.filter_map(|(argument, name)| Setting::new(argument, name, matches)).collect())
    }

    /// All of them.
    pub fn all(&self) -> Map<String, Value> {
        self.0.iter().map(|setting| (setting.name.clone(), setting.value.clone())).collect()
    }

    /// Those that change the rows of an input.
    pub fn of_rows(&self) -> Map<String, Value> {
        self.rows().map(|setting| (setting.name.clone(), setting.value.clone())).collect()
    }

    fn rows(&self) -> impl Iterator<Item = &Setting> {
        self.0.iter().filter(|setting| !OTHERS.contains(&&*setting.name))
    }

    /// The first option that changes rows and differs from the recorded ones. A recorded run that did not know an option had its default.
    pub fn difference(&self, recorded: &Map<String, Value>) -> Option<Difference> {
        let changed = self.rows().find(|setting| match recorded.get(&setting.name) {
            Some(before) => *before != setting.value,
            None => !setting.is_default,
        });
        if let Some(setting) = changed {
            let before = recorded.get(&setting.name).cloned();
            return Some(Difference { name: setting.name.clone(), before, now: Some(setting.value.clone()) });
        }
        let is_known = |name: &str| OTHERS.contains(&name) || self.rows().any(|setting| setting.name == name);
        let gone = recorded.iter().find(|(name, _)| !is_known(name));
        gone.map(|(name, before)| Difference { name: name.clone(), before: Some(before.clone()), now: None })
    }
}

impl Setting {
    /// The value of an option of this name, unless it is a flag that is not set.
    fn new(argument: &Arg, name: &str, matches: &ArgMatches) -> Option<Setting> {
        let id = argument.get_id().as_str();
        let values = matches.try_get_raw(id).ok().flatten()?;
        let mut values: Vec<Value> = values.map(|value| value.to_string_lossy().into()).collect();
        let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
        let is_list = argument.get_value_delimiter().is_some() || matches!(argument.get_action(), ArgAction::Append);
        let value = match is_list {
            true => Value::Array(values),
            false => values.pop()?,
        };
        let is_default = matches.value_source(id) == Some(ValueSource::DefaultValue);
        match is_flag {
            true if is_default => None,
            true => Some(Setting { name: name.to_owned(), value: true.into(), is_default }),
            false => Some(Setting { name: name.to_owned(), value, is_default }),
        }
    }
}

/// A value in messages: as it is written on the command line.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    /// The settings of `analyze` with these arguments.
    fn settings(line: &str) -> Settings {
        let mut command = Args::command();
        let words = ["slider-attacks", "analyze"].into_iter().chain(line.split_whitespace());
        let matches = command.try_get_matches_from_mut(words).unwrap();
        let (name, matches) = matches.subcommand().unwrap();
        Settings::new(command.find_subcommand(name).unwrap(), matches)
    }

    #[test]
    fn options_that_change_rows_differ() {
        let recorded = settings("a.epd --what maps,pins --games A>1 --games B=2 --threads 2").of_rows();
        assert_eq!(recorded["games"], serde_json::json!(["A>1", "B=2"]));
        let difference = |line: &str| settings(line).difference(&recorded).map(|it| it.name);
        let same =
            "b.pgn --games A>1 --games B=2 --what maps --what pins --column fen --shard 1/2 --overwrite --output-dir x";
        assert_eq!(difference(same), None);
        for (changed, name) in [
            ("--games B=2 --games A>1 --what maps,pins", "games"),
            ("--games A>1 --games B=2", "what"),
            ("--games A>1 --games B=2 --what maps,pins --each-move", "each-move"),
            ("--games A>1 --games B=2 --what maps,pins --through own", "through"),
            ("--what maps,pins", "games"),
        ] {
            assert_eq!(difference(changed).as_deref(), Some(name), "{changed}");
        }
    }

    #[test]
    fn the_memory_for_keys_changes_no_rows() {
        let [less, more] = [1000, 2000].map(|bytes| settings(&format!("a.epd --unique --unique-memory {bytes}")));
        assert_eq!(less.difference(&more.of_rows()), None);
    }

    #[test]
    fn an_option_that_a_recorded_run_did_not_know_had_its_default() {
        let mut recorded = settings("a.epd").of_rows();
        recorded.remove("through");
        assert_eq!(settings("a.epd").difference(&recorded), None);
        // It may have recorded more.
        recorded.insert("unique-memory".to_owned(), Value::from("1000"));
        assert_eq!(settings("a.epd").difference(&recorded), None);
        recorded.insert("old".to_owned(), Value::from("x"));
        let gone = settings("a.epd").difference(&recorded).unwrap();
        assert_eq!((&*gone.name, gone.before, gone.now), ("old", Some(Value::from("x")), None));
    }
}

//! Who may ask.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// The least number of characters of a token.
const SHORTEST: usize = 32;

/// Names and their tokens.
pub struct Tokens {
    tokens: Vec<(Arc<str>, Vec<u8>)>,
}

impl Tokens {
    /// Reads a file of tokens: a name, blanks and a token per line. Empty lines and lines that start with # are skipped.
    /// A name may have several tokens, so that one can be replaced by another.
    pub fn read(path: &Path) -> anyhow::Result<Tokens> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Tokens::parse(&text).with_context(|| format!("tokens in {}", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Tokens> {
        let mut tokens: Vec<(Arc<str>, Vec<u8>)> = Vec::new();
        let mut seen = HashSet::new();
        for (line, text) in text.lines().enumerate().map(|(index, text)| (index + 1, text.trim())) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            // Messages do not repeat the line: it may hold a token.
            let mut words = text.split_whitespace();
            let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
                bail!("line {line}: expected a name and a token");
            };
            let length = token.chars().count();
            ensure!(
                length >= SHORTEST,
                "line {line}: expected a token of at least {SHORTEST} characters, found {length}"
            );
            ensure!(token.bytes().all(|byte| byte.is_ascii_graphic()), "line {line}: expected a token in ASCII");
            ensure!(seen.insert(token.to_owned()), "line {line}: this token is there twice");
            tokens.push((name.into(), token.as_bytes().to_vec()));
        }
        ensure!(!tokens.is_empty(), "there are none");
        Ok(Tokens { tokens })
    }

    /// The name of the client that has this token. How long that takes does not depend on the token, except on its length.
    pub fn name(&self, found: &[u8]) -> Option<Arc<str>> {
        let (mut index, mut any) = (0, Choice::from(0));
        for (here, (_, token)) in self.tokens.iter().enumerate() {
            let equal = token.as_slice().ct_eq(found);
            index.conditional_assign(&(here as u64), equal);
            any |= equal;
        }
        bool::from(any).then(|| self.tokens[index as usize].0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let [one, two, three] = ["1", "2", "3"].map(|digit| digit.repeat(SHORTEST));
        let tokens = Tokens::parse(&format!("# two of ann\nann {one}\n\nann\t{two}\nbob {three}\n")).unwrap();
        for (token, name) in [(&one, "ann"), (&two, "ann"), (&three, "bob")] {
            assert_eq!(tokens.name(token.as_bytes()).as_deref(), Some(name));
        }
        for token in ["", "1", &"4".repeat(SHORTEST), &one[1..], &format!("{one}1")] {
            assert_eq!(tokens.name(token.as_bytes()), None);
        }
    }

    #[test]
    fn malformed() {
        let long = "secret-".repeat(SHORTEST);
        for (text, message) in [
            (String::new(), "there are none"),
            (format!("ann {long}\nbob"), "line 2: expected a name and a token"),
            (format!("ann {long} x"), "line 1: expected a name and a token"),
            ("ann secret-short".into(), "line 1: expected a token of at least 32 characters, found 12"),
            (format!("ann {long}\nbob {long}"), "line 2: this token is there twice"),
            (format!("ann {long}é"), "line 1: expected a token in ASCII"),
        ] {
            let error = Tokens::parse(&text).err().unwrap().to_string();
            assert_eq!(error, message);
            assert!(!error.contains("secret"));
        }
    }
}

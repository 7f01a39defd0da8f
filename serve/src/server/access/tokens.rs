//! The tokens of clients.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use subtle::ConstantTimeEq;

use super::credentials;

/// The least number of characters of a token.
const SHORTEST: usize = 32;

/// Names and their tokens.
pub struct Tokens {
    /// By a hash that nobody outside can compute, so that the time which a lookup takes tells nothing about other tokens.
    tokens: HashMap<u64, Vec<NamedToken>>,
    hash: RandomState,
}

/// A name and a token.
type NamedToken = (Arc<str>, Vec<u8>);

impl Tokens {
    /// Reads a file of tokens: a name, blanks and a token per line. Empty lines and lines that start with # are skipped.
    /// A name may have several tokens, so that one can be replaced by another.
    pub fn read(path: &Path) -> anyhow::Result<Tokens> {
        let text =
            String::from_utf8(credentials::read(path)?).with_context(|| format!("cannot read {}", path.display()))?;
        let tokens = Tokens::parse(&text).with_context(|| format!("tokens in {}", path.display()))?;
        credentials::warn_if_open(path);
        Ok(tokens)
    }

    fn parse(text: &str) -> anyhow::Result<Tokens> {
        let (mut tokens, hash) = (HashMap::<_, Vec<NamedToken>>::new(), RandomState::new());
        // Some editors put a byte order mark before the text.
        let text = text.trim_start_matches('\u{feff}');
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
            ensure!(seen.insert(token.to_owned()), "line {line}: duplicate token");
            let entry = (name.into(), token.as_bytes().to_vec());
            tokens.entry(hash.hash_one(token.as_bytes())).or_default().push(entry);
        }
        ensure!(!tokens.is_empty(), "there are none");
        Ok(Tokens { tokens, hash })
    }

    /// The name of the client that has this token. How long that takes does not depend on how much of a token is right.
    pub fn name(&self, found: &[u8]) -> Option<Arc<str>> {
        let same = self.tokens.get(&self.hash.hash_one(found))?;
        same.iter().find(|(_, token)| token.as_slice().ct_eq(found).into()).map(|(name, _)| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let [one, two, three] = ["1", "2", "3"].map(|digit| digit.repeat(SHORTEST));
        let tokens = Tokens::parse(&format!("# two of ann\nann {one}\n\nann\t{two}\nbob {three}\n")).unwrap();
        assert_eq!(Tokens::parse(&format!("\u{feff}ann {one}")).unwrap().name(one.as_bytes()).as_deref(), Some("ann"));
        for (token, name) in [(&one, "ann"), (&two, "ann"), (&three, "bob")] {
            assert_eq!(tokens.name(token.as_bytes()).as_deref(), Some(name));
        }
        for token in ["", "1", &"4".repeat(SHORTEST), &one[1..], &format!("{one}1")] {
            assert_eq!(tokens.name(token.as_bytes()), None);
        }
    }

    /// A lookup does not take longer because there are many others.
    #[test]
    fn many() {
        let text: String = (0..100_000).map(|index| format!("name{index} {index:032}\n")).collect();
        let tokens = Tokens::parse(&text).unwrap();
        let start = std::time::Instant::now();
        for index in 0..2000 {
            assert_eq!(tokens.name(format!("{:032}", 100_000 + index).as_bytes()), None);
            assert_eq!(tokens.name(format!("{index:032}").as_bytes()).as_deref(), Some(&*format!("name{index}")));
        }
        // To look at each token would take seconds here.
        assert!(start.elapsed() < std::time::Duration::from_secs(1), "{:?}", start.elapsed());
    }

    #[test]
    fn malformed() {
        let long = "secret-".repeat(SHORTEST);
        for (text, message) in [
            (String::new(), "there are none"),
            (format!("ann {long}\nbob"), "line 2: expected a name and a token"),
            (format!("ann {long} x"), "line 1: expected a name and a token"),
            ("ann secret-short".into(), "line 1: expected a token of at least 32 characters, found 12"),
            (format!("ann {long}\nbob {long}"), "line 2: duplicate token"),
            (format!("ann {long}é"), "line 1: expected a token in ASCII"),
        ] {
            let error = Tokens::parse(&text).err().unwrap().to_string();
            assert_eq!(error, message);
            assert!(!error.contains("secret"));
        }
    }
}

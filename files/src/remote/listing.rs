//! Objects below a prefix, or that match a pattern.

use std::future::ready;
use std::io;
use std::path::{Component, Path, PathBuf};

use futures_util::{StreamExt, TryStreamExt};
use glob::{MatchOptions, Pattern};
use object_store::path::Path as ObjectPath;
use slider_attacks_formats::error::printable;

use super::failure::{failure, network_error};
use super::stores::ObjectLocation;
use super::thread::wait;
use super::url::StoreKind;
use super::{ListedObject, ListedObjects};
use crate::input::is_pattern;

/// The objects that a URL stands for: a single one, those that match it, if it is a pattern, or those below it.
///
/// # Errors
///
/// They cannot be listed, or it is no pattern.
pub fn list(url: &Path) -> io::Result<ListedObjects> {
    let location = ObjectLocation::new(url)?;
    if location.url.kind == StoreKind::Web {
        return Ok(ListedObjects::One(None));
    }
    let is_folder = location.url.key.as_ref().is_empty() || url.as_os_str().as_encoded_bytes().ends_with(b"/");
    if !is_folder {
        match super::length(url) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Nobody may look at it, but perhaps read it.
            found => return Ok(ListedObjects::One(found.unwrap_or(None))),
        }
    }
    if !is_pattern(Path::new(location.url.key.as_ref())) {
        return match below(location, None) {
            Ok(found) if is_folder || !found.is_empty() => Ok(ListedObjects::Several(found)),
            // Not all who may read an object may list others.
            Err(error) if is_folder || error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(ListedObjects::One(None)),
        };
    }
    let key = location.url.key.clone();
    let fixed: Vec<&str> = key.as_ref().split('/').take_while(|part| !is_pattern(Path::new(part))).collect();
    let rest = &key.as_ref()[fixed.iter().map(|part| part.len() + 1).sum()..];
    let pattern = Pattern::new(rest).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    let prefix = ObjectPath::parse(fixed.join("/"))
        .map_err(|error| network_error(io::ErrorKind::InvalidInput, error.to_string()))?;
    let mut location = location;
    location.url.key = prefix;
    below(location, Some(pattern)).map(ListedObjects::Several)
}

/// All objects below a prefix.
///
/// # Errors
///
/// They cannot be listed.
pub fn list_below(url: &Path) -> io::Result<Vec<ListedObject>> {
    below(ObjectLocation::new(url)?, None)
}

/// The objects below a key whose rest matches the pattern.
fn below(location: ObjectLocation, pattern: Option<Pattern>) -> io::Result<Vec<ListedObject>> {
    let ObjectLocation { store, url } = location;
    let (key, store_url) = (url.key.clone(), url.store);
    let mut listed: Vec<(ObjectPath, u64)> = wait(async move {
        let is_flat =
            pattern.as_ref().is_some_and(|pattern| !pattern.as_str().contains('/') && pattern.as_str() != "**");
        let prefix = Some(&url.key).filter(|key| !key.as_ref().is_empty());
        let found = if is_flat {
            let found = store.list_with_delimiter(prefix).await.map_err(|error| failure(&error))?;
            futures_util::stream::iter(found.objects.into_iter().map(Ok)).boxed()
        } else {
            store.list(prefix)
        };
        // A bucket may have far more of them than match.
        let found = found.try_filter_map(|meta| {
            let is_it = rest(&meta.location, &url.key).is_some_and(|below| is_match(below, pattern.as_ref()));
            ready(Ok(is_it.then_some((meta.location, meta.size))))
        });
        found.try_collect().await.map_err(|error| failure(&error))
    })?;
    listed.sort_by(|(one, _), (other, _)| one.as_ref().split('/').cmp(other.as_ref().split('/')));
    let found = listed.into_iter().filter_map(|(location, length)| {
        let below = rest(&location, &key)?;
        let url = PathBuf::from(format!("{store_url}/{location}"));
        Some(check_is_name(below).map(|()| ListedObject { url, below: below.into(), length }))
    });
    found.collect()
}

/// The rest of a key after another, if that is a part of it.
fn rest<'a>(location: &'a ObjectPath, key: &ObjectPath) -> Option<&'a str> {
    let below = location.as_ref().strip_prefix(key.as_ref())?.trim_start_matches('/');
    Some(below).filter(|below| !below.is_empty())
}

fn is_match(below: &str, pattern: Option<&Pattern>) -> bool {
    // As in shells.
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    pattern.is_none_or(|pattern| pattern.matches_with(below, options))
}

/// Checks that outputs named after this rest of a key stay in their directory.
fn check_is_name(below: &str) -> io::Result<()> {
    let has_names = Path::new(below).components().all(|part| matches!(part, Component::Normal(_)));
    if has_names && !(cfg!(windows) && below.contains('\\')) {
        return Ok(());
    }
    let message = format!("the key {} is no relative path here", printable(below));
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_their_directory() {
        for (below, is_name) in
            [("a/b.pgn", true), ("a/..b", true), ("../a", false), ("/a", false), ("a/../../b", false)]
        {
            assert_eq!(check_is_name(below).is_ok(), is_name, "{below}");
        }
        assert_eq!(check_is_name("a\\..\\b").is_ok(), !cfg!(windows));
    }
}

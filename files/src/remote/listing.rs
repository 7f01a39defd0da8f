//! Objects below a prefix, or that match a pattern.

use std::io;
use std::path::{Path, PathBuf};

use futures_util::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::path::Path as ObjectPath;

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
    below(location, Some(&pattern)).map(ListedObjects::Several)
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
fn below(location: ObjectLocation, pattern: Option<&Pattern>) -> io::Result<Vec<ListedObject>> {
    let ObjectLocation { store, url } = location;
    let (key, store_url) = (url.key.clone(), url.store);
    let mut listed: Vec<(ObjectPath, u64)> = wait(async move {
        let found = store.list(Some(&url.key).filter(|key| !key.as_ref().is_empty()));
        let found = found.map_ok(|meta| (meta.location, meta.size));
        found.try_collect().await.map_err(|error| failure(&error))
    })?;
    // As in shells.
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    listed.sort_by(|(one, _), (other, _)| one.as_ref().split('/').cmp(other.as_ref().split('/')));
    let found = listed.into_iter().filter_map(|(location, length)| {
        let below = location.as_ref().strip_prefix(key.as_ref())?.trim_start_matches('/');
        let is_it = pattern.is_none_or(|pattern| pattern.matches_with(below, options));
        let url = PathBuf::from(format!("{store_url}/{location}"));
        (is_it && !below.is_empty()).then(|| ListedObject { url, below: below.into(), length })
    });
    Ok(found.collect())
}

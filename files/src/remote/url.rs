//! What a URL names.

use std::io;
use std::path::Path;

use object_store::path::Path as ObjectPath;

use crate::input::user;

/// What kind of store a URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreKind {
    /// Amazon S3, and servers that speak its protocol.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
    /// Any web server.
    Web,
}

/// The schemes that can be read.
const SCHEMES: [(&str, StoreKind); 10] = [
    ("s3", StoreKind::S3),
    ("s3a", StoreKind::S3),
    ("gs", StoreKind::Google),
    ("az", StoreKind::Azure),
    ("adl", StoreKind::Azure),
    ("azure", StoreKind::Azure),
    ("abfs", StoreKind::Azure),
    ("abfss", StoreKind::Azure),
    ("http", StoreKind::Web),
    ("https", StoreKind::Web),
];

/// A URL in its parts.
#[derive(Clone, Debug)]
pub struct ObjectUrl {
    /// The kind of the store.
    pub kind: StoreKind,
    /// The store: the scheme, and the bucket or container. Of a web server, the URL.
    pub store: String,
    /// The key in the store, which is taken as it stands. Of a web server, none.
    pub key: ObjectPath,
}

impl ObjectUrl {
    /// The parts of a URL.
    ///
    /// # Errors
    ///
    /// It has another scheme, no bucket, or a key that no object can have.
    pub fn parse(url: &Path) -> io::Result<ObjectUrl> {
        let invalid = |reason: &str| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let text = url.to_str().ok_or_else(|| invalid("the URL is not UTF-8"))?;
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| invalid("a URL has two slashes after its scheme, as in s3://bucket"))?;
        let scheme = scheme.to_ascii_lowercase();
        let (_, kind) = SCHEMES.into_iter().find(|(known, _)| *known == scheme).ok_or_else(|| {
            invalid("this scheme is not supported: use s3, gs, az, abfs, http or https, or pipe into standard input")
        })?;
        // There, paths are joined with the other slash.
        let joined = cfg!(windows) && kind != StoreKind::Web;
        let rest = if joined { rest.replace('\\', "/") } else { rest.to_owned() };
        let (authority, key) = rest.split_once('/').unwrap_or((&rest, ""));
        if authority.is_empty() {
            return Err(invalid("the URL names no bucket or server"));
        }
        // A container of Azure stands there too, without a colon.
        if user(text).is_some_and(|user| kind != StoreKind::Azure || user.contains(':')) {
            return Err(invalid("a name and password in a URL are not sent"));
        }
        if kind == StoreKind::Web {
            let store = format!("{scheme}://{rest}");
            return Ok(ObjectUrl { kind, store, key: ObjectPath::default() });
        }
        let key = ObjectPath::parse(key).map_err(|error| invalid(&error.to_string()))?;
        Ok(ObjectUrl { kind, store: format!("{scheme}://{authority}"), key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_a_store_and_a_key() {
        for (url, store, key) in [
            ("s3://b/games/x.pgn", "s3://b", "games/x.pgn"),
            ("S3://b/x%20y.pgn", "s3://b", "x%20y.pgn"),
            ("s3://b/a?b#c.pgn", "s3://b", "a?b#c.pgn"),
            ("gs://b", "gs://b", ""),
            ("s3://b/games/", "s3://b", "games"),
            ("abfss://c@a.dfs.core.windows.net/x", "abfss://c@a.dfs.core.windows.net", "x"),
            ("https://h:1/a%20b.pgn?sig=x/y", "https://h:1/a%20b.pgn?sig=x/y", ""),
            ("https://h/a@b.pgn", "https://h/a@b.pgn", ""),
            ("https://h?a@b", "https://h?a@b", ""),
        ] {
            let found = ObjectUrl::parse(Path::new(url)).unwrap();
            assert_eq!((found.store.as_str(), found.key.as_ref()), (store, key), "{url}");
        }
        for url in [
            "s3:/b/x",
            "s3:///x",
            "hdfs://h/x",
            "ftp://h/x",
            "https://",
            "s3://b/a//b",
            "s3://b/../x",
            "https://name:word@h/x",
            "https://name@h",
            "s3://key:word@b/x",
            "abfss://name:word@a.dfs.core.windows.net/x",
        ] {
            assert!(ObjectUrl::parse(Path::new(url)).is_err(), "{url}");
        }
    }
}

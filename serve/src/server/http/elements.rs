//! Arrays of JSON as bodies: each element becomes a line as it arrives, which the reader of JSON lines takes.

use super::super::refusal::Refusal;

/// What the formats of a request have if its body may be such an array.
pub const JSON_ARRAY: &str = "JSON array";

/// The most white space before a value that is kept until it is known whether the value is an array.
const MOST_SPACE: usize = 64 << 10;

/// The byte order mark, which may come before all else.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What stands for a line end within a string, which JSON does not allow there. It does not allow this either.
const FORBIDDEN: u8 = 0x1f;

/// Turns the elements of an array into lines. What is no array stays as it is.
#[derive(Debug, Default)]
pub struct ElementLines {
    place: ArrayPlace,
    /// How many elements have begun.
    count: u64,
}

/// Where in a body the next byte is.
#[derive(Debug)]
enum ArrayPlace {
    /// Before the first value, after this white space, and a byte order mark or a part of one.
    Start(Vec<u8>),
    /// In a body that is no array.
    Other,
    /// Before an element.
    Before,
    /// In an element.
    Within(ElementPlace),
    /// After the array.
    End,
}

impl Default for ArrayPlace {
    fn default() -> ArrayPlace {
        ArrayPlace::Start(Vec::new())
    }
}

/// Where in an element the next byte is.
#[derive(Debug, Default)]
struct ElementPlace {
    /// How many brackets are open.
    depth: u64,
    /// Whether it is in a string, and after a backslash there.
    is_string: bool,
    is_escaped: bool,
}

impl ElementLines {
    /// Whether the body is an array, as far as it came.
    pub fn is_array(&self) -> bool {
        !matches!(self.place, ArrayPlace::Start(_) | ArrayPlace::Other)
    }

    /// Whether the body is a complete array without elements.
    pub fn is_empty(&self) -> bool {
        matches!(self.place, ArrayPlace::End) && self.count == 0
    }

    /// Whether no element has begun.
    pub fn has_none(&self) -> bool {
        self.count == 0
    }

    /// Whether an element has begun and not ended.
    pub fn is_within(&self) -> bool {
        matches!(self.place, ArrayPlace::Within(_))
    }

    /// The lines of the next bytes, which are no longer than these. An element may go on in the next ones. `is_last` says that
    /// there are none. If something between the elements is wrong, the lines are those before it.
    pub fn push(&mut self, bytes: &[u8], is_last: bool) -> (Vec<u8>, Result<(), Refusal>) {
        let mut lines = Vec::with_capacity(bytes.len());
        for (at, &byte) in bytes.iter().enumerate() {
            if matches!(self.place, ArrayPlace::Other) {
                lines.extend_from_slice(&bytes[at..]);
                break;
            }
            if let Err(refusal) = self.push_byte(byte, &mut lines) {
                return (lines, Err(refusal));
            }
        }
        match &mut self.place {
            ArrayPlace::Start(space) if is_last => lines.append(space),
            ArrayPlace::Before | ArrayPlace::Within(_) if is_last => {
                return (lines, Err(self.wrong(self.count, "the body ends within the array")));
            }
            _ => {}
        }
        (lines, Ok(()))
    }

    fn push_byte(&mut self, byte: u8, lines: &mut Vec<u8>) -> Result<(), Refusal> {
        let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match &mut self.place {
            ArrayPlace::Start(space) if is_space && space.len() < MOST_SPACE => space.push(byte),
            ArrayPlace::Start(space) if is_mark(space, byte) => space.push(byte),
            ArrayPlace::Start(space) if byte == b'[' && (space.starts_with(MARK) || !space.starts_with(&MARK[..1])) => {
                self.place = ArrayPlace::Before;
            }
            ArrayPlace::Start(space) => {
                lines.append(space);
                lines.push(byte);
                self.place = ArrayPlace::Other;
            }
            ArrayPlace::Other => lines.push(byte),
            ArrayPlace::Before | ArrayPlace::End if is_space => {}
            ArrayPlace::Before if byte == b']' && self.count == 0 => self.place = ArrayPlace::End,
            // The reader of lines would pass over an element of white space that JSON does not have, such as a form feed.
            ArrayPlace::Before if !begins_value(byte) => {
                return Err(self.wrong(self.count + 1, &format!("expected a value, found {:?}", char::from(byte))));
            }
            // By the first one, the reader of lines knows its format.
            ArrayPlace::Before if self.count == 0 && byte != b'{' => {
                return Err(self.wrong(1, &format!("expected an object, found {:?}", char::from(byte))));
            }
            ArrayPlace::Before => {
                self.count += 1;
                self.place = ArrayPlace::Within(ElementPlace::default());
                return self.push_byte(byte, lines);
            }
            ArrayPlace::Within(element) => match element.read(byte) {
                Some(byte) => lines.push(byte),
                None => {
                    lines.push(b'\n');
                    self.place = if byte == b']' { ArrayPlace::End } else { ArrayPlace::Before };
                }
            },
            ArrayPlace::End => {
                let found = format!("expected nothing after the array, found {:?}", char::from(byte));
                return Err(self.wrong(self.count, &found));
            }
        }
        Ok(())
    }

    fn wrong(&self, element: u64, what: &str) -> Refusal {
        Refusal::content(format!("body, element {element}: {what}")).at("element", element)
    }
}

/// Whether a byte goes on with a byte order mark that a body begins with.
fn is_mark(before: &[u8], byte: u8) -> bool {
    MARK.strip_prefix(before).is_some_and(|rest| rest.first() == Some(&byte))
}

/// Whether a value of JSON may begin with this byte.
fn begins_value(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

impl ElementPlace {
    /// What stands for a byte of the element in its line; nothing, if the element ends before it.
    fn read(&mut self, byte: u8) -> Option<u8> {
        if self.is_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_string = false,
                _ => {}
            }
            return Some(if matches!(byte, b'\n' | b'\r') { FORBIDDEN } else { byte });
        }
        match byte {
            b',' | b']' if self.depth == 0 => return None,
            b'"' => self.is_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b'\n' | b'\r' => return Some(b' '),
            _ => {}
        }
        Some(byte)
    }
}

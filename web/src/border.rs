//! The functions that JavaScript calls.
//!
//! The caller requests a buffer with [`room`], writes its input there, and calls a function, which returns the length of its
//! answer. The answer is at [`answer`] until the next call. So both sides access only memory that the module owns, and nothing
//! has to be freed.

use std::cell::RefCell;

use serde_json::Value;
use slider_attacks_query::PositionQuery;

use crate::condition::ScanCondition;
use crate::format::FileFormat;
use crate::groups::ScanGroups;
use crate::scan::{FoundSquare, Scan};
use crate::unzstd::ZstdFrames;
use crate::{about, analyze, condition, edit, entries, error, head, options, play, steps};

/// An input or an answer that was larger gives its memory back.
const KEPT: usize = 1 << 16;

thread_local! {
    static STATE: RefCell<PageState> = RefCell::default();
}

/// What lasts from one call to the next.
#[derive(Default)]
struct PageState {
    input: Vec<u8>,
    answer: Vec<u8>,
    scan: Option<Scan>,
    unzstd: ZstdFrames,
}

/// Takes the input and keeps the answer.
fn call(answer: impl FnOnce(&[u8], &mut Option<Scan>) -> Value) -> usize {
    STATE.with_borrow_mut(|state| {
        let value = answer(&state.input, &mut state.scan);
        state.answer = serde_json::to_vec(&value).unwrap_or_default();
        if state.input.len() > KEPT && state.scan.is_none() {
            state.input = Vec::new();
        }
        state.answer.len()
    })
}

/// Where an input of this many bytes is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.answer = Vec::new();
        state.input.resize(bytes, 0);
        state.input.as_mut_ptr()
    })
}

/// Where the last answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    STATE.with_borrow(|state| state.answer.as_ptr())
}

/// [`about::about`].
#[unsafe(no_mangle)]
pub extern "C" fn products() -> usize {
    call(|_, _| about::about())
}

/// [`analyze::analyze`]: a line with a position, then lines with [options].
#[unsafe(no_mangle)]
pub extern "C" fn position() -> usize {
    call(|input, _| {
        let (_, rest) = head(input);
        match options::plan(&String::from_utf8_lossy(rest)) {
            Ok(plan) => analyze::analyze(&plan, input),
            Err(message) => error(message),
        }
    })
}

/// [`condition::set`].
#[unsafe(no_mangle)]
pub extern "C" fn set() -> usize {
    call(|input, _| condition::set(input))
}

/// [`edit::typed`].
#[unsafe(no_mangle)]
pub extern "C" fn typed() -> usize {
    call(|input, _| edit::typed(&String::from_utf8_lossy(input)))
}

/// [`edit::changed`].
#[unsafe(no_mangle)]
pub extern "C" fn changed() -> usize {
    call(|input, _| edit::changed(&String::from_utf8_lossy(input)))
}

/// [`play::moves`] of a position.
#[unsafe(no_mangle)]
pub extern "C" fn plays() -> usize {
    call(|input, _| play::moves(&String::from_utf8_lossy(input)))
}

/// [`steps::steps`].
#[unsafe(no_mangle)]
pub extern "C" fn method() -> usize {
    call(|input, _| steps::steps(&String::from_utf8_lossy(input)))
}

/// [`entries::entries`] of a file whose format [`block`] has told.
#[unsafe(no_mangle)]
pub extern "C" fn list() -> usize {
    call(|input, scan| of_file(scan, |format| entries::entries(format, input)))
}

/// [`entries::moves`] of such a file.
#[unsafe(no_mangle)]
pub extern "C" fn moves() -> usize {
    call(|input, scan| of_file(scan, |format| entries::moves(format, input)))
}

fn of_file(scan: &Option<Scan>, answer: impl FnOnce(&FileFormat) -> Value) -> Value {
    scan.as_ref().and_then(Scan::format).map_or_else(|| error("no format is known"), answer)
}

/// Begins to [scan](Scan) a file. The first line has its name; [options] follow. A line such as `by result` sums each
/// [group](ScanGroups::new) by itself, too, one such as `find white_pinned e4` finds positions instead, and one such as
/// `where in_check` tells which entries match.
#[unsafe(no_mangle)]
pub extern "C" fn begin() -> usize {
    call(|input, scan| {
        let (name, rest) = head(input);
        let text = String::from_utf8_lossy(rest);
        let (mut groups, mut wanted, mut query, mut others) = (None, None, None, String::new());
        for line in text.lines() {
            if let Some(text) = line.strip_prefix("where ") {
                match text.parse::<PositionQuery>() {
                    Ok(parsed) => query = Some(parsed),
                    Err(wrong) => return condition::error_of(&wrong),
                }
                continue;
            }
            match line.strip_prefix("find ").and_then(|rest| rest.split_once(' ')) {
                Some((column, square)) => match square.parse() {
                    Ok(square) => wanted = Some(FoundSquare { column: column.to_owned(), square }),
                    Err(wrong) => return error(wrong),
                },
                None => match line.strip_prefix("by ") {
                    Some(key) => groups = Some(ScanGroups::new(key)),
                    None => others = others + line + "\n",
                },
            }
        }
        match options::plan(&others) {
            Ok(plan) => {
                let query = query.map(|query| ScanCondition::new(query, plan.clone()));
                let begun = Scan::new(name, plan);
                let begun = match query {
                    Some(query) => begun.matching(query),
                    None => begun,
                };
                let begun = match groups {
                    Some(groups) => begun.by(groups),
                    None => begun,
                };
                *scan = Some(match wanted {
                    Some(wanted) => begun.finding(wanted),
                    None => begun,
                });
                Value::Null
            }
            Err(message) => error(message),
        }
    })
}

/// [`Scan::block`] of the input.
#[unsafe(no_mangle)]
pub extern "C" fn block(is_last: u32) -> usize {
    call(|input, scan| scan.as_mut().map_or_else(|| error("nothing has begun"), |scan| scan.block(input, is_last != 0)))
}

/// Unpacks the next bytes of a file by [`ZstdFrames::push`]. The answer is no JSON: after 0, it is bytes, and after 1, what is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn unzstd(is_last: u32) -> usize {
    STATE.with_borrow_mut(|state| {
        state.answer = match state.unzstd.push(&state.input, is_last != 0) {
            Ok(bytes) => [&[0], &bytes[..]].concat(),
            Err(message) => [&[1], message.as_bytes()].concat(),
        };
        state.answer.len()
    })
}

/// [`Scan::sums`].
#[unsafe(no_mangle)]
pub extern "C" fn sums() -> usize {
    call(|_, scan| scan.as_ref().map_or_else(|| error("nothing has begun"), Scan::sums))
}

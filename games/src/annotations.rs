//! Annotations of positions in comments.

/// An evaluation, as white sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eval {
    /// In centipawns.
    Centipawns(i32),
    /// Mate in this many moves; below zero if black mates.
    Mate(i32),
}

/// Whether a clock has the most common form, `0:03:00`, followed by a bracket.
#[inline(always)]
pub fn is_usual_clock(word: u64) -> bool {
    let digits = word ^ u64::from_le_bytes(*b"0:00:00]");
    // An addition finds digits that are too large; no other byte may differ.
    let larger = digits | digits.wrapping_add(u64::from_le_bytes([6, 0, 6, 6, 0, 6, 6, 0]));
    larger & u64::from_le_bytes([0xf0, 0xff, 0xf0, 0xf0, 0xff, 0xf0, 0xf0, 0xff]) == 0
}

/// The time after `%clk`, in milliseconds: `0:03:00`, `1:30`, `0:00:59.9`.
pub fn clock(text: &[u8]) -> Option<u32> {
    let (mut seconds, mut value, mut at) = (0_u32, 0_u32, 0);
    let text = text.trim_ascii_start();
    loop {
        match *text.get(at)? {
            digit @ b'0'..=b'9' => value = value.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?,
            b':' => (seconds, value) = (seconds.checked_add(value)?.checked_mul(60)?, 0),
            b'.' => break,
            _ if at == 0 || text[at - 1] == b':' => return None,
            b']' | b' ' | b',' | b'\t' | b'\r' | b'\n' => return seconds.checked_add(value)?.checked_mul(1_000),
            _ => return None,
        }
        at += 1;
    }
    let mut fraction = 0;
    for (place, digit) in [100, 10, 1].into_iter().zip(text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit())) {
        fraction += place * u32::from(digit - b'0');
    }
    seconds.checked_add(value)?.checked_mul(1_000)?.checked_add(fraction)
}

/// The evaluation after `%eval`: `0.17`, `-3`, `#-4`. A number after a comma is a depth: `0.17,20`. A whole number
/// before a depth is centipawns, as ChessBase writes them: `17,20`.
pub fn eval(text: &[u8]) -> Option<Eval> {
    let text = text.trim_ascii_start();
    let is_mate = text.first() == Some(&b'#');
    let text = &text[usize::from(is_mate)..];
    let sign = match text.first()? {
        b'-' => -1,
        _ => 1,
    };
    let text = &text[usize::from(matches!(text[0], b'-' | b'+'))..];
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = text[..digits]
        .iter()
        .try_fold(0_i32, |number, digit| number.checked_mul(10)?.checked_add(i32::from(digit - b'0')))?;
    let mut after = &text[digits..];
    let depth = after.trim_ascii_start().strip_prefix(b",").map(<[u8]>::trim_ascii_start);
    let has_depth = depth.is_some_and(|depth| depth.first().is_some_and(u8::is_ascii_digit));
    let mut centipawns = if has_depth { Some(whole) } else { whole.checked_mul(100) };
    let mut fraction = 0;
    if let Some(rest) = after.strip_prefix(b".").filter(|_| !is_mate) {
        fraction = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        for (place, digit) in [10, 1].into_iter().zip(&rest[..fraction]) {
            centipawns = centipawns?.checked_add(place * i32::from(digit - b'0'));
        }
        after = &rest[fraction..];
    }
    if digits + fraction == 0 || !matches!(after.first(), Some(b']' | b',' | b' ' | b'\t' | b'\r' | b'\n')) {
        return None;
    }
    Some(if is_mate { Eval::Mate(sign * whole) } else { Eval::Centipawns(sign * centipawns?) })
}

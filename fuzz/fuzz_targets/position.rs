//! The readers of positions: no text makes them panic, a position that they accept is the one in the text, and every
//! backend reads what the reader without vectors reads.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slider_attacks::Backend;
use slider_attacks::analysis::Status;
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, FenError, Piece, Positions};

const GOOD: &[u8] = b"k7/8/8/8/8/8/8/K7 w - -\n";

fuzz_target!(|line: &[u8]| {
    // Alone, and among lines that vectors read: on one backend, because that takes more time than all else.
    let backends: Vec<Backend> = Backend::available().collect();
    same(&backends, line);
    let any: usize = line.iter().map(|&byte| usize::from(byte)).sum();
    let others = GOOD.repeat(9);
    let text = [&others[..GOOD.len() * (line.len() % 9)], line, b"\n", &others].concat();
    same(&[backends[any % backends.len()]], &text);

    let mut positions = Positions::new();
    if let Err(error) = positions.push_fen(line) {
        let message = error.to_string();
        assert!(message.len() < 200 && !message.contains('\n'), "{message:?}");
        assert!((1..=line.len() + 1).contains(&error.column), "{message:?}");
        assert!(positions.is_empty());
        return;
    }
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let board = fields.next().expect("there is a board");
    let count = |letters: &[u8]| board.iter().filter(|letter| letters.contains(letter)).count();
    assert_eq!(positions.occupancies()[0].count_ones() as usize, count(b"KQRBNPkqrbnp"));
    for color in Color::ALL {
        for piece in Piece::ALL {
            let squares = positions.pieces(color, piece)[0];
            assert_eq!(squares.count_ones() as usize, count(&[piece.letter(color) as u8]), "{color} {piece}");
        }
    }
    // One position is computed without vectors, nine with them.
    let copies: Positions = positions.iter().cycle().take(9).collect();
    let mut lists = backends.iter().map(|backend| {
        let (mut moves, mut number) = (Moves::new(), [0]);
        backend.moves(&positions, &mut moves);
        backend.legal_moves(&positions, &mut number).expect("there is one position");
        assert_eq!(moves[0].len(), usize::from(number[0]), "{backend}");
        let (mut of_copies, mut numbers) = (Moves::new(), [0; 9]);
        backend.moves(&copies, &mut of_copies);
        backend.legal_moves(&copies, &mut numbers).expect("there is a number for each copy");
        assert!(of_copies.len() == 9 && of_copies.iter().all(|copy| copy == &moves[0]), "{backend}: copies");
        assert_eq!(numbers, [number[0]; 9], "{backend}: copies");
        let (mut after, mut count) = (Positions::new(), [0]);
        backend.after(&positions, &moves, &mut after).expect("the moves are legal");
        let mut numbers = vec![0; after.len()];
        backend.legal_moves(&after, &mut numbers).expect("there is a number for each position");
        backend.perft(&positions, 2, &mut count).expect("there is one position");
        assert_eq!(numbers.iter().map(|&number| u64::from(number)).sum::<u64>(), count[0], "{backend}");
        let (mut checks, mut mates) = (Moves::new(), Moves::new());
        backend.checking_moves(&positions, &mut checks);
        backend.mating_moves(&positions, &mut mates);
        for (status, some) in [(Status::Check, &checks), (Status::Checkmate, &mates)] {
            backend.status(&after, status, &mut numbers).expect("there is a number for each position");
            let has = moves[0].iter().zip(&numbers).filter(|(_, number)| **number == 1).map(|(mv, _)| mv);
            assert!(has.eq(&some[0]), "{backend}: {status}");
        }
        (moves, after)
    });
    let first = lists.next().expect("there is a backend");
    assert!(lists.all(|both| both == first), "{first:?}");
    // Text after the fourth field, blanks between fields, and the function that reads the text make no difference.
    let mut again = Positions::new();
    again.push_fen(positions.fen(0).as_bytes()).expect("it is well-formed");
    assert_eq!(again, positions);
    let four: Vec<&[u8]> = [board].into_iter().chain(fields.take(3)).collect();
    let mut text = Positions::new();
    text.read_lines(&four.join(&b' ')).expect("so is this");
    assert_eq!(text, positions);
});

/// Reads a text as lines and its lines as parts. The allocations have exactly the length of the text, so
/// that the sanitizer notices accesses outside.
fn same(backends: &[Backend], text: &[u8]) {
    let text: &[u8] = &Box::<[u8]>::from(text);
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let content = |line: &&'_ [u8]| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.len() - usize::from(line.ends_with(b"\r"))
    };
    let mut start = 0;
    let parts: Vec<_> = lines
        .iter()
        .map(|line| {
            let part = start..start + content(line);
            start += line.len();
            part
        })
        .collect();

    // One line after the other. `taken` are the bytes up to the first line that has no position.
    let (mut all, mut read, mut pushed) = (Positions::new(), Positions::new(), Positions::new());
    let (mut errors, mut wrong, mut taken) = (Vec::new(), None, None);
    for (at, part) in parts.iter().enumerate() {
        let mut line = &text[part.clone()];
        let result = by_byte(line, &mut all);
        if result.is_err() || line.contains(&b'\r') {
            taken.get_or_insert(part.start);
        } else if taken.is_none() {
            by_byte(line, &mut pushed).expect("it has just been read");
        }
        errors.extend(result.err());
        if at == 0 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if let Some(column) = line.iter().position(|&byte| byte == b'\r') {
            wrong.get_or_insert((at + 1, column + 1, None));
        } else if !matches!(line.trim_ascii_start().first(), None | Some(b'#')) {
            if let Err(error) = by_byte(line, &mut read) {
                wrong.get_or_insert((at + 1, error.0, Some(error)));
            }
        }
    }

    for backend in backends {
        let mut positions = Positions::new();
        match (backend.read_lines(text, &mut positions), &wrong) {
            (Ok(count), None) => assert!(count == read.len() && positions == read, "{backend}, read_lines"),
            (Err(error), Some((line, column, what))) => {
                assert_eq!((error.line, error.error.column), (*line, *column), "{backend}, read_lines: {error}");
                assert!(
                    what.as_ref().is_none_or(|what| *what == said(error.error, 0)),
                    "{backend}, read_lines: {error}"
                );
                assert!(positions.is_empty(), "{backend}, read_lines");
            }
            (result, _) => panic!("{backend}, read_lines: {result:?}"),
        }
        positions.clear();
        let bytes = backend.push_lines(text, usize::MAX, &mut positions);
        assert_eq!(bytes, taken.unwrap_or(text.len()), "{backend}, push_lines");
        assert!(positions == pushed, "{backend}, push_lines");

        // The number of positions tells which part was wrong.
        let (mut found, mut rest) = (Vec::new(), &parts[..]);
        positions.clear();
        while let (before, Err(error)) =
            (positions.len(), backend.push_fens_in(text, rest.iter().cloned(), &mut positions))
        {
            found.push(said(error, 0));
            rest = &rest[positions.len() - before + 1..];
        }
        assert!(positions == all && found == errors, "{backend}, push_fens_in");

        let boxes: Vec<Box<[u8]>> = parts.iter().map(|part| text[part.clone()].into()).collect();
        let (mut found, mut rest) = (Vec::new(), &boxes[..]);
        positions.clear();
        while let (before, Err(error)) =
            (positions.len(), backend.push_fens(rest.iter().map(|text| &text[..]), &mut positions))
        {
            found.push(said(error, 0));
            rest = &rest[positions.len() - before + 1..];
        }
        assert!(positions == all && found == errors, "{backend}, push_fens");
    }
}

/// The column of an error less `before`, and what was expected there.
fn said(error: FenError, before: usize) -> (usize, String) {
    let message = error.to_string();
    let (_, what) = message.split_once(": ").expect("a column, then what is wrong");
    (error.column - before, what.to_owned())
}

/// Adds a line with a line end before it, because such lines are read byte by byte.
fn by_byte(line: &[u8], positions: &mut Positions) -> Result<(), (usize, String)> {
    positions.push_fen(&[b"\n", line].concat()).map_err(|error| said(error, 1))
}

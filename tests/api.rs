//! The public functions of the library, and the texts of its errors.

mod common;

use slider_attacks::analysis::{PieceValues, Side, Threats};
use slider_attacks::diagram::Diagram;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks::position::{Castling, Color, Piece, Position, PositionSlice, Positions};
use slider_attacks::{
    Backend, BatchError, Cpu, ParseBackendError, Slider, SliderArrays, Square, Squares, batch_attacks,
    batch_bishop_attacks, batch_queen_attacks, batch_rook_attacks, bishop_attacks, queen_attacks, reference,
    rook_attacks,
};

/// The initial position, in which the rook on a1, the bishop on c1 and the queen on d1 only attack their neighbours.
const FIRST: u64 = 0xffff_0000_0000_ffff;

// Single pairs can be computed at compile time.
const ROOK: u64 = rook_attacks(Square::A1, FIRST);
const BISHOP: u64 = bishop_attacks(Square::C1, FIRST);
const QUEEN: u64 = queen_attacks(Square::D1, FIRST);
static EMPTY_BOARD: [u64; 3] =
    [rook_attacks(Square::D4, 0), bishop_attacks(Square::D4, 0), queen_attacks(Square::D4, 0)];

#[test]
fn single_pairs_are_const() {
    assert_eq!((ROOK, BISHOP, QUEEN), (0x102, 0xa00, 0x1c14));
    assert_eq!(EMPTY_BOARD, [0x0808_0808_f708_0808, 0x8041_2214_0014_2241, 0x8849_2a1c_f71c_2a49]);
    const EXPECTED: u64 = reference::attacks(Slider::Queen, Square::D1, FIRST);
    assert_eq!(QUEEN, EXPECTED);
}

#[test]
fn every_form_of_squares_compiles_and_agrees() {
    let expected = [queen_attacks(Square::A1, FIRST), queen_attacks(Square::D4, FIRST)];
    macro_rules! check {
        ($squares:expr, $occs:expr, $out:expr) => {{
            let (squares, occs, mut out) = ($squares, $occs, $out);
            batch_attacks(&squares, &occs, &mut out).unwrap();
            assert_eq!(out[..], expected, stringify!($squares));
        }};
    }
    check!([0, 27], [FIRST; 2], [0; 2]);
    check!([Square::A1, Square::D4], [FIRST, FIRST], vec![0; 2]);
    check!(Vec::<u8>::from([0, 27]), vec![FIRST; 2], [0; 2]);
    check!(vec![Square::A1, Square::D4], vec![FIRST; 2], vec![0; 2]);
    check!(Box::<[Square]>::from([Square::A1, Square::D4]), Box::<[u64]>::from([FIRST; 2]), Box::<[u64]>::from([0; 2]));

    let mut out = [0; 4];
    let (squares, occs) = ([63, 0, 27, 63], [0, FIRST, FIRST, 0]);
    batch_attacks(&squares[1..3], &occs[1..3], &mut out[1..3]).unwrap();
    assert_eq!(out, [0, expected[0], expected[1], 0], "sub-slices");
}

#[test]
fn nothing_is_fine() {
    assert_eq!(batch_attacks::<u8>(&[], &[], &mut []), Ok(()));
    assert_eq!(batch_attacks::<Square>(&[], &[], &mut []), Ok(()));
    assert_eq!(batch_rook_attacks(&Vec::<u8>::new(), &Vec::new(), &mut Vec::new()), Ok(()));
    for backend in Backend::available() {
        assert_eq!(backend.batch_slider_attacks::<u8>(Slider::Queen, &[], &[], &mut []), Ok(()), "{backend}");
    }
}

#[test]
fn every_function_computes_its_own_slider() {
    let occs = [0x0010_2000_8100_4204; 64];
    let mut out = [[0; 64]; 4];
    batch_attacks(&Square::ALL, &occs, &mut out[0]).unwrap();
    batch_queen_attacks(&Square::ALL, &occs, &mut out[1]).unwrap();
    batch_rook_attacks(&Square::ALL, &occs, &mut out[2]).unwrap();
    batch_bishop_attacks(&Square::ALL, &occs, &mut out[3]).unwrap();
    for (i, sq) in Square::ALL.into_iter().enumerate() {
        let [rook, bishop] = [Slider::Rook, Slider::Bishop].map(|slider| reference::attacks(slider, sq, occs[i]));
        assert_eq!(out.map(|out| out[i]), [rook | bishop, rook | bishop, rook, bishop], "{sq}");
        assert_eq!((rook_attacks(sq, occs[i]), bishop_attacks(sq, occs[i])), (rook, bishop), "{sq}");
        assert_eq!(queen_attacks(sq, occs[i]), rook | bishop, "{sq}");
    }
}

#[test]
fn errors_are_lower_case_and_carry_their_numbers() {
    let error = batch_attacks(&[0, 1, 2, 64, 65], &[0; 5], &mut [0; 5]).unwrap_err();
    assert_eq!(error, BatchError::SquareOutOfRange { index: 3, square: 64 });
    assert_eq!(error.to_string(), "square 64 at index 3 is not on the board");
    let error = batch_attacks(&[0, 1], &[0], &mut [0; 3]).unwrap_err();
    assert_eq!(error, BatchError::LengthMismatch { squares: 2, occupancies: 1, out: 3 });
    assert_eq!(error.to_string(), "lengths differ: 2 squares, 1 occupancies, room for 3 attack sets");
    for call in [batch_attacks, batch_queen_attacks, batch_rook_attacks, batch_bishop_attacks] {
        assert_eq!(call(&[255_u8], &[0], &mut [0]), Err(BatchError::SquareOutOfRange { index: 0, square: 255 }));
    }

    assert_eq!(format!("{:?}, {:?}", Backend::scalar(), Square::E4), "Backend(scalar), e4");
    assert_eq!("i9".parse::<Square>().unwrap_err().to_string(), "expected a square from a1 to h8");
    assert_eq!(Square::try_from(64).unwrap_err().to_string(), "square 64 is not on the board");
    let error = "mmx".parse::<Backend>().unwrap_err();
    assert_eq!(error, ParseBackendError::Unknown("mmx".to_owned()));
    assert_eq!(error.to_string(), "expected one of scalar, bmi2, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon");

    fn is_error<E: std::error::Error + Send + Sync + 'static>(_: E) {}
    is_error(BatchError::LengthMismatch { squares: 0, occupancies: 1, out: 0 });
    is_error(error);
}

#[test]
fn errors_keep_what_was_refused() {
    assert_eq!("e9".parse::<Square>().unwrap_err().text(), "e9");
    assert_eq!("KK".parse::<Castling>().unwrap_err().text(), "KK");
    assert_eq!("1,3,3,5".parse::<PieceValues>().unwrap_err().text(), "1,3,3,5");
    assert_eq!("knight".parse::<Slider>().unwrap_err().text(), "knight");
    assert_eq!("magic".parse::<Method>().unwrap_err().text(), "magic");
    assert_eq!(Square::try_from(64).unwrap_err().index(), 64);
}

#[test]
fn backends_have_names() {
    common::backends("api");
    let all = [
        ("scalar", Some(Backend::scalar())),
        ("bmi2", Backend::bmi2()),
        ("ssse3", Backend::ssse3()),
        ("avx2", Backend::avx2()),
        ("avx2-gfni", Backend::avx2_gfni()),
        ("avx512", Backend::avx512()),
        ("avx512-gfni", Backend::avx512_gfni()),
        ("neon", Backend::neon()),
    ];
    for (name, backend) in all {
        match backend {
            Some(backend) => {
                assert_eq!(backend.name(), name);
                assert_eq!(name.parse(), Ok(backend));
                assert_eq!(backend.to_string(), name);
                assert_eq!(format!("{backend:>8}|{backend:?}"), format!("{name:>8}|Backend({name})"));
            }
            None => {
                let error = name.parse::<Backend>().unwrap_err();
                assert_eq!(error, ParseBackendError::Unavailable(name));
                let text = error.to_string();
                assert!(text.starts_with(&format!("this CPU cannot run {name}; it can run scalar")), "{text}");
            }
        }
    }
    for bad in ["", "AVX2", " avx2", "avx-512", "Scalar"] {
        assert_eq!(bad.parse::<Backend>(), Err(ParseBackendError::Unknown(bad.to_owned())), "{bad:?}");
    }
    let listed: Vec<Backend> = Backend::available().collect();
    let expected: Vec<Backend> = all.into_iter().filter_map(|(_, backend)| backend).collect();
    assert_eq!(listed, expected, "available, slowest first");
    assert_eq!(listed[0], Backend::scalar());
    assert!(listed.contains(&Backend::active()));
    assert_eq!(Backend::active(), Backend::active());
}

#[test]
fn handles_can_be_copied_and_sent() {
    fn is_plain<T: Copy + Send + Sync + Eq + std::hash::Hash + 'static>() {}
    is_plain::<Backend>();
    is_plain::<Square>();
    is_plain::<Slider>();
    is_plain::<Position>();
    is_plain::<Method>();
    fn is_shared<T: Send + Sync + Clone + Eq + std::fmt::Debug + 'static>() {}
    is_shared::<BatchError>();
    is_shared::<Positions>();
    is_shared::<PositionSlice<'static>>();
    is_shared::<SliderArrays<'static>>();
    is_shared::<Squares>();
    is_shared::<Threats>();
    is_shared::<Cpu>();
    is_shared::<Diagram>();

    const SCALAR: Backend = Backend::scalar();
    let backend = Backend::active();
    let attacks = std::thread::spawn(move || {
        let mut out = [0];
        backend.batch_slider_attacks(Slider::Rook, &[Square::A1], &[FIRST], &mut out).map(|()| out)
    });
    assert_eq!((attacks.join().unwrap(), SCALAR.name()), (Ok([ROOK]), "scalar"));
}

#[test]
fn bytes_become_squares_without_a_copy() {
    let bytes: Vec<u8> = (0..64).collect();
    let squares: &[Square] = bytemuck::checked::try_cast_slice(&bytes).unwrap();
    assert_eq!(squares, Square::ALL);
    assert_eq!(squares.as_ptr().cast(), bytes.as_ptr());
    assert_eq!(bytemuck::cast_slice::<Square, u8>(squares), bytes);
    for bad in 64..=255_u8 {
        assert!(bytemuck::checked::try_cast_slice::<u8, Square>(&[0, bad]).is_err(), "{bad}");
    }
    let mut out = [0; 64];
    batch_rook_attacks(squares, &[0; 64], &mut out).unwrap();
    assert!(out.iter().all(|attacks| attacks.count_ones() == 14));
}

#[test]
fn squares_have_names_and_numbers() {
    for (index, square) in (0..).zip(Square::ALL) {
        assert_eq!((square.index(), u8::from(square), square.bitboard()), (index, index, 1 << index));
        assert_eq!((Square::new(index), Square::try_from(index)), (Some(square), Ok(square)));
        assert_eq!(Square::from_file_rank(square.file(), square.rank()), Some(square));
        assert_eq!(square.to_string().parse(), Ok(square));
    }
    assert_eq!((Square::new(64), Square::from_file_rank(8, 0), Square::from_file_rank(0, 8)), (None, None, None));
    assert_eq!((Square::E4.to_string(), Square::E4.file(), Square::E4.rank()), ("e4".to_owned(), 4, 3));
    assert_eq!(format!("{:>4}|{:<3}|", Square::A1, Square::H8), "  a1|h8 |");
    for bad in ["", "e", "e9", "e0", "i4", "E4", "e44", " e4", "\u{e9}"] {
        assert!(bad.parse::<Square>().is_err(), "{bad:?}");
    }
    assert_eq!(size_of::<Option<Square>>(), 1);
}

#[test]
fn the_values_of_every_enum_have_names() {
    macro_rules! check {
        ($type:ty: $($name:literal)*) => {
            let names = [$($name),*];
            assert_eq!(<$type>::ALL.map(<$type>::name), names);
            assert_eq!(<$type>::ALL.map(|it| format!("{it:>14}")), names.map(|name| format!("{name:>14}")));
            assert_eq!(names.map(|name| name.parse()), <$type>::ALL.map(Ok));
            for bad in ["", "Queen", "rook ", "White", "both"] {
                let error = bad.parse::<$type>().unwrap_err().to_string();
                assert_eq!(error, format!("expected one of {}", names.join(", ")));
            }
        };
    }
    check!(Slider: "bishop" "rook" "queen");
    check!(Line: "rank" "file" "diagonal" "anti-diagonal");
    check!(Side: "own" "enemy" "any");
    check!(Color: "white" "black");
    check!(Piece: "pawn" "knight" "bishop" "rook" "queen" "king");
}

#[test]
fn boards_are_drawn_with_a_mark_on_any_square() {
    let drawing = "\
8  . . . . . . . R
7  . . . . . . . .
6  . . . . . . . .
5  . . . . . . . .
4  . . . . . . . .
3  . . . . . . . .
2  . . . . . . . .
1  1 . . . . . . .
   a b c d e f g h";
    let corners = Diagram::new(0x8000_0000_0000_0001);
    assert_eq!(corners.mark(Square::H8, 'R').to_string(), drawing);
    assert_eq!(Diagram::new(1).mark(Square::H8, 'R').to_string(), drawing);
    assert_eq!(corners.to_string(), drawing.replace('R', "1"));
}

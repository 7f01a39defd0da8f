//! `methods` and `show`.

use slider_attacks::methods::Method;

use crate::run;

#[test]
fn methods_lists_all() {
    let out = run("methods", "").ok();
    assert!(out.lines().all(|line| line.chars().count() <= 120), "{out}");
    let names: Vec<&str> = out.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.iter().copied().eq(Method::ALL.iter().map(|method| method.name())), "{out}");
}

#[test]
fn methods_verifies_those_that_are_named() {
    let out = run("methods --verify --method fill-up --method shared-rank", "").ok();
    let (table, summary) = out.split_once("\n\n").expect("the summary stands below the table");
    assert!(summary.starts_with("2 of 2 rows agree with the ray walk.\n"), "{summary}");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["method", "bytes", "cases", "result", "seconds"]);
    assert_eq!(rows.len(), 2 + 2);
    assert_eq!(rows[2][..4], ["fill-up", "8192", "3359232", "agrees"]);
    assert_eq!(rows[3][..4], ["shared-rank", "512", "3359232", "agrees"]);
}

#[test]
fn show_draws_the_steps_side_by_side() {
    let out = run("show fill-up d4 0x0000200000000200 --line diagonal", "").ok();
    assert_eq!(
        out,
        "\
fill-up: slider S on d4, occupancy 0x0000200000000200

diagonal

occupancy           masked line         x  B-file           =  product
8  . . . . . . . .  8  . . . . . . . .  8  . 1 . . . . . .  8  . . 1 . . . 1 .
7  . . . . . . . .  7  . . . . . . . .  7  . 1 . . . . . .  7  . . 1 . . . 1 .
6  . . . . . 1 . .  6  . . . . . 1 . .  6  . 1 . . . . . .  6  . . 1 . . . 1 .
5  . . . . . . . .  5  . . . . . . . .  5  . 1 . . . . . .  5  . . 1 . . . . .
4  . . . S . . . .  4  . . . S . . . .  4  . 1 . . . . . .  4  . . 1 . . . . .
3  . . . . . . . .  3  . . . . . . . .  3  . 1 . . . . . .  3  . . 1 . . . . .
2  . 1 . . . . . .  2  . 1 . . . . . .  2  . 1 . . . . . .  2  . . 1 . . . . .
1  . . . . . . . .  1  . . . . . . . .  1  . 1 . . . . . .  1  . . . . . . . .
   a b c d e f g h     a b c d e f g h     a b c d e f g h     a b c d e f g h

>> 58  index        table entry         & line  attacks
   1 . . . 1 .      8  . 1 1 . 1 1 . .  8  . . . . . . . .
   0 1 2 3 4 5      7  . 1 1 . 1 1 . .  7  . . . . . . . .
                    6  . 1 1 . 1 1 . .  6  . . . . . 1 . .
   0b010001         5  . 1 1 . 1 1 . .  5  . . . . 1 . . .
   = 17             4  . 1 1 . 1 1 . .  4  . . . S . . . .
                    3  . 1 1 . 1 1 . .  3  . . 1 . . . . .
                    2  . 1 1 . 1 1 . .  2  . 1 . . . . . .
                    1  . 1 1 . 1 1 . .  1  . . . . . . . .
                       a b c d e f g h     a b c d e f g h
"
    );
    assert_eq!(run("show fill-up 27 35184372089344 --line diagonal", "").ok(), out);
}

#[test]
fn show_draws_every_line_of_every_method() {
    for method in Method::ALL.iter().filter(|method| method.can_run()) {
        let out = run(&format!("show {method} h8 0xffff00000000ffff"), "").ok();
        for line in ["rank", "file", "diagonal", "anti-diagonal"] {
            assert!(out.contains(&format!("\n\n{line}\n\noccupancy           masked line  ")), "{out}");
        }
        assert!(out.lines().all(|line| line.len() <= 80), "{out}");
    }
}

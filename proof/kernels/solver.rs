//! Two SAT solvers, both written in Rust, neither by this project.

use batsat::{BasicSolver, SolverInterface, Var, lbool};
use varisat::ExtendFormula;

use super::cnf::{Cnf, Literal};

/// Finds values of the variables, from 1 on, that satisfy all clauses; `None` if there are none.
pub(super) type Solver = fn(&Cnf) -> Option<Vec<bool>>;

pub(super) fn batsat(cnf: &Cnf) -> Option<Vec<bool>> {
    let mut solver = BasicSolver::default();
    let variables: Vec<Var> = (0..cnf.variables).map(|_| solver.new_var_default()).collect();
    let literal = |literal: Literal| batsat::Lit::new(variables[literal.unsigned_abs() as usize - 1], literal > 0);
    for clause in &cnf.clauses {
        solver.add_clause_reuse(&mut clause.iter().copied().map(literal).collect());
    }
    let answer = solver.solve_limited(&[]);
    assert!(answer != lbool::UNDEF, "batsat has no limits to give up at");
    let value = |&variable: &Var| solver.value_var(variable) == lbool::TRUE;
    (answer == lbool::TRUE).then(|| variables.iter().map(value).collect())
}

pub(super) fn varisat(cnf: &Cnf) -> Option<Vec<bool>> {
    let literal = |&literal: &Literal| varisat::Lit::from_dimacs(literal as isize);
    let mut solver = varisat::Solver::new();
    for clause in &cnf.clauses {
        solver.add_clause(&clause.iter().map(literal).collect::<Vec<_>>());
    }
    if !solver.solve().expect("varisat decides") {
        return None;
    }
    let mut values = vec![false; cnf.variables as usize];
    for literal in solver.model().expect("there is a model after an answer of yes") {
        values[literal.index()] = literal.is_positive();
    }
    Some(values)
}

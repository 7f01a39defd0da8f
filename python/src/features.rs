//! Inputs of networks, as sparse rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt16Type, UInt32Type};
use arrow_array::{Array as _, ArrayRef, ArrowPrimitiveType, LargeListArray, PrimitiveArray, RecordBatch};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Schema};
use bytemuck::Pod;
use numpy::{Element, PyArrayDescr};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PySlice, PyString, PyTuple};
use slider_attacks::position::PositionSlice;
use slider_attacks::{Backend, Lists};
use slider_attacks_features::{
    FeatureError, FeatureIndex, FeatureSet, Features as RustFeatures, Mirror, PieceLayout as RustPieceLayout, RowLists,
    RowOrder, ThreatLayout as RustThreatLayout, ViewOrder,
};
use slider_attacks_rows::loader::PooledValue;

use crate::arrays::{plain, write};
use crate::capsule;
use crate::columns::view;
use crate::errors::PythonErrors;
use crate::index::Index;
use crate::numbers::{backend as backend_of, type_error, type_name, value_error};
use crate::pandas::PandasIndex;
use crate::pickle;
use crate::positions::Positions;
use crate::work::{Threads, count, in_parts, memory_for};

/// The positions between two looks for signals: some milliseconds of work.
const PART: usize = 1 << 14;

/// The most bytes that the rows of one of these positions take, nearly always, and a copy as the memory grows.
const ROW: usize = 2 * 2 * 4 * 256;

/// Which attacks are inputs of a network, and their numbers, for `features`.
///
/// Parameters
/// ----------
/// victims : a mapping from letters of attackers to the letters of their victims
///     {"N": "KQ"}: a knight that attacks a king, and one that attacks a queen. The order is that of the slots.
///     Attackers that are left out have no victims.
/// pushes : whether a pawn also attacks the square in front of it
///
/// As the perspective sees the board, with its own king on files a to d, the attack of a piece a on f on a victim v on t
/// has the number
///
///     base[a] + (c * n + slot) * E + (the pairs of a before f, t)
///
/// n is the number of slots of a, and c is 1 if v is an enemy. E is the number of pairs of a square and one that a attacks
/// from there on an empty board. base counts the numbers of own attackers P, N, B, R, Q, K, and then those of the enemy. Two
/// pieces of a kind that attack each other have one number.
///
/// Raises ValueError if a letter is not one of PNBRQK, or appears twice.
///
/// >>> import slider_attacks
/// >>> slider_attacks.ThreatLayout({"N": "KQ"})
/// ThreatLayout({'N': 'KQ'}, pushes=False)
#[pyclass(frozen, eq, hash, module = "slider_attacks")]
#[derive(PartialEq, Hash)]
pub struct ThreatLayout(RustThreatLayout);

const LETTERS: &str = "PNBRQK";

impl ThreatLayout {
    /// The letters of the victims of each attacker that has some, in the order of their slots.
    fn victims(&self) -> Vec<(char, String)> {
        let text = |row: &[Option<u8>; 6]| {
            let mut victims: Vec<_> =
                row.iter().zip(LETTERS.chars()).filter_map(|(slot, it)| Some(((*slot)?, it))).collect();
            victims.sort_unstable();
            victims.into_iter().map(|(_, letter)| letter).collect::<String>()
        };
        let rows = LETTERS.chars().zip(self.0.slots().iter().map(text));
        rows.filter(|(_, victims)| !victims.is_empty()).collect()
    }
}

#[pymethods]
impl ThreatLayout {
    #[new]
    #[pyo3(signature = (victims, *, pushes=false))]
    fn new(victims: HashMap<String, String>, pushes: bool) -> PyResult<ThreatLayout> {
        let mut slots = [[None; 6]; 6];
        for (attacker, letters) in &victims {
            let wrong =
                || value_error(format!("victims[{attacker:?}]={letters:?}: expected letters of {LETTERS}, each once"));
            let row = LETTERS.find(attacker).filter(|_| attacker.len() == 1).ok_or_else(wrong)?;
            for (slot, letter) in letters.chars().enumerate() {
                let victim = &mut slots[row][LETTERS.find(letter).ok_or_else(wrong)?];
                if victim.replace(slot as u8).is_some() {
                    return Err(wrong());
                }
            }
        }
        let layout = RustThreatLayout::new(slots, pushes);
        layout.map(ThreatLayout).ok_or_else(|| value_error("the slots of an attacker have gaps"))
    }

    /// The number of inputs.
    #[getter]
    fn size(&self) -> u32 {
        self.0.size()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (victims, named) = (self.victims().into_iter().into_py_dict(py)?, PyDict::new(py));
        named.set_item("pushes", self.0.pushes())?;
        call_again::<ThreatLayout>(victims.into_any(), &named)
    }

    fn __repr__(&self) -> String {
        let rows = self.victims().into_iter().map(|(attacker, victims)| format!("'{attacker}': '{victims}'"));
        let rows: Vec<_> = rows.collect();
        let pushes = if self.0.pushes() { "True" } else { "False" };
        format!("ThreatLayout({{{}}}, pushes={pushes})", rows.join(", "))
    }
}

/// Pieces on their squares as inputs of a network, with buckets of kings, for `features`.
///
/// Parameters
/// ----------
/// planes : two sequences of six numbers below 12
///     The planes of own P, N, B, R, Q, K, and of those of the enemy. By default 0 to 5 and 6 to 11.
/// buckets : 64 numbers below 256, by square of the own king, a1 first; by default 0
/// mirror : "never"; or "queenside" or "kingside"
///     Files are mirrored unless the own king is on this side: files a to d, or e to h.
///
/// As the perspective sees it, a piece on s has the number (bucket * planes + plane) * 64 + s.
///
/// Raises ValueError if the numbers or the name are others.
///
/// >>> import slider_attacks
/// >>> slider_attacks.PieceLayout(buckets=[square // 32 for square in range(64)], mirror="queenside").size
/// 1536
#[pyclass(frozen, eq, hash, module = "slider_attacks")]
#[derive(PartialEq, Hash)]
pub struct PieceLayout(RustPieceLayout);

/// The names of sides to which files are mirrored.
const MIRRORS: [(&str, Mirror); 3] =
    [("never", Mirror::Never), ("queenside", Mirror::ToQueenside), ("kingside", Mirror::ToKingside)];

#[pymethods]
impl PieceLayout {
    #[new]
    #[pyo3(signature = (planes=None, *, buckets=None, mirror="never"),
        text_signature = "(planes=((0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11)), *, buckets=None, mirror='never')")]
    fn new(planes: Option<Vec<Vec<u8>>>, buckets: Option<Vec<u8>>, mirror: &str) -> PyResult<PieceLayout> {
        let Some((_, mirror)) = MIRRORS.into_iter().find(|(name, _)| *name == mirror) else {
            return Err(value_error(format!("mirror={mirror:?}: expected never, queenside or kingside")));
        };
        let layout = match planes {
            None => Some(RustPieceLayout::CHESS_768),
            Some(planes) => match &planes[..] {
                [own, enemy] => match (own[..].try_into(), enemy[..].try_into()) {
                    (Ok(own), Ok(enemy)) => RustPieceLayout::new([own, enemy]),
                    _ => None,
                },
                _ => None,
            },
        };
        let layout = layout.ok_or_else(|| value_error("planes must be two sequences of six numbers below 12"))?;
        let buckets: Result<[u8; 64], _> = buckets.unwrap_or_else(|| vec![0; 64]).try_into();
        let buckets = buckets.map_err(|buckets| value_error(format!("there are {} buckets, not 64", buckets.len())))?;
        Ok(PieceLayout(layout.with_buckets(buckets, mirror)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (planes, named) = (self.0.planes().map(|planes| planes.map(u32::from)), PyDict::new(py));
        named.set_item("buckets", self.0.buckets().map(u32::from))?;
        named.set_item("mirror", MIRRORS.into_iter().find(|(_, it)| *it == self.0.mirror()).map(|(name, _)| name))?;
        call_again::<PieceLayout>(planes.into_pyobject(py)?.into_any(), &named)
    }

    /// The number of inputs.
    #[getter]
    fn size(&self) -> u32 {
        self.0.size()
    }
}

/// What `__reduce__` returns: a call of a class with an argument, and with others by their names.
fn call_again<'py, T: PyTypeInfo>(
    first: Bound<'py, PyAny>,
    named: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = first.py();
    let partial = py.import(intern!(py, "functools"))?.getattr(intern!(py, "partial"))?;
    (partial.call((py.get_type::<T>(), first), Some(named))?, PyTuple::empty(py)).into_pyobject(py)
}

/// The set that a name, or a name and a layout, stand for.
fn named_set(parameter: &str, name: &str, layout: Option<&str>) -> PyResult<FeatureSet> {
    if let Some(set) = FeatureSet::by_name(name, layout) {
        return Ok(set);
    }
    let names = FeatureSet::NAMES.map(|(name, _)| name).join(", ");
    let Some((_, layouts)) = FeatureSet::NAMES.into_iter().find(|it| it.0 == name) else {
        return Err(value_error(format!("{parameter}={name:?}: expected one of {names}")));
    };
    let layout = layout.unwrap_or_default();
    Err(value_error(match layouts {
        [] => format!("layout={layout:?}: {name} has one layout, without a name"),
        _ => format!("layout={layout:?}: expected one of {}", layouts.join(", ")),
    }))
}

/// One set: a name, maybe with a layout after a colon, or a layout.
fn one_set(parameter: &str, set: &Bound<'_, PyAny>) -> PyResult<Option<FeatureSet>> {
    if let Ok(name) = set.cast::<PyString>() {
        let text = name.to_string_lossy();
        let (name, layout) = text.split_once(':').map_or((&text[..], None), |(name, layout)| (name, Some(layout)));
        return named_set(parameter, name, layout).map(Some);
    }
    if let Ok(layout) = set.cast::<ThreatLayout>() {
        return Ok(Some(FeatureSet::Threats(layout.get().0)));
    }
    Ok(set.cast::<PieceLayout>().ok().map(|layout| FeatureSet::Pieces(layout.get().0)))
}

/// The sets that a caller asks for.
fn sets_of(parameter: &str, sets: &Bound<'_, PyAny>, layout: Option<&str>) -> PyResult<Vec<FeatureSet>> {
    if layout.is_some() {
        let Ok(name) = sets.cast::<PyString>() else {
            return Err(type_error("layout is that of one set with a name: in a list, write \"threats:v14\""));
        };
        return Ok(vec![named_set(parameter, &name.to_string_lossy(), layout)?]);
    }
    if let Some(set) = one_set(parameter, sets)? {
        return Ok(vec![set]);
    }
    let wrong = |set: &Bound<'_, PyAny>| {
        type_error(format!("{parameter} must be names, ThreatLayout or PieceLayout, not {}", type_name(set)))
    };
    let items = sets.try_iter().map_err(|_| wrong(sets))?;
    // A few more than there may be, so that an endless iterator ends.
    items.take(64).map(|set| set.and_then(|set| one_set(parameter, &set)?.ok_or_else(|| wrong(&set)))).collect()
}

/// The active inputs of each position as one side sees it. `rows[i]` is the array of those of position i. In Arrow, as
/// in `pyarrow.array(rows)`, it is a column of large lists.
#[pyclass(frozen, module = "slider_attacks")]
pub struct FeatureRows(PooledValue<RowLists>);

impl FeatureRows {
    fn offsets(&self) -> &[usize] {
        self.0.offsets()
    }

    /// The rows as Arrow has them.
    fn to_arrow(&self) -> PyResult<LargeListArray> {
        fn values<T: ArrowPrimitiveType>(items: &[T::Native]) -> PyResult<ArrayRef> {
            memory_for(size_of_val(items))?;
            Ok(Arc::new(PrimitiveArray::<T>::new(items.to_vec().into(), None)))
        }
        let values = match &*self.0 {
            RowLists::Short(rows) => values::<UInt16Type>(rows.as_slice()),
            RowLists::Long(rows) => values::<UInt32Type>(rows.as_slice()),
        }?;
        memory_for(size_of_val(self.offsets()))?;
        let offsets: Vec<i64> = self.offsets().iter().map(|&offset| offset as i64).collect();
        let field = Arc::new(Field::new("item", values.data_type().clone(), false));
        LargeListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, None).map_err(value_error)
    }

    /// Writes rows that are as long as the longest one, and were filled.
    fn pad<'py, T: Element + Pod + TryFrom<u32>>(&self, array: &Bound<'py, PyAny>, width: usize) -> PyResult<()> {
        let py = array.py();
        let Some(array) = plain::<T>(array) else { return Ok(()) }; // NumPy calls no empty array plain
        let mut values = write(array)?;
        let values = values.as_slice_mut()?;
        let number = |index: u32| T::try_from(index).map_err(|_| index);
        in_parts(py, self.offsets().len() - 1, PART, |part| {
            for row in part {
                let out = &mut values[row * width..(row + 1) * width];
                match &*self.0 {
                    RowLists::Short(rows) => copy(&rows[row], out, number)?,
                    RowLists::Long(rows) => copy(&rows[row], out, number)?,
                }
            }
            Ok(())
        })?
        .map_err(|index: u32| value_error(format!("input {index} does not fit the dtype")))
    }
}

/// Writes the indices of a row.
fn copy<I: FeatureIndex, T>(row: &[I], out: &mut [T], number: impl Fn(u32) -> Result<T, u32>) -> Result<(), u32> {
    for (out, &index) in out.iter_mut().zip(row) {
        *out = number(index.into())?;
    }
    Ok(())
}

#[pymethods]
impl FeatureRows {
    /// One number more than there are positions, int64: the row of position i is `indices[offsets[i] : offsets[i +
    /// 1]]`. A read-only view.
    #[getter(offsets)]
    fn offsets_view<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let offsets: &[isize] = bytemuck::cast_slice(slf.get().offsets());
        // SAFETY: the rows belong to the object, which is never changed.
        unsafe { view(offsets, slf) }
    }

    /// The inputs of all positions, one position after the other: uint16, or uint32 if there are more than 65,536. A
    /// read-only view.
    #[getter]
    fn indices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the rows belong to the object, which is never changed.
        unsafe {
            match &*slf.get().0 {
                RowLists::Short(rows) => view(rows.as_slice(), slf),
                RowLists::Long(rows) => view(rows.as_slice(), slf),
            }
        }
    }

    /// A new array with a row of `width` numbers per position: its inputs, and then `fill`. By default, the width is
    /// that of the longest row.
    ///
    /// Raises ValueError if a row is longer, or if a number does not fit the dtype, which must be one of integers with
    /// 2, 4 or 8 bytes.
    ///
    /// >>> import slider_attacks
    /// >>> features = slider_attacks.features(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "pieces", sort=True)
    /// >>> features.white.padded(4).tolist()
    /// [[192, 324, 764, -1]]
    #[pyo3(signature = (width=None, *, fill=-1, dtype=None),
        text_signature = "($self, width=None, *, fill=-1, dtype='int32')")]
    fn padded<'py>(
        &self,
        py: Python<'py>,
        width: Option<usize>,
        fill: i64,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let lengths = self.offsets().windows(2).map(|offsets| offsets[1] - offsets[0]);
        let width = width.unwrap_or_else(|| lengths.clone().max().unwrap_or(0));
        if let Some((row, length)) = lengths.enumerate().find(|&(_, length)| length > width) {
            return Err(value_error(format!("row {row} has {length} inputs, and width is {width}")));
        }
        let numpy = py.import(intern!(py, "numpy"))?;
        let dtype = match dtype {
            Some(dtype) => numpy.call_method1(intern!(py, "dtype"), (dtype,))?.cast_into::<PyArrayDescr>()?,
            None => numpy::dtype::<i32>(py),
        };
        let make = |fits: bool| {
            if !fits {
                return Err(value_error(format!("fill={fill} does not fit {dtype}")));
            }
            numpy.call_method1(intern!(py, "full"), ((self.offsets().len() - 1, width), fill, &dtype))
        };
        macro_rules! of_types {
            ($($number:ty)*) => {$(
                if dtype.is(numpy::dtype::<$number>(py)) || dtype.eq(numpy::dtype::<$number>(py))? {
                    let array = make(<$number>::try_from(fill).is_ok())?;
                    self.pad::<$number>(&array, width)?;
                    return Ok(array);
                }
            )*};
        }
        of_types!(i16 u16 i32 u32 i64 u64);
        Err(type_error(format!("dtype must be one of integers with 2, 4 or 8 bytes, not {dtype}")))
    }

    fn __len__(&self) -> usize {
        self.offsets().len() - 1
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Index::Row(row) = Index::new(index, slf.get().__len__(), "rows")? else {
            return Err(type_error("rows are taken one by one: offsets and indices have those of a range"));
        };
        let offsets = slf.get().offsets();
        let range = PySlice::new(slf.py(), offsets[row] as isize, offsets[row + 1] as isize, 1);
        FeatureRows::indices(slf)?.get_item(range)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema; // the interface leaves it to the consumer to cast
        let array = py.detach(|| self.to_arrow())?;
        capsule::export(py, &array, &capsule::field(array.data_type()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        reduce::<FeatureRows>(py, &[self], HashMap::new())
    }

    fn __repr__(&self) -> String {
        let offsets = self.offsets();
        format!("<slider_attacks.FeatureRows: {} rows, {} inputs>", offsets.len() - 1, offsets[offsets.len() - 1])
    }
}

/// The active inputs of a network, which `features` returns.
///
/// >>> import slider_attacks
/// >>> features = slider_attacks.features(["4k3/8/8/8/8/8/8/R3K3 b Q -"], "pieces", perspective="mover")
/// >>> features
/// <slider_attacks.Features: 1 position, 768 inputs, own and other>
/// >>> features.own[0].tolist() # Black's king on e1, White's rook on a8 and king on e8
/// [632, 764, 324]
#[pyclass(frozen, module = "slider_attacks")]
pub struct Features {
    rows: [Py<FeatureRows>; 2],
    is_mover: bool,
    starts: Vec<u32>,
    size: u32,
}

impl Features {
    /// These rows of a sum of sets: for White and Black, or for the side to move and its opponent.
    pub fn new(
        py: Python<'_>,
        sum: &RustFeatures,
        rows: [PooledValue<RowLists>; 2],
        is_mover: bool,
    ) -> PyResult<Features> {
        let [first, second] = rows;
        let rows = [Py::new(py, FeatureRows(first))?, Py::new(py, FeatureRows(second))?];
        Ok(Features { rows, is_mover, starts: sum.offsets().to_vec(), size: sum.size() })
    }

    fn side(&self, py: Python<'_>, name: &str, is_mover: bool, at: usize) -> PyResult<Py<FeatureRows>> {
        if self.is_mover == is_mover {
            return Ok(self.rows[at].clone_ref(py));
        }
        let there = if self.is_mover { "own and other" } else { "white and black" };
        Err(PyAttributeError::new_err(format!("no {name}: with this perspective, rows are {there}")))
    }
}

#[pymethods]
impl Features {
    /// The rows as White sees the positions.
    #[getter]
    fn white(&self, py: Python<'_>) -> PyResult<Py<FeatureRows>> {
        self.side(py, "white", false, 0)
    }

    /// The rows as Black sees the positions.
    #[getter]
    fn black(&self, py: Python<'_>) -> PyResult<Py<FeatureRows>> {
        self.side(py, "black", false, 1)
    }

    /// The rows as the side to move sees the positions.
    #[getter]
    fn own(&self, py: Python<'_>) -> PyResult<Py<FeatureRows>> {
        self.side(py, "own", true, 0)
    }

    /// The rows as the opponent of the side to move sees the positions.
    #[getter]
    fn other(&self, py: Python<'_>) -> PyResult<Py<FeatureRows>> {
        self.side(py, "other", true, 1)
    }

    /// The number of inputs of all sets.
    #[getter]
    fn size(&self) -> u32 {
        self.size
    }

    /// The first input of each set.
    #[getter]
    fn starts(&self) -> Vec<u32> {
        self.starts.clone()
    }

    fn __len__(&self) -> usize {
        self.rows[0].get().__len__()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let starts: Vec<String> = self.starts.iter().map(u32::to_string).collect();
        let metadata = [(MOVER, self.is_mover.to_string()), (STARTS, starts.join(",")), (SIZE, self.size.to_string())];
        let metadata = metadata.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        reduce::<Features>(py, &self.rows.each_ref().map(|rows| rows.get()), metadata)
    }

    fn __repr__(&self) -> String {
        let (rows, sides) = (self.__len__(), if self.is_mover { "own and other" } else { "white and black" });
        let positions = if rows == 1 { "position" } else { "positions" };
        format!("<slider_attacks.Features: {rows} {positions}, {} inputs, {sides}>", self.size)
    }
}

/// In the schema of pickled rows, whose they are, the first input of each set, and the number of inputs.
const MOVER: &str = "mover";
const STARTS: &str = "starts";
const SIZE: &str = "size";

/// What `__reduce__` returns: these rows as columns.
fn reduce<'py, T: PyTypeInfo>(
    py: Python<'py>,
    rows: &[&FeatureRows],
    metadata: HashMap<String, String>,
) -> PyResult<Bound<'py, PyTuple>> {
    let columns = rows.iter().map(|rows| Ok(Arc::new(rows.to_arrow()?) as ArrayRef)).collect::<PyResult<Vec<_>>>()?;
    let field = |(at, column): (usize, &ArrayRef)| Field::new(at.to_string(), column.data_type().clone(), false);
    let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>()).with_metadata(metadata);
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), columns).map_err(value_error)?;
    pickle::reduce::<T>(py, &schema, Some(&batch), &PythonErrors::default(), &PandasIndex::default())
}

fn malformed() -> PyErr {
    value_error("malformed pickle: no inputs of networks")
}

impl FeatureRows {
    /// Whether all inputs are below this number.
    fn are_below(&self, size: u32) -> bool {
        match &*self.0 {
            RowLists::Short(lists) => lists.as_slice().iter().all(|&input| u32::from(input) < size),
            RowLists::Long(lists) => lists.as_slice().iter().all(|&input| input < size),
        }
    }

    /// The rows that a column has. Nothing that it says is believed.
    pub fn restored(column: &ArrayRef) -> PyResult<FeatureRows> {
        fn lists<T: ArrowPrimitiveType>(lists: &LargeListArray) -> PyResult<Lists<T::Native>> {
            let values = lists.values().as_primitive_opt::<T>().ok_or_else(malformed)?;
            memory_for(size_of_val(&values.values()[..]) + size_of_val(lists.value_offsets()))?;
            let mut found = Lists::new();
            for ends in lists.value_offsets().windows(2) {
                found.push(&values.values()[ends[0] as usize..ends[1] as usize]);
            }
            Ok(found)
        }
        let column = column.as_list_opt::<i64>().ok_or_else(malformed)?;
        if column.null_count() + column.values().null_count() > 0 {
            return Err(malformed());
        }
        let rows = match column.value_type() {
            DataType::UInt16 => RowLists::Short(lists::<UInt16Type>(column)?),
            _ => RowLists::Long(lists::<UInt32Type>(column)?),
        };
        Ok(FeatureRows(rows.into()))
    }
}

impl Features {
    /// The rows that columns have. Nothing that they say is believed.
    pub fn restored(py: Python<'_>, columns: &RecordBatch) -> PyResult<Features> {
        let [first, second] = columns.columns() else { return Err(malformed()) };
        let schema = columns.schema();
        let text = |name: &str| schema.metadata().get(name).ok_or_else(malformed);
        let starts = text(STARTS)?.split(',').filter(|start| !start.is_empty()).map(str::parse);
        let starts = starts.collect::<Result<Vec<u32>, _>>().map_err(|_| malformed())?;
        let size: u32 = text(SIZE)?.parse().map_err(|_| malformed())?;
        let is_mover = text(MOVER)?.parse().map_err(|_| malformed())?;
        let are_starts = starts.first().is_none_or(|&start| start == 0)
            && starts.last().is_none_or(|&start| start <= size)
            && starts.is_sorted();
        let rows = [FeatureRows::restored(first)?, FeatureRows::restored(second)?];
        if !are_starts || !rows.iter().all(|rows| rows.are_below(size)) {
            return Err(malformed());
        }
        let [first, second] = rows;
        Ok(Features { rows: [Py::new(py, first)?, Py::new(py, second)?], is_mover, starts, size })
    }
}

/// How rows are computed.
struct FeatureCall<'a> {
    features: &'a RustFeatures,
    backend: Backend,
    perspective: ViewOrder,
    order: RowOrder,
    threads: &'a Threads,
}

impl FeatureCall<'_> {
    /// The rows of all positions.
    fn rows<I: FeatureIndex>(&self, py: Python<'_>, positions: PositionSlice<'_>) -> PyResult<[Lists<I>; 2]> {
        let mut rows = [Lists::<I>::new(), Lists::new()];
        in_parts(py, positions.len(), self.threads.part(PART), |part| {
            let grown = rows.iter().map(|rows| size_of_val(rows.as_slice()) + 8 * rows.len()).sum::<usize>();
            memory_for(2 * grown + part.len() * ROW)?;
            let piece = self.threads.piece(part.len());
            let starts: Vec<usize> = part.clone().step_by(piece).collect();
            if let [start] = starts[..] {
                return self.extend(positions.slice(part), start, &mut rows);
            }
            let pieces = self.threads.map(&starts, |&start| {
                let mut rows = [Lists::new(), Lists::new()];
                self.extend(positions.slice(start..part.end.min(start + piece)), start, &mut rows).map(|()| rows)
            });
            for piece in pieces {
                for (rows, piece) in rows.iter_mut().zip(piece?) {
                    rows.append(&piece);
                }
            }
            Ok(())
        })??;
        Ok(rows)
    }

    /// Adds the rows of positions. The first has this number.
    fn extend<I: FeatureIndex>(
        &self,
        positions: PositionSlice<'_>,
        first: usize,
        rows: &mut [Lists<I>; 2],
    ) -> PyResult<()> {
        self.features.extend(self.backend, positions, self.perspective, self.order, rows).map_err(|error| match error {
            FeatureError::PawnOnLastRank { position, square, .. } => {
                value_error(format!("row {}: a pawn on {square} has no threats and pairs", first + position))
            }
            error => value_error(error),
        })
    }
}

/// The active inputs of a network (NNUE) for each position, as sparse rows: pieces with buckets of kings, threats,
/// pairs of pawns.
///
/// Parameters
/// ----------
/// positions : `Positions`, or what it takes
/// sets : a name, a `ThreatLayout`, a `PieceLayout`, or several of them
///     "halfka_hm" (24,576 inputs), "threats" (59,808), "pawn_pairs" (4,560) or "pieces" (768), also with a layout after
///     a colon: "threats:v14". Several sets are numbered one after the other, and share a row.
/// layout : the layout of one set
///     "v10" to "v16", by default the last, for threats; "merged" for halfka_hm in 22,528 inputs, where both kings share
///     a plane.
/// perspective : "colors" for rows `white` and `black`; "mover" for `own`, those of the side to move, and `other`
/// sort : whether the inputs in a row ascend. Otherwise they have another order, which is always the same.
/// column : the column of a table that contains the positions as text
/// backend : the name of a backend
/// threads : the number of threads, from 1 to 256
///
/// Raises ValueError if a position is malformed or null, or if a pawn on the first or last rank has no number, and
/// TypeError if an argument has the wrong type.
///
/// >>> import slider_attacks
/// >>> features = slider_attacks.features(["4k3/8/8/1p6/P7/8/8/4K3 w - -"], ["pawn_pairs", "threats"])
/// >>> features.white.indices, features.white.offsets, features.starts
/// (array([3026], dtype=uint16), array([0, 1]), [0, 4560])
#[pyfunction]
#[pyo3(signature = (positions, sets, *, layout=None, perspective="colors", sort=false, column="fen", backend=None, threads=1))]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn features(
    positions: &Bound<'_, PyAny>,
    sets: &Bound<'_, PyAny>,
    layout: Option<&str>,
    perspective: &str,
    sort: bool,
    column: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
) -> PyResult<Features> {
    let py = positions.py();
    let sum = RustFeatures::new(sets_of("sets", sets, layout)?).map_err(value_error)?;
    let is_mover = match perspective {
        "colors" => false,
        "mover" => true,
        _ => return Err(value_error(format!("perspective={perspective:?}: expected colors or mover"))),
    };
    let call = FeatureCall {
        features: &sum,
        backend: backend_of(backend)?,
        perspective: if is_mover { ViewOrder::Mover } else { ViewOrder::Colors },
        order: if sort { RowOrder::Ascending } else { RowOrder::Found },
        threads: &Threads::new(threads)?,
    };
    let read;
    let positions = match positions.cast_exact::<Positions>() {
        Ok(positions) => positions,
        Err(_) => {
            let keywords = PyDict::new(py);
            keywords.set_item(intern!(py, "column"), column)?;
            keywords.set_item(intern!(py, "threads"), threads)?;
            let made = py.get_type::<Positions>().call((positions,), Some(&keywords))?;
            read = made.cast_into::<Positions>()?;
            &read
        }
    };
    let array = positions.get().array();
    if let Some(row) = array.nulls().and_then(|nulls| (0..array.len()).find(|&row| nulls.is_null(row))) {
        return Err(value_error(format!("row {row} is null, which has no inputs")));
    }
    let slice = PositionSlice::from(array.positions());
    let rows = if sum.has_narrow_rows() {
        call.rows::<u16>(py, slice)?.map(RowLists::Short)
    } else {
        call.rows::<u32>(py, slice)?.map(RowLists::Long)
    };
    Features::new(py, &sum, rows.map(PooledValue::from), is_mover)
}

/// The sum of the sets that a parameter names; `None` if it names none.
pub fn sum_of_sets(parameter: &str, sets: &Bound<'_, PyAny>) -> PyResult<Option<RustFeatures>> {
    let sets = sets_of(parameter, sets, None)?;
    if sets.is_empty() { Ok(None) } else { RustFeatures::new(sets).map(Some).map_err(value_error) }
}

//! The reasons why a table, a row or a cell cannot be used.

use std::fmt;

use serde_json::{Map, Value, json};

/// The reason why a table, a row or a cell cannot be used. Displays as an English sentence without a full stop, like the errors of `cert-core`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The file has another format, such as a PDF.
    Foreign(Foreign),
    /// The text is in none of the encodings of Unicode. It may be in `encoding`, in which it contains the words of `sample`.
    Encoding {
        /// The label of an encoding in the WHATWG's Encoding Standard.
        encoding: &'static str,
        /// Words with characters outside ASCII.
        sample: String,
    },
    /// The text is not in the encoding that was chosen.
    NotEncoded {
        /// The label of the chosen encoding.
        encoding: &'static str,
    },
    /// The text contains a control character, which is no text.
    Control(char),
    /// A quotation mark is not closed, so the reader would read the rest of the file as one cell.
    Quote,
    /// The workbook has a password.
    Protected,
    /// The workbook cannot be read.
    Damaged,
    /// The workbook is larger than this crate reads.
    TooLarge,
    /// Several sheets have cells: their names, hidden sheets last.
    Sheet(Vec<String>),
    /// The cell is a formula without a stored value.
    Formula,
    /// Several characters may separate cells.
    Delimiter,
    /// The table has no row that is not empty.
    Empty,
    /// The table has a header and no rows.
    NoRows,
    /// A column has no name: its number, from 1.
    Unnamed(usize),
    /// Two columns have this name.
    Twice(String),
    /// The table has more rows than this.
    TooManyRows(usize),
    /// A row has another number of cells than the header.
    Cells {
        /// The number of the row's cells.
        count: usize,
        /// The number of the header's cells.
        columns: usize,
    },
    /// The cell is no number.
    Number(String),
    /// The cell is a percentage, which has two readings: `24.5%` is 24.5 or 0.245.
    Percent(String),
    /// The cell is a number that not every reader of JSON represents exactly.
    Digits(String),
    /// The cell is neither `true` nor `false`.
    Boolean(String),
    /// The field takes no single value.
    Single,
    /// An item of a list has a value, but an earlier item is empty: the item's index.
    Gap(usize),
    /// Another column fills the object or list that contains the field.
    Filled,
    /// The cell identifies its row, and is empty.
    KeyEmpty,
    /// The cell identifies its row, and this earlier row has the same value.
    KeyTwice(usize),
}

/// A format that is no table of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Foreign {
    /// An archive that is no workbook, such as a text document.
    Archive,
    /// A workbook of Excel before 2007, or one with a password.
    OldWorkbook,
    /// A PDF document.
    Pdf,
}

impl Problem {
    /// Returns the problem's stable code, which is also the key of the pages' sentence in `pkg/view/texts`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Foreign(Foreign::Archive) => "table.office",
            Self::Foreign(Foreign::OldWorkbook) => "table.oldOffice",
            Self::Foreign(Foreign::Pdf) => "table.pdf",
            Self::Encoding { .. } => "table.encoding",
            Self::NotEncoded { .. } => "table.notEncoded",
            Self::Control(_) => "table.control",
            Self::Quote => "table.quote",
            Self::Protected => "table.protected",
            Self::Damaged => "table.damaged",
            Self::TooLarge => "table.tooLarge",
            Self::Sheet(_) => "table.sheet",
            Self::Formula => "cell.formula",
            Self::Delimiter => "table.delimiter",
            Self::Empty => "table.empty",
            Self::NoRows => "table.noRows",
            Self::Unnamed(_) => "table.unnamed",
            Self::Twice(_) => "table.twice",
            Self::TooManyRows(_) => "table.rows",
            Self::Cells { .. } => "table.cells",
            Self::Number(_) => "cell.number",
            Self::Percent(_) => "cell.percent",
            Self::Digits(_) => "cell.digits",
            Self::Boolean(_) => "cell.boolean",
            Self::Single => "cell.single",
            Self::Gap(_) => "cell.gap",
            Self::Filled => "cell.filled",
            Self::KeyEmpty => "cell.keyEmpty",
            Self::KeyTwice(_) => "cell.keyTwice",
        }
    }

    /// Returns the values that the pages' sentence contains.
    pub fn values(&self) -> Map<String, Value> {
        let value = match self {
            Self::Encoding { encoding, sample } => {
                json!({ "encoding": encoding, "sample": sample })
            }
            Self::NotEncoded { encoding } => json!({ "encoding": encoding }),
            Self::Control(char) => json!({ "code": code_point(*char) }),
            Self::Unnamed(number) => json!({ "number": number }),
            Self::Twice(name) => json!({ "name": name }),
            Self::TooManyRows(most) => json!({ "most": most }),
            Self::Cells { count, columns } => json!({ "count": count, "columns": columns }),
            Self::Number(cell) | Self::Percent(cell) | Self::Digits(cell) | Self::Boolean(cell) => {
                json!({ "cell": cell })
            }
            Self::Gap(index) => json!({ "index": index }),
            Self::Sheet(names) => json!({ "names": names }),
            Self::KeyTwice(first) => json!({ "first": first }),
            Self::Foreign(_)
            | Self::Quote
            | Self::Protected
            | Self::Damaged
            | Self::TooLarge
            | Self::Formula
            | Self::Delimiter
            | Self::Empty
            | Self::NoRows
            | Self::Single
            | Self::Filled
            | Self::KeyEmpty => json!({}),
        };
        match value {
            Value::Object(values) => values,
            _ => Map::new(),
        }
    }
}

fn code_point(char: char) -> String {
    format!("{:04X}", u32::from(char))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(foreign) => {
                let kind = match foreign {
                    Foreign::Archive => "an archive and no workbook",
                    Foreign::OldWorkbook => "an old Excel workbook, or one with a password",
                    Foreign::Pdf => "a PDF document",
                };
                write!(
                    f,
                    "this is {kind}: open it in its program and save it as an Excel workbook (.xlsx) without a password, or as \"CSV UTF-8\""
                )
            }
            Self::Encoding { encoding, sample } => write!(
                f,
                "the text is not UTF-8. Read as {encoding}, it contains `{sample}`"
            ),
            Self::NotEncoded { encoding } => {
                write!(f, "the text is not in the encoding {encoding}")
            }
            Self::Control(char) => write!(
                f,
                "the text contains the control character U+{}: check its encoding",
                code_point(*char)
            ),
            Self::Quote => f.write_str(
                "a quotation mark is not closed: put a cell that contains quotation marks into quotation marks, and double those inside it",
            ),
            Self::Protected => f.write_str("the workbook has a password: save it without one"),
            Self::Damaged => f.write_str(
                "the workbook cannot be read: open it in its program and save it again",
            ),
            Self::TooLarge => f.write_str(
                "the workbook has more than 100,000 rows, 500 columns or 100 MB of text: save the table alone in a new workbook",
            ),
            Self::Sheet(names) => {
                write!(f, "several sheets may be meant: {}", names.join(", "))
            }
            Self::Formula => f.write_str(
                "the cell is a formula without a stored value: open the workbook in its program and save it",
            ),
            Self::Delimiter => f.write_str("several characters may separate the cells"),
            Self::Empty => f.write_str("the table is empty"),
            Self::NoRows => f.write_str("the table has a header and no rows"),
            Self::Unnamed(number) => write!(f, "column {number} has no name"),
            Self::Twice(name) => write!(f, "two columns are called `{name}`"),
            Self::TooManyRows(most) => write!(f, "a batch has at most {most} rows"),
            Self::Cells { count, columns } => write!(
                f,
                "the row has {count} cells, but the header has {columns}: put a cell that contains the separator into quotation marks"
            ),
            Self::Number(cell) => write!(
                f,
                "`{cell}` is not a number: write digits, and a point before decimals, as in 97.5"
            ),
            Self::Percent(cell) => write!(
                f,
                "`{cell}` is a percentage: write it as a number without `%`"
            ),
            Self::Digits(cell) => write!(
                f,
                "`{cell}` has too many digits for a number: change the field's type to `string` in the schema"
            ),
            Self::Boolean(cell) => write!(f, "`{cell}` must be `true` or `false`"),
            Self::Single => f.write_str(
                "the field does not take text, a number or a boolean: map the column to a field inside the list or object, such as `list[0]`",
            ),
            Self::Gap(index) => write!(
                f,
                "item {index} of a list has a value, but an earlier item is empty"
            ),
            Self::Filled => f.write_str(
                "another column already fills the object or list that contains this field",
            ),
            Self::KeyEmpty => f.write_str("the key is empty"),
            Self::KeyTwice(first) => write!(f, "row {first} has the same key"),
        }
    }
}

impl std::error::Error for Problem {}

/// A problem of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowProblem {
    /// The number of the row in a spreadsheet, where the first row is 1.
    pub row: usize,
    /// The index of the column. `None` if the problem is about the whole row.
    pub column: Option<usize>,
    /// The problem.
    pub problem: Problem,
}

//! JSON: values, their paths, and their text.

pub(crate) mod array;
pub(crate) mod join;
pub(crate) mod number;
pub(crate) mod object;
pub(crate) mod path;
pub(crate) mod paths;
pub(crate) mod pointer;
pub(crate) mod read;
pub(crate) mod serialize;
pub(crate) mod sort;
pub(crate) mod str;
pub(crate) mod strings;
pub(crate) mod trie;
pub(crate) mod utf16;
pub(crate) mod value;
pub(crate) mod write;

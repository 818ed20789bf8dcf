//! Values of a statement that is built from parts.

use crate::ports::{Param, Statement};

/// The values of a statement under construction.
#[derive(Default)]
pub(crate) struct Values(Vec<Param>);

impl From<Vec<Param>> for Values {
    fn from(values: Vec<Param>) -> Self {
        Self(values)
    }
}

impl Values {
    /// Adds a value and returns its placeholder.
    pub(crate) fn bind(&mut self, value: impl Into<Param>) -> String {
        self.0.push(value.into());
        format!("?{}", self.0.len())
    }

    /// Returns the statement with this text and the values.
    pub(crate) fn statement(self, text: String) -> Statement {
        Statement::built(text.into(), self.0)
    }
}

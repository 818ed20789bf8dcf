//! Query strings and the parameters that list routes share (`docs/interface.md`, "Conventions").

use std::collections::BTreeSet;

use crate::failure::{Failure, Problem, invalid};

/// Maximum number of values of one list parameter.
const VALUES_MAX: usize = 100;

/// A parsed query string, with the path of its request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(super) path: String,
    parameters: Vec<(String, String)>,
}

impl Query {
    /// Parses `a=1&b=2`. `a[]` means `a`, and parameters without a value are ignored.
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            parameters: form_urlencoded::parse(text.as_bytes())
                .filter(|(_, value)| !value.is_empty())
                .map(|(key, value)| {
                    (
                        key.strip_suffix("[]").unwrap_or(&key).to_owned(),
                        value.into_owned(),
                    )
                })
                .collect(),
        }
    }

    /// Returns the names of the parameters, each once.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.parameters.iter().map(|(name, _)| name.as_str());
        names.collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns the value that `parse` reads from the query. Fails with all errors that `parse` adds.
    pub(crate) fn read<T>(
        &self,
        parse: impl FnOnce(&Self, &mut Vec<Problem>) -> T,
    ) -> Result<T, Failure> {
        let mut errors = Vec::new();
        let read = parse(self, &mut errors);
        if errors.is_empty() {
            Ok(read)
        } else {
            Err(Failure::new(errors))
        }
    }

    /// Returns a parameter's first value. `None` if the parameter is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns a list parameter, given as `name=a,b`, as `name=a&name=b`, or with `[]` after the name. Returns `None` if the list
    /// is missing or empty. Also returns `None` if the list has too many values, and adds an error.
    pub(crate) fn list(&self, name: &str, errors: &mut Vec<Problem>) -> Option<Vec<String>> {
        let values: Vec<String> = self
            .parameters
            .iter()
            .filter(|(key, _)| key == name)
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
            .collect();
        if values.len() > VALUES_MAX {
            errors.push(invalid(
                name,
                format!(
                    "`{name}` has {} values; at most {VALUES_MAX} are allowed",
                    values.len()
                ),
            ));
            return None;
        }
        (!values.is_empty()).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Query {
        Query::parse("/orders", text)
    }

    #[test]
    fn common_forms_of_lists_are_accepted() {
        for text in [
            "ids=a,b",
            "ids=a&ids=b",
            "ids[]=a&ids[]=b",
            "ids%5B%5D=a%2C%20b",
            "ids=,a,,b,",
        ] {
            assert_eq!(
                parsed(text).list("ids", &mut vec![]),
                Some(vec!["a".to_owned(), "b".to_owned()]),
                "{text}"
            );
        }
        assert_eq!(parsed("ids=&ids[]=").list("ids", &mut vec![]), None);
        let mut errors = vec![];
        assert_eq!(
            parsed(&format!("ids={}", ["a"; 101].join(","))).list("ids", &mut errors),
            None
        );
        assert_eq!(errors.len(), 1);
    }
}

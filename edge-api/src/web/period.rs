//! `fromDate` and `toDate` (`docs/interface.md`, "Conventions").

use time::OffsetDateTime;

use super::{Kind, Parameter, Parameters, Query, parameter};
use crate::db::Period;
use crate::failure::{Problem, invalid};
use crate::text::instant;

/// A date, or a date and time. [`Period`] reads both of its moments.
enum Moment {}

impl Kind for Moment {
    type Value = Option<OffsetDateTime>;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        let time = instant(query.get(name)?);
        if time.is_none() {
            errors.push(invalid(
                name,
                format!("`{name}` must be an ISO 8601 date such as `2024-01-31T12:00:00Z`; write `+` in a URL as `%2B`"),
            ));
        }
        time
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "anyOf": [
            { "format": "date-time" },
            { "format": "date" },
            { "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+)?$" },
        ] })
    }
}

/// `fromDate` and `toDate` as ISO 8601. The offset defaults to UTC, and a date without a time means the start of that day.
impl Parameters for Period {
    const OWN: &'static [Parameter] = &[
        parameter!(
            "fromDate",
            "Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC.",
            Moment
        ),
        parameter!(
            "toDate",
            "Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC.",
            Moment
        ),
    ];

    fn read(query: &Query, errors: &mut Vec<Problem>) -> Self {
        Self {
            from: Moment::read(query, "fromDate", errors),
            to: Moment::read(query, "toDate", errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Bounds;

    fn period(text: &str) -> Result<Period, Vec<String>> {
        let mut errors = vec![];
        let period = Period::read(&Query::parse("/requests", text), &mut errors);
        if errors.is_empty() {
            Ok(period)
        } else {
            Err(errors.into_iter().map(|error| error.path).collect())
        }
    }

    #[test]
    fn common_forms_of_dates_are_accepted() {
        for text in [
            "2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20.000Z",
            "2023-11-14T22:13:20",
            "2023-11-15T00:13:20%2B02:00",
            "2023-11-14T20:13:20-02:00",
            "20231114T221320Z",
        ] {
            assert_eq!(
                period(&format!("fromDate={text}&toDate={text}"))
                    .unwrap()
                    .milliseconds(),
                (1_700_000_000_001, 1_700_000_000_000),
                "{text}"
            );
        }
        assert_eq!(
            period("toDate=2023-11-14").unwrap().milliseconds(),
            (0, 1_699_920_000_000)
        );
        assert_eq!(period("toDate=1969-12-31").unwrap().milliseconds(), (0, 0));
        assert_eq!(period("fromDate=1969-12-31").unwrap().milliseconds().0, 0);
    }

    #[test]
    fn an_invalid_date_is_an_error() {
        for text in [
            "yesterday",
            "2023",
            "2023-13-01",
            "2023-02-30",
            "1700000000",
            "2023-11-14T25:00:00Z",
            "2023-11-14T22:13:20+02:00",
            "2023-11-14T22:13:20%2B99:00",
            "2023-11-14T22:13:20-99:00",
            "2023-11-14Zx",
            "-1",
            "99999-01-01T00:00:00Z",
        ] {
            assert_eq!(
                period(&format!("fromDate={text}&toDate={text}")).unwrap_err(),
                ["fromDate", "toDate"],
                "{text}"
            );
        }
        assert!(period("fromDate=&toDate=").is_ok());
    }

    #[test]
    fn dates_agree_with_another_library() {
        for step in 0..2_000 {
            // Steps from 1970 to the year 9986.
            let ms = step * 126_490_123_457;
            let expected = jiff::Timestamp::from_millisecond(ms).unwrap();
            assert_eq!(
                crate::text::timestamp(ms.unsigned_abs()),
                format!("{expected:.3}")
            );
            for offset in ["Z", "+05:45", "-11", "+0130"] {
                let text = format!("{expected:.9}").replace('Z', offset);
                let expected: jiff::Timestamp = text.parse().unwrap();
                let found = instant(&text).map(time::OffsetDateTime::unix_timestamp_nanos);
                assert_eq!(found, Some(expected.as_nanosecond()), "{text}");
            }
        }
    }

    #[test]
    fn a_part_of_a_millisecond_is_not_lost() {
        let found =
            period("fromDate=1970-01-01T00:00:00.0015Z&toDate=1970-01-01T00:00:00.0025Z").unwrap();
        assert_eq!(found.milliseconds(), (2, 3));
        let found =
            period("fromDate=1970-01-01T00:00:00.001Z&toDate=1970-01-01T00:00:00.003Z").unwrap();
        assert_eq!(found.milliseconds(), (2, 3));
    }

    #[test]
    fn a_day_counts_if_the_period_overlaps_it() {
        for (text, days) in [
            ("", (0, u64::MAX / 86_400_000 + 1)),
            ("fromDate=1970-01-03&toDate=1970-01-05", (2, 4)),
            (
                "fromDate=1970-01-03T00:00:00.001Z&toDate=1970-01-05T00:00:00.001Z",
                (2, 5),
            ),
            (
                "fromDate=1970-01-02T23:59:59.999Z",
                (2, u64::MAX / 86_400_000 + 1),
            ),
            (
                "fromDate=1970-01-02T23:59:59.998Z",
                (1, u64::MAX / 86_400_000 + 1),
            ),
            ("toDate=1970-01-01", (0, 0)),
        ] {
            let bounds = Bounds {
                after: u64::checked_sub(days.0, 1),
                before: Some(days.1),
            };
            assert_eq!(period(text).unwrap().days(), bounds, "{text}");
        }
    }
}

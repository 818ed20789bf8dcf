//! Reads the answers of providers in parts, as they arrive. A provider can send anything, so memory depends on fixed limits and not on the
//! answer.
//!
//! The long lists of an answer are the logs of a query, the logs of a receipt and the transactions of a block. Their elements are called
//! records. The scanner passes on each record and forgets it. Everything else is small, and is kept for a JSON parser.

use alloy_primitives::{B256, hex};
use order_core::Address;
use serde::Deserialize;

use super::rpc::{hash_of, number64_of, unavailable};
use crate::ledger::LedgerError;

/// Maximum bytes of a record. A log of the original contracts has less than a kilobyte.
const RECORD_BYTES: usize = 16 << 10;
/// Estimated bytes of a parsed JSON value, in addition to its text. A list such as `[0,0,…]` needs many times its text.
const VALUE_BYTES: usize = 64;
/// Maximum number of lists and objects inside each other.
const DEPTH_MAX: usize = 32;

/// The reason why an answer is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    TooLarge,
    Malformed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nesting {
    List,
    Object,
}
use Nesting::{List, Object};

/// Reads the answer to a batch.
#[derive(Debug)]
pub(super) struct Scanner {
    /// True if records are kept like everything else.
    keeps_records: bool,
    /// Maximum of `kept`.
    limit: usize,
    /// Maximum bytes of a text outside of records. A longer text becomes empty, so a contract with a long text cannot make other answers of the
    /// batch unreadable.
    text_max: usize,
    /// The place in `rest` at which the text in progress begins.
    text: usize,
    /// The estimated bytes that a parser needs for `rest`.
    kept: usize,
    nesting: Vec<Nesting>,
    is_in_string: bool,
    is_escaped: bool,
    /// True if the text in progress is too long.
    is_cut: bool,
    /// The number of lists and objects around the record in progress.
    record: Option<usize>,
    bytes: Vec<u8>,
    rest: Vec<u8>,
    /// The number of answers that have begun. A batch has an answer for each call.
    answers: usize,
}

/// Receives the index of an answer in the batch, and a record of it.
pub(super) type Each<'a> = &'a mut dyn FnMut(usize, &[u8]) -> Result<(), Halt>;

impl Scanner {
    /// Creates a scanner. `limit` is the number of bytes that it may keep, and `text_max` the number of bytes of a single text.
    pub(super) fn new(limit: usize, text_max: usize, keeps_records: bool) -> Self {
        Self {
            keeps_records,
            limit,
            text_max,
            text: 0,
            kept: 0,
            nesting: Vec::new(),
            is_in_string: false,
            is_escaped: false,
            is_cut: false,
            record: None,
            bytes: Vec::new(),
            rest: Vec::new(),
            answers: 0,
        }
    }

    /// Returns the estimated bytes that are kept so far.
    pub(super) fn kept(&self) -> usize {
        self.kept
    }

    /// Reads the next part of the answer.
    pub(super) fn push(&mut self, mut part: &[u8], each: Each<'_>) -> Result<(), Halt> {
        while let Some((&byte, after)) = part.split_first() {
            if self.is_in_string && !self.is_escaped {
                let end = part.iter().position(|byte| matches!(byte, b'"' | b'\\'));
                let (plain, after) = part
                    .split_at_checked(end.unwrap_or(part.len()))
                    .unwrap_or_default();
                if !plain.is_empty() {
                    self.keep_text(plain)?;
                    part = after;
                    continue;
                }
            }
            self.byte(byte, each)?;
            part = after;
        }
        Ok(())
    }

    /// Returns the answer without its records.
    pub(super) fn finish(self) -> Result<Vec<u8>, Halt> {
        match self.nesting.is_empty() && !self.is_in_string {
            true => Ok(self.rest),
            false => Err(Halt::Malformed),
        }
    }

    fn byte(&mut self, byte: u8, each: Each<'_>) -> Result<(), Halt> {
        if self.is_in_string {
            if byte == b'"' && !self.is_escaped {
                self.is_in_string = false;
                self.keep(&[byte], 0)?;
                return self.end_record(each);
            }
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return self.keep_text(&[byte]);
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'"' => {
                self.begin_record();
                self.keep(&[byte], 0)?;
                self.is_in_string = true;
                self.text = self.rest.len();
                self.is_cut = false;
            }
            b'{' | b'[' => {
                let kind = if byte == b'{' { Object } else { List };
                if self.nesting[..] == [List] {
                    self.answers = self.answers.saturating_add(1);
                }
                self.begin_record();
                self.keep(&[byte], VALUE_BYTES)?;
                if self.nesting.len() >= DEPTH_MAX {
                    return Err(Halt::Malformed);
                }
                self.nesting.push(kind);
            }
            b'}' | b']' => {
                // A number, `true`, `false` or `null` ends with its list.
                self.end_record(each)?;
                let kind = if byte == b'}' { Object } else { List };
                if self.nesting.pop() != Some(kind) {
                    return Err(Halt::Malformed);
                }
                self.keep(&[byte], 0)?;
                self.end_record(each)?;
            }
            b',' => {
                self.end_record(each)?;
                if self.keeps_records || self.record.is_some() || !self.is_in_list() {
                    self.keep(&[byte], VALUE_BYTES)?;
                }
            }
            _ => {
                self.begin_record();
                self.keep(&[byte], if byte == b':' { VALUE_BYTES } else { 0 })?;
            }
        }
        Ok(())
    }

    /// Returns true inside a list that is the result of a call, or that is a field of a result.
    fn is_in_list(&self) -> bool {
        matches!(
            self.nesting[..],
            [List, Object, List] | [List, Object, Object, List]
        )
    }

    fn begin_record(&mut self) {
        if !self.keeps_records && self.record.is_none() && self.is_in_list() {
            self.record = Some(self.nesting.len());
        }
    }

    /// Passes on the record in progress, if it is complete here.
    fn end_record(&mut self, each: Each<'_>) -> Result<(), Halt> {
        if self.record != Some(self.nesting.len()) {
            return Ok(());
        }
        self.record = None;
        let result = each(self.answers.saturating_sub(1), &self.bytes);
        self.bytes.clear();
        result
    }

    /// Keeps a part of a text, unless the text is too long.
    fn keep_text(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        if self.record.is_some() {
            return self.keep(bytes, 0);
        }
        let length = self.rest.len().saturating_sub(self.text);
        self.is_cut |= length.saturating_add(bytes.len()) > self.text_max;
        if self.is_cut {
            self.rest.truncate(self.text);
            self.kept = self.kept.saturating_sub(length);
            return Ok(());
        }
        self.keep(bytes, 0)
    }

    fn keep(&mut self, bytes: &[u8], more: usize) -> Result<(), Halt> {
        if self.record.is_some() {
            if self.bytes.len().saturating_add(bytes.len()) > RECORD_BYTES {
                return Err(Halt::TooLarge);
            }
            self.bytes.extend_from_slice(bytes);
            return Ok(());
        }
        self.kept = self.kept.saturating_add(bytes.len()).saturating_add(more);
        if self.kept > self.limit {
            return Err(Halt::TooLarge);
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }
}

/// A log of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) block: u64,
    pub(super) block_hash: B256,
    /// The index among the logs of the block.
    pub(super) index: u64,
    pub(super) tx: B256,
    pub(super) address: Address,
    pub(super) topics: Vec<B256>,
    pub(super) data: Vec<u8>,
}

/// A log as a provider answered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logged {
    pub(super) found: Found,
    /// The block's time in milliseconds since 1970, if the provider gives it.
    pub(super) time: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    address: Option<&'a str>,
    #[serde(borrow)]
    topics: Option<Vec<&'a str>>,
    data: Option<&'a str>,
    block_number: Option<&'a str>,
    block_hash: Option<&'a str>,
    block_timestamp: Option<&'a str>,
    transaction_hash: Option<&'a str>,
    log_index: Option<&'a str>,
    removed: Option<bool>,
}

impl Logged {
    /// Reads a record of the answer to a query for logs, or of a receipt. `None` if the record is no log.
    ///
    /// # Errors
    /// If a field of the log is missing or malformed, or if the log's block is no longer in the chain.
    pub(super) fn read(record: &[u8]) -> Result<Option<Self>, LedgerError> {
        let other = || unavailable("a log is malformed");
        if record.first() != Some(&b'{') {
            return Ok(None);
        }
        let fields: Fields<'_> = serde_json::from_slice(record).map_err(|_| other())?;
        let Some(topics) = fields.topics else {
            return Ok(None);
        };
        if fields.removed == Some(true) {
            return Err(unavailable(
                "a provider answered a log of a block that is no longer in the chain",
            ));
        }
        let address = fields.address.and_then(|text| text.parse().ok());
        let data = fields.data.and_then(|text| hex::decode(text).ok());
        let time = fields.block_timestamp.map(number64_of).transpose();
        Ok(Some(Self {
            found: Found {
                block: number64_of(fields.block_number.ok_or_else(other)?)?,
                block_hash: hash_of(fields.block_hash.ok_or_else(other)?)?,
                index: number64_of(fields.log_index.ok_or_else(other)?)?,
                tx: hash_of(fields.transaction_hash.ok_or_else(other)?)?,
                address: address.ok_or_else(other)?,
                topics: topics.into_iter().map(hash_of).collect::<Result<_, _>>()?,
                data: data.ok_or_else(other)?,
            },
            time: time
                .ok()
                .flatten()
                .map(|seconds| seconds.saturating_mul(1_000)),
        }))
    }

    /// Returns the estimated bytes that the log occupies.
    pub(super) fn bytes(&self) -> usize {
        let variable = self
            .found
            .topics
            .len()
            .saturating_mul(32)
            .saturating_add(self.found.data.len());
        size_of::<Self>().saturating_add(variable)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Scans `text` in parts of `size` bytes. Returns the rest and the records with the indexes of their answers.
    fn scan(
        text: &str,
        size: usize,
        limit: usize,
        keeps: bool,
    ) -> Result<(Value, Vec<(usize, String)>), Halt> {
        let mut records = Vec::new();
        let mut scanner = Scanner::new(limit, 8_000, keeps);
        for part in text.as_bytes().chunks(size) {
            scanner.push(part, &mut |answer, record| {
                records.push((answer, String::from_utf8(record.to_vec()).unwrap()));
                Ok(())
            })?;
        }
        let rest = serde_json::from_slice(&scanner.finish()?).map_err(|_| Halt::Malformed)?;
        Ok((rest, records))
    }

    #[test]
    fn records_leave_the_answer_however_it_is_divided() {
        let text = r#" [ {"id":1, "result":[ {"a":"x,]}\"","b":[1,{}]} , "0x1",2,null ] },
            {"id":0,"result":{"logs":[{"c":[[]]}],"hash":"0x2","other":[]}}, {"id":2,"result":"[{"}] "#;
        let rest = json!([
            { "id": 1, "result": [] },
            { "id": 0, "result": { "logs": [], "hash": "0x2", "other": [] } },
            { "id": 2, "result": "[{" },
        ]);
        let records = [
            (0, r#"{"a":"x,]}\"","b":[1,{}]}"#),
            (0, r#""0x1""#),
            (0, "2"),
            (0, "null"),
            (1, r#"{"c":[[]]}"#),
        ]
        .map(|(answer, record)| (answer, record.to_owned()));
        for size in [1, 2, 3, 7, 1_000] {
            let found = scan(text, size, 10_000, false).unwrap();
            assert_eq!(found, (rest.clone(), records.to_vec()));
            let (kept, records) = scan(text, size, 10_000, true).unwrap();
            assert_eq!(kept, serde_json::from_str::<Value>(text).unwrap());
            assert!(records.is_empty());
        }
    }

    #[test]
    fn short_values_count_with_the_memory_of_their_parsed_form() {
        let zeros = |count: usize| {
            format!(
                r#"[{{"id":0,"result":{{"a":{{"b":[0{}]}}}}}}]"#,
                ",0".repeat(count)
            )
        };
        assert!(scan(&zeros(90), 1_000, 6_900, false).is_ok());
        assert_eq!(scan(&zeros(110), 1_000, 6_900, false), Err(Halt::TooLarge));
        let text = format!(r#"["{}"]"#, "x".repeat(7_000));
        assert_eq!(scan(&text, 1_000, 6_900, false), Err(Halt::TooLarge));
    }

    #[test]
    fn a_text_that_is_too_long_becomes_empty() {
        for size in [1, 7, 100_000] {
            let text = format!(r#"["a","{}\"","b"]"#, "x".repeat(9_000));
            let (found, _) = scan(&text, size, 20_000, false).unwrap();
            assert_eq!(found, json!(["a", "", "b"]));
        }
    }

    #[test]
    fn a_record_and_its_depth_are_bounded() {
        let record = |length: usize| format!(r#"[{{"result":["{}"]}}]"#, "x".repeat(length));
        assert!(scan(&record(RECORD_BYTES - 2), 1_000, 6_900, false).is_ok());
        assert_eq!(
            scan(&record(RECORD_BYTES), 1_000, 6_900, false),
            Err(Halt::TooLarge)
        );
        for deep in [
            "[".repeat(DEPTH_MAX + 1),
            format!(r#"[{{"result":[{}"#, "[".repeat(DEPTH_MAX)),
        ] {
            assert_eq!(scan(&deep, 7, 1 << 20, false), Err(Halt::Malformed));
        }
    }

    #[test]
    fn an_incomplete_or_unbalanced_answer_is_malformed() {
        for text in [
            "[",
            r#"["#,
            r#"[{"a":"]"#,
            "]",
            "[}",
            r#"[{"result":[1}]"#,
            r#"[{"result":[1]"#,
        ] {
            assert_eq!(scan(text, 3, 6_900, false), Err(Halt::Malformed), "{text}");
        }
    }

    #[test]
    fn only_complete_logs_are_read() {
        let hash = format!("0x{}", "ab".repeat(32));
        let address = format!("0x{}", "cd".repeat(20));
        let log = json!({
            "address": address, "topics": [hash], "data": "0x01", "blockNumber": "0x7", "blockHash": hash,
            "transactionHash": hash, "logIndex": "0x3", "blockTimestamp": "0x2", "removed": false, "other": [1],
        });
        let read = |log: &Value| Logged::read(log.to_string().as_bytes());
        let found = read(&log).unwrap().unwrap();
        assert_eq!(
            (found.found.block, found.found.index, found.time),
            (7, 3, Some(2_000))
        );
        for other in [json!({ "validatorIndex": "0x1" }), json!("0x1"), json!(1)] {
            assert_eq!(read(&other).unwrap(), None);
        }
        for field in [
            "address",
            "data",
            "blockNumber",
            "blockHash",
            "transactionHash",
            "logIndex",
        ] {
            for other in [Value::Null, json!("0xzz")] {
                let mut log = log.clone();
                log[field] = other;
                assert!(read(&log).is_err(), "{log}");
            }
        }
        for other in [json!({ "removed": true }), json!({ "topics": ["0x1"] })] {
            let mut log = log.clone();
            log.as_object_mut()
                .unwrap()
                .extend(other.as_object().unwrap().clone());
            assert!(read(&log).is_err(), "{log}");
        }
    }
}

//! Connects lists that are open in part: their items and their end.

use alloc::vec::Vec;

use crate::aih2::blocks::{Block, Blocks};
use crate::aih2::connect::{Connector, Shown};
use crate::aih2::formula::Hash;
use crate::aih2::pairs::Pairs;
use crate::aih2::proof::{OpenList, Part, Token};
use crate::aih2::shape::ListShape;
use crate::aih2::tree::block_size;
use crate::aih2::work::beside_slots;
use crate::error::{CertError, ErrorCode};
use crate::json::path::Step;
use crate::json::value::Value;

/// The maximum depth of a list's tree, which has 2^32 slots at that depth.
const MAX_DEPTH: u8 = 32;

/// The state of the current list.
struct List<'a> {
    shape: &'a ListShape,
    /// The shown items, placeholders included. `None` if no list is shown.
    items: Option<&'a [Value]>,
    pairs: Option<Pairs<'a>>,
    /// The number of pairs that belong to the items read so far, or to places inside them.
    used: usize,
    /// The slot after the last item that is open, at least in part.
    after_open: u64,
    /// The slot after the last item that the detached document shows, at least in part.
    after_shown: u64,
    /// The first slot that is proven to be void.
    void: Option<u64>,
}

impl<'a> Connector<'a, '_> {
    /// Connects a list that is open in part. Returns true if the detached document shows the list.
    pub(super) fn list(
        &mut self,
        shape: &'a ListShape,
        depth: u8,
        shown: Shown<'a>,
    ) -> Result<bool, CertError> {
        let mut list = List {
            shape,
            items: self.items(shown)?,
            pairs: match shown {
                Shown::Pairs(pairs) => Some(pairs),
                _ => None,
            },
            used: 0,
            after_open: 0,
            after_shown: 0,
            void: None,
        };
        let most = shape.max.unwrap_or(block_size(depth));
        if depth > MAX_DEPTH || shape.max.is_some_and(|_| shape.depth(0) != depth) {
            return Err(self.depth(
                "a list's depth differs from the depth for its `maxItems`, or is more than 32",
            ));
        }
        let shown_items = list.items.map_or(0, <[Value]>::len);
        if shown_items as u64 > most {
            return Err(self.too_long());
        }
        let number = self.parts.len();
        self.parts.push(Part::Halves);
        let mut hidden = Vec::new();
        let mut blocks = Blocks::new(depth);
        while let Some(block) = blocks.next() {
            let token = self.token()?;
            if list.void.is_some() && !matches!(token, Token::Open(_)) {
                let message = "everything after the end of a list must be open";
                return Err(self.error(ErrorCode::ListOrder, message));
            }
            match token {
                Token::Hidden(hash) => {
                    self.hide(&mut blocks, block, hash)?;
                    hidden.push(block);
                }
                Token::Open(key) => self.open_items(&mut list, key, block)?,
                Token::Halves => self.halves(&mut blocks, block)?,
                place => self.item(&mut list, place, block)?,
            }
        }
        self.require_used(shown, list.used)?;
        if let Some(end) = list.void
            && (end > most || shape.depth(end) != depth)
        {
            return Err(self.depth("a list that has this end has a different depth"));
        }
        let at_most = list.void.unwrap_or(most);
        let length = (list.after_open == at_most).then_some(at_most);
        // A block after `maxItems` only fills the tree and has no slots.
        let complete = hidden.iter().all(|block| block.start >= most);
        // A list without shown items is not shown, unless it is proven to be empty.
        let shown = match (list.after_shown, at_most) {
            (0, 1..) => None,
            (length, _) => Some(length),
        };
        if let Some(part) = self.parts.get_mut(number) {
            *part = Part::List(OpenList {
                depth,
                complete,
                void: list.void,
                at_most,
                shown,
            });
        }
        let path = &self.counter.path;
        self.findings.list(path, at_most, length, complete);
        Ok(shown.is_some())
    }

    /// Returns the items of a shown list, or `None` if no list is shown.
    fn items(&self, shown: Shown<'a>) -> Result<Option<&'a [Value]>, CertError> {
        match shown {
            Shown::Value(Value::Array(items)) => Ok(Some(items.as_slice())),
            // This `null` is the placeholder of a hidden item. Only lists have placeholders.
            Shown::Value(Value::Null)
                if matches!(self.counter.path.last(), Some(Step::Index(_))) =>
            {
                Ok(None)
            }
            Shown::Value(_) => Err(self.mismatch("the evidence opens a list here")),
            Shown::Pairs(pairs) if pairs.have_key() => {
                Err(self.mismatch("the evidence gives a value for a key, but this place is a list"))
            }
            Shown::Nothing | Shown::Pairs(_) => Ok(None),
        }
    }

    /// Opens a block of items, of slots after the last item, or of both.
    fn open_items(
        &mut self,
        list: &mut List<'a>,
        key: Hash,
        block: Block,
    ) -> Result<(), CertError> {
        let size = block_size(block.level);
        let mut slots = Vec::new();
        let mut shown = list
            .items
            .unwrap_or_default()
            .iter()
            .skip(index(block.start));
        for slot in (block.start..).take(index(size)) {
            let value = match list.pairs {
                Some(pairs) => self.pair(pairs, Step::Index(index(slot)), &mut list.used)?,
                None => shown.next(),
            };
            let Some(value) = value else {
                break;
            };
            slots.push(Some((&*list.shape.items, value)));
        }
        let count = slots.len() as u64;
        let after = block.start.saturating_add(count);
        if count > 0 {
            if list.void.is_some() {
                return Err(self.mismatch("the evidence gives an item after the end of its list"));
            }
            if list.shape.max.is_some_and(|max| after > max) {
                return Err(self.too_long());
            }
            list.after_open = after;
            list.after_shown = after;
        }
        if count < size && list.void.is_none() {
            list.void = Some(after);
        }
        self.counter.add(beside_slots(block.level, count))?;
        for (number, slot) in slots.iter().enumerate() {
            let value = slot.map(|(_, value)| value);
            let at = index(block.start).saturating_add(number);
            self.counter.path.push(Step::Index(at));
            self.counter.slot(&list.shape.items, value, self.findings)?;
            self.counter.path.pop();
        }
        self.push_open(key, block.level, block.start, slots);
        Ok(())
    }

    /// Connects an item that is open in part.
    fn item(&mut self, list: &mut List<'a>, token: Token, block: Block) -> Result<(), CertError> {
        if block.level > 0 {
            return Err(self.shape("an object or list can only be open in a slot"));
        }
        if list.shape.max.is_some_and(|max| block.start >= max) {
            return Err(self.too_long());
        }
        let step = Step::Index(index(block.start));
        let shown = match list.pairs {
            Some(pairs) => {
                let below = pairs.child(step);
                list.used = list.used.saturating_add(below.len());
                Shown::Pairs(below)
            }
            None => list
                .items
                .and_then(|items| items.get(index(block.start)))
                .map_or(Shown::Nothing, Shown::Value),
        };
        list.after_open = block.start.saturating_add(1);
        self.counter.path.push(step);
        if self.place(token, &list.shape.items, shown)? {
            list.after_shown = list.after_open;
        }
        self.counter.path.pop();
        Ok(())
    }

    fn depth(&self, message: &str) -> CertError {
        self.error(ErrorCode::ListDepth, message)
    }

    fn too_long(&self) -> CertError {
        let message = "a list has more items than its depth or `maxItems` allows";
        self.error(ErrorCode::ListTooLong, message)
    }
}

/// Returns the number of a slot as an index. A number that `usize` cannot hold becomes an index that no item has.
fn index(slot: u64) -> usize {
    usize::try_from(slot).unwrap_or(usize::MAX)
}

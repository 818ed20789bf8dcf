//! The mutants: rules of the specification that are left out or changed.

/// A file below `cert-core/src/aih2`, an expression in this file, and the replacement of the expression.
pub(super) struct Mutant {
    pub(super) file: &'static str,
    pub(super) of: &'static str,
    pub(super) instead: &'static str,
}

const fn mutant(file: &'static str, of: &'static str, instead: &'static str) -> Mutant {
    Mutant { file, of, instead }
}

/// All mutants. Each expression occurs exactly once in its file, on one line.
pub(super) const MUTANTS: &[Mutant] = &[
    // Tokens and their places.
    mutant("connect.rs", "!self.proof.is_empty()", "false"),
    mutant("connect_object.rs", "block.is_whole()", "false"),
    mutant("connect.rs", "pairs.value().is_some()", "false"),
    mutant("connect.rs", "pairs.len() != used", "false"),
    mutant("connect_object.rs", "block.level == 0", "true"),
    mutant("connect.rs", "pairs.len() > 0", "false"),
    mutant("connect.rs", "value.as_object().is_some()", "true"),
    mutant(
        "connect_object.rs",
        "hidden.iter().all(|block| block.start >= shape.size())",
        "hidden.is_empty()",
    ),
    mutant(
        "connect_object.rs",
        "hidden.iter().all(|block| block.start >= shape.size())",
        "true",
    ),
    mutant(
        "connect_object.rs",
        "beside_slots(block.level, slots.len() as u64)",
        "0",
    ),
    mutant(
        "blocks.rs",
        "block.level.checked_sub(1)",
        "Some(block.level.saturating_sub(1))",
    ),
    mutant(
        "blocks.rs",
        "block.start.saturating_add(block_size(level))",
        "block.start",
    ),
    mutant(
        "blocks.rs",
        "(block.half, self.0.last_mut())",
        "(block.half, None::<&mut Block>)",
    ),
    mutant("blocks.rs", "self.half == Half::Whole", "false"),
    // Lists.
    mutant("connect_list.rs", "depth > MAX_DEPTH", "false"),
    mutant(
        "connect_list.rs",
        "shape.max.is_some_and(|_| shape.depth(0) != depth)",
        "false",
    ),
    mutant(
        "connect_list.rs",
        "shape.max.unwrap_or(block_size(depth))",
        "block_size(depth)",
    ),
    mutant("connect_list.rs", "shown_items as u64 > most", "false"),
    mutant(
        "connect_list.rs",
        "list.void.is_some() && !matches!(token, Token::Open(_))",
        "false",
    ),
    mutant(
        "connect_list.rs",
        "list.void.is_some() && !matches!(token, Token::Open(_))",
        "list.void.is_some() && matches!(token, Token::Hidden(_))",
    ),
    mutant("connect_list.rs", "end > most", "false"),
    mutant("connect_list.rs", "shape.depth(end) != depth", "false"),
    mutant(
        "connect_list.rs",
        "(list.after_open == at_most).then_some(at_most)",
        "list.void",
    ),
    mutant(
        "connect_list.rs",
        "hidden.iter().all(|block| block.start >= most)",
        "true",
    ),
    mutant(
        "connect_list.rs",
        "hidden.iter().all(|block| block.start >= most)",
        "hidden.is_empty()",
    ),
    mutant(
        "connect_list.rs",
        "matches!(self.counter.path.last(), Some(Step::Index(_)))",
        "true",
    ),
    mutant(
        "connect_list.rs",
        "list.shape.max.is_some_and(|max| after > max)",
        "false",
    ),
    mutant(
        "connect_list.rs",
        "list.shape.max.is_some_and(|max| block.start >= max)",
        "false",
    ),
    mutant(
        "connect_list.rs",
        "count < size && list.void.is_none()",
        "false",
    ),
    mutant(
        "connect_list.rs",
        "count < size && list.void.is_none()",
        "count < size",
    ),
    mutant("connect_list.rs", "beside_slots(block.level, count)", "0"),
    mutant("connect_list.rs", "block.level > 0", "false"),
    // Pairs and evidence.
    mutant(
        "pairs.rs",
        "other.path.steps().starts_with(one.path.steps())",
        "false",
    ),
    mutant("pairs.rs", "pair.path.steps().len() == self.depth", "true"),
    mutant(
        "pairs.rs",
        "path.steps().len().saturating_add(value.depth()) > MAX_JSON_DEPTH",
        "false",
    ),
    mutant(
        "evidence.rs",
        "object.get(\"profile\").and_then(Value::as_str) != Some(PROFILE)",
        "false",
    ),
    mutant(
        "evidence.rs",
        "![\"profile\", \"schemaId\", \"proof\", \"values\", \"$schema\"].contains(&key)",
        "false",
    ),
    // Work.
    mutant("work.rs", "self.work > MAX_WORK", "false"),
    mutant(
        "work.rs",
        "shape.max.is_some_and(|max| size > max)",
        "false",
    ),
    mutant("work.rs", "slots.div_ceil(size)", "slots / size"),
    mutant("work.rs", "splits.saturating_mul(3)", "splits"),
    // Formulas and trees.
    mutant(
        "formula.rs",
        "self.add(&with(LEAF, key), text.as_bytes())",
        "self.add(&with(VOID, key), text.as_bytes())",
    ),
    mutant(
        "formula.rs",
        "self.add(&with(VOID, key), &[])",
        "self.add(&with(LEAF, key), &[])",
    ),
    mutant(
        "formula.rs",
        "self.add(&with(RIGHT, key), &[])",
        "self.add(&with(LEFT, key), &[])",
    ),
    mutant("formula.rs", "[LEFT, RIGHT]", "[RIGHT, LEFT]"),
    mutant(
        "formula.rs",
        "self.add(&[kind.first(), depth], block)",
        "self.add(&[kind.first(), 0], block)",
    ),
    mutant(
        "formula.rs",
        "to_bytes(&hash(&[kind.first(), depth], block))",
        "to_bytes(&hash(&[kind.first(), 0], block))",
    ),
    mutant(
        "formula.rs",
        "to_bytes(&hash(&with(NODE, left), right))",
        "to_bytes(&hash(&with(NODE, right), left))",
    ),
    mutant(
        "formula.rs",
        "to_bytes(&hash(&start, root))",
        "to_bytes(&hash(&start, schema_id))",
    ),
    // Verdicts.
    mutant("verify.rs", "evidence.schema_id != self.id", "false"),
    mutant("verify.rs", "found != *imprint", "false"),
    mutant(
        "findings.rs",
        "report.valid = report.errors.is_empty()",
        "report.valid = true",
    ),
    // The document beside the evidence.
    mutant("cover.rs", "self.against(shape, value, code)", "Ok(())"),
    mutant("cover.rs", "value == certified", "true"),
    mutant(
        "cover.rs",
        "certified.is_none_or(|certified| certified.get(key).is_none())",
        "false",
    ),
    mutant(
        "cover.rs",
        "self.list_at(number).is_none_or(|list| list.shown.is_some())",
        "false",
    ),
    mutant(
        "cover.rs",
        "self.against(&shape.items, item, ErrorCode::NotCovered)?",
        "()",
    ),
    mutant("cover.rs", "at as u64 >= at_most", "false"),
    mutant("cover.rs", "(items.len() as u64) < count", "false"),
    mutant("cover.rs", "self.fault(ErrorCode::NotCovered)?", "()"),
    // The asset to which the evidence belongs.
    mutant("asset.rs", "*is_described && !is_known", "false"),
    mutant("asset.rs", "ledger != self.ledger", "false"),
    mutant("asset.rs", "integer(text) != Some(self.id)", "false"),
    mutant(
        "asset.rs",
        "ledger_id.and_then(Value::as_str).and_then(address)",
        "ledger_id.and_then(Value::as_str).and_then(address).or(Some(self.ledger))",
    ),
];

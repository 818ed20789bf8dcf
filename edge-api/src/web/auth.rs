//! The caller: the account that the Authorization header recovers to (`docs/interface.md`, "Authentication").

use std::cell::RefCell;
use std::collections::HashMap;

use alloy_primitives::{B256, keccak256};
use http::{StatusCode, header};
use order_core::{Address, Code};

use super::Request;
use crate::context::Context;
use crate::failure::Failure;

/// Maximum number of cached headers in an isolate. A client sends the same header in each request, and recovering its
/// account is the most expensive step of a read.
const CACHE_CAPACITY: usize = 2048;

/// Accounts by the hash of their header. The header itself is a credential and is not cached.
#[derive(Default)]
pub(crate) struct RecoveredAccounts(HashMap<B256, Address>);

impl RecoveredAccounts {
    fn get(&self, key: &B256) -> Option<Address> {
        self.0.get(key).copied()
    }

    fn insert(&mut self, key: B256, account: Address) {
        if self.0.len() >= CACHE_CAPACITY {
            // Random headers recover to accounts too, so anyone can fill the cache. The cache is cleared as a whole, so
            // a flood of such headers cannot influence which entries are evicted.
            self.0.clear();
        }
        self.0.insert(key, account);
    }
}

/// Returns the account of a request. Fails with code 400001 and status 401.
pub(super) fn caller(
    ctx: &Context<'_>,
    recovered: &RefCell<RecoveredAccounts>,
    request: &Request,
) -> Result<Address, Failure> {
    let unauthorized = |message: &str| {
        Failure::one(Code::SignatureNotValid, "authorization", message)
            .status(StatusCode::UNAUTHORIZED)
    };
    let mut values = request.headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(unauthorized(&format!(
            "the route needs one `Authorization` header: `3:` and a PERSONAL_SIGN signature, or `0:` and an ETH_SIGN one, \
             of the text `{}`",
            ctx.config().authorization.text()
        )));
    };
    let Ok(text) = value.to_str() else {
        return Err(unauthorized("the `Authorization` header is not text"));
    };
    let key = keccak256(text.as_bytes());
    if let Some(account) = recovered.borrow().get(&key) {
        return Ok(account);
    }
    let account = ctx
        .config()
        .authorization
        .recover(text)
        .map_err(|error| unauthorized(&error.message))?;
    recovered.borrow_mut().insert(key, account);
    Ok(account)
}

//! Reads hosted files from storage instead of fetching them from the service's own address, because a Worker cannot fetch
//! from itself.

use std::pin::pin;

use async_trait::async_trait;
use futures_util::future::{Either, select};

use super::{Found, bytes, find, find_named};
use crate::context::Context;
use crate::failure::Failure;
use crate::outbound::Policy;
use crate::ports::{Fetch, FetchError, Fetched, Http, Url};

/// Sends requests like the host's HTTP port, but reads hosted files from storage.
pub(crate) struct Hosted<'a> {
    ctx: &'a Context<'a>,
    origin: &'a str,
    /// The start of the addresses of all hosted files, in the normal form of the URL standard. `None` if `FILES` is off or the
    /// origin is not a URL.
    start: Option<String>,
}

impl<'a> Hosted<'a> {
    /// Creates the reader. `origin` is the origin under which this service was called.
    pub(crate) fn new(ctx: &'a Context<'_>, origin: &'a str) -> Self {
        let url = match ctx.config().files {
            true => ctx.ports().http.parse(origin, None),
            false => None,
        };
        Self {
            ctx,
            origin,
            start: url.map(|url| format!("{}/files/", url.origin)),
        }
    }

    /// Returns the policy of the settings, extended by the addresses of hosted files.
    pub(crate) fn policy(&self) -> Policy<'_> {
        let policy = Policy::of(self.ctx, Some(self.origin));
        match &self.start {
            Some(start) => policy.read_by(self, start),
            None => policy,
        }
    }

    /// Finds the file at a path below `/files/`: the hash of a file, or the three segments of a named file.
    async fn find(&self, path: &str) -> Result<Option<Found>, Failure> {
        let segments: Vec<&str> = path.split('/').collect();
        match segments.as_slice() {
            [hash] => find(self.ctx, hash).await,
            [owner, collection, document] => {
                find_named(self.ctx, owner, collection, document).await
            }
            _ => Ok(None),
        }
    }

    async fn read(&self, path: &str, request: &Fetch) -> Result<Fetched, FetchError> {
        let failed = |failure: Failure| {
            FetchError::Failed(
                failure
                    .internal
                    .unwrap_or_else(|| "a hosted file could not be read".to_owned()),
            )
        };
        let mut answer = Fetched {
            status: 404,
            content_type: None,
            location: None,
            allow_origin: Some("*".to_owned()),
            body: Vec::new(),
        };
        let Some(found) = self.find(path).await.map_err(failed)? else {
            return Ok(answer);
        };
        if found.bytes > request.limit {
            return Err(FetchError::TooLarge);
        }
        let budget = request.budget.as_ref();
        if budget.is_some_and(|budget| !budget.take(found.bytes)) {
            return Err(FetchError::OverBudget);
        }
        if let Some(body) = bytes(self.ctx, &found).await.map_err(failed)? {
            answer.status = 200;
            answer.content_type = Some(found.content_type);
            answer.body = body;
        }
        Ok(answer)
    }
}

#[async_trait(?Send)]
impl Http for Hosted<'_> {
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url> {
        self.ctx.ports().http.parse(address, base)
    }

    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError> {
        let start = self.start.as_deref();
        let path = start.and_then(|start| request.url.strip_prefix(start));
        match path {
            Some(path) => {
                let path = path.split('?').next().unwrap_or_default();
                let timeout = self.ctx.ports().clock.sleep(request.timeout_ms);
                match select(pin!(self.read(path, &request)), timeout).await {
                    Either::Left((answer, _)) => answer,
                    Either::Right(_) => Err(FetchError::Timeout),
                }
            }
            None => self.ctx.ports().http.fetch(request).await,
        }
    }
}

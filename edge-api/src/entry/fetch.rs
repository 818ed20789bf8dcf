//! The runtime's `fetch` as the port of outbound HTTP.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use worker::{AbortController, ByteStream, Delay, Headers, Method, RequestInit, RequestRedirect};

use crate::ports::{Fetch, FetchError, Fetched, Http, Url};

/// Reads at most `limit` bytes of a stream. Returns `None` if `take` returns false, because the memory budget has too few bytes left.
async fn read_within(
    stream: Option<ByteStream>,
    limit: usize,
    take: &dyn Fn(usize) -> bool,
) -> worker::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    let Some(mut stream) = stream else {
        return Ok(Some(body));
    };
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        let left = limit.saturating_sub(body.len());
        let part = chunk.get(..left).unwrap_or(&chunk);
        if !take(part.len()) {
            return Ok(None);
        }
        body.extend_from_slice(part);
        if body.len() >= limit {
            break;
        }
    }
    Ok(Some(body))
}

/// The runtime's `fetch`.
pub(super) struct Fetcher;

fn failed(error: &worker::Error) -> FetchError {
    FetchError::Failed(error.to_string())
}

#[async_trait(?Send)]
impl Http for Fetcher {
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url> {
        super::url::parse(address, base)
    }

    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError> {
        let controller = AbortController::default();
        let signal = controller.signal();
        let timeout = Delay::from(Duration::from_millis(request.timeout_ms));
        let exchange = Box::pin(exchange(&request, &signal));
        match select(exchange, timeout).await {
            Either::Left((result, _)) => result,
            Either::Right(((), exchange)) => {
                controller.abort();
                drop(exchange);
                Err(FetchError::Timeout)
            }
        }
    }
}

async fn exchange(request: &Fetch, signal: &worker::AbortSignal) -> Result<Fetched, FetchError> {
    let headers = Headers::new();
    for (name, value) in &request.headers {
        headers.set(name, value).map_err(|error| failed(&error))?;
    }
    let mut init = RequestInit::new();
    init.with_headers(headers)
        .with_redirect(RequestRedirect::Manual);
    if let Some(body) = &request.body {
        init.with_method(Method::Post)
            .with_body(Some(js_sys::Uint8Array::from(body.as_slice()).into()));
    }
    let outbound =
        worker::Request::new_with_init(&request.url, &init).map_err(|error| failed(&error))?;
    let mut response = worker::Fetch::Request(outbound)
        .send_with_signal(signal)
        .await
        .map_err(|error| failed(&error))?;
    let header = |name: &str| response.headers().get(name).ok().flatten();
    let content_type = header("content-type").map(|text| text.to_ascii_lowercase());
    let (location, allow_origin) = (header("location"), header("access-control-allow-origin"));
    let stream = if request.limit == 0 {
        None
    } else {
        response.stream().ok()
    };
    let take = |bytes: usize| {
        request
            .budget
            .as_ref()
            .is_none_or(|budget| budget.take(bytes))
    };
    let body = read_within(stream, request.limit.saturating_add(1), &take)
        .await
        .map_err(|error| failed(&error))?
        .ok_or(FetchError::OverBudget)?;
    if body.len() > request.limit {
        return Err(FetchError::TooLarge);
    }
    Ok(Fetched {
        status: response.status_code(),
        content_type,
        location,
        allow_origin,
        body,
    })
}

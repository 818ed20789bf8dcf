//! The runtime's `fetch` as the port of outbound HTTP.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use worker::{AbortController, ByteStream, Delay, Headers, Method, RequestInit, RequestRedirect};

use crate::ports::{Fetch, FetchError, Fetched, Http, ReadPart, Url};

/// Passes at most `limit` bytes of a stream to `read`, and returns their number. Returns `None` if `read` returns false.
async fn read_within(
    stream: Option<ByteStream>,
    limit: usize,
    read: &mut dyn FnMut(&[u8]) -> bool,
) -> worker::Result<Option<usize>> {
    let mut length = 0_usize;
    let Some(mut stream) = stream else {
        return Ok(Some(length));
    };
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        let left = limit.saturating_sub(length);
        let part = chunk.get(..left).unwrap_or(&chunk);
        if !read(part) {
            return Ok(None);
        }
        length = length.saturating_add(part.len());
        if length >= limit {
            break;
        }
    }
    Ok(Some(length))
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
        let budget = request.budget.clone();
        let mut body = Vec::new();
        let mut read = |_: u16, part: &[u8]| {
            let fits = budget.as_ref().is_none_or(|budget| budget.take(part.len()));
            if fits {
                body.extend_from_slice(part);
            }
            fits
        };
        let answer = self.stream(request, &mut read).await?;
        Ok(Fetched { body, ..answer })
    }

    async fn stream(&self, request: Fetch, read: ReadPart<'_>) -> Result<Fetched, FetchError> {
        let controller = AbortController::default();
        let signal = controller.signal();
        let timeout = Delay::from(Duration::from_millis(request.timeout_ms));
        let exchange = Box::pin(exchange(&request, &signal, read));
        let result = match select(exchange, timeout).await {
            Either::Left((result, _)) => result,
            Either::Right(((), exchange)) => {
                drop(exchange);
                Err(FetchError::Timeout)
            }
        };
        if result.is_err() {
            // Ends an answer that was not read to its end.
            controller.abort();
        }
        result
    }
}

async fn exchange(
    request: &Fetch,
    signal: &worker::AbortSignal,
    read: ReadPart<'_>,
) -> Result<Fetched, FetchError> {
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
    let status = response.status_code();
    let limit = request.limit.saturating_add(1);
    let length = read_within(stream, limit, &mut |part| read(status, part))
        .await
        .map_err(|error| failed(&error))?
        .ok_or(FetchError::OverBudget)?;
    if length > request.limit {
        return Err(FetchError::TooLarge);
    }
    Ok(Fetched {
        status,
        content_type,
        location,
        allow_origin,
        body: Vec::new(),
    })
}

//! `/requests` (`docs/interface.md`, "Requests").

use http::Method;
use order_core::{Address, Code};
use serde_json::Value;

use crate::api;
use crate::db::{Page, Period};
use crate::failure::Failure;
use crate::statistics::{self, RequestLookup, RequestRow};
use crate::web::{Handled, HttpStatus, Input, Named, Names, Route, ok, private, query, with_meta};

/// The methods by which requests can be filtered.
impl Named for Method {
    const ALL: &'static [Self] = &[Self::GET, Self::POST, Self::PUT, Self::DELETE];

    fn name(&self) -> &str {
        self.as_str()
    }
}

query! {
    /// The parameters of the list of requests.
    pub(super) struct RequestQuery {
        ..page: Page,
        /// Only requests with one of these methods.
        methods ("methods"): Names<Method>,
        /// Only requests with this HTTP status.
        status ("status"): HttpStatus,
        ..period: Period,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::get("/requests", private!(Read, list))
        .query::<RequestQuery>()
        .lists::<api::Request>("getRequests", "List requests")
        .details(
            "A request may take a second to appear. With `methods` or `status`, the service \
             reads at most 10,000 requests for a page. The page may then have fewer items \
             than `limit`, or none, although there is a next page.",
        ),
    Route::get("/requests/:requestRef", private!(Read, get, RequestRef))
        .answers::<api::Request>("getRequest", "Get a request")
        .errors(&[Code::RequestNotFound]),
];

/// GET /requests
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: RequestQuery = input.query.parsed()?;
    let lookup = RequestLookup {
        account: caller,
        page: query.page,
        methods: query.methods,
        status: query.status,
        period: query.period,
    };
    let found = statistics::requests(input.ctx, &lookup).await?;
    let (mut requests, end) = (found.rows, found.end);
    let page = &lookup.page;
    let meta = page.finish(&mut requests, found.total, false, |request| {
        request.reference.clone()
    });
    let meta = page.continue_after_scan(meta, end, found.counted_all);
    let view = |row| view(row, &input.request.origin);
    with_meta(requests.iter().map(view).collect::<Vec<_>>(), meta)
}

/// GET /requests/:requestRef
pub(super) async fn get(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let found = statistics::request(input.ctx, &caller, reference).await?;
    ok(view(
        &found.ok_or_else(|| Failure::code(Code::RequestNotFound))?,
        &input.request.origin,
    ))
}

/// Returns the errors of a logged answer: the stored codes and paths, with the messages of the catalogue. Older rows store their
/// own messages.
fn errors(kept: &Value, origin: &str) -> Vec<api::Error> {
    let text = |kept: &Value, name: &str| kept[name].as_str().map(str::to_owned);
    let error = |kept: &Value| {
        let code = kept["code"].as_u64();
        let code = code.and_then(|code| u32::try_from(code).ok())?;
        let meaning = || Code::from_number(code).map(|code| code.message().to_owned());
        let message = text(kept, "message").or_else(meaning).unwrap_or_default();
        let path = text(kept, "path").unwrap_or_default();
        Some(api::Error::new(code, message, path, origin))
    };
    kept.as_array()
        .map_or_else(Vec::new, |list| list.iter().filter_map(error).collect())
}

fn view(request: &RequestRow, origin: &str) -> api::Request {
    api::Request {
        reference: api::Ref(request.reference.clone()),
        method: request.method.clone(),
        host: request.host.clone(),
        path: request.path.clone(),
        url: request.url.clone(),
        status: request.status,
        errors: errors(&request.errors, origin),
        duration_ms: request.duration_ms,
        created_at: api::Timestamp(request.created_at),
    }
}

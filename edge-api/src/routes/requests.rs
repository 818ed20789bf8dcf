//! `/requests` (`docs/interface.md`, "Requests").

use http::StatusCode;
use order_core::{Address, Code};
use serde_json::Value;

use crate::api;
use crate::failure::{Failure, Problem, invalid};
use crate::statistics::{self, RequestLookup, RequestRow};
use crate::web::{Handled, Input, Query, ok, with_meta};

/// The methods that `methods` can filter by.
const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

/// GET /requests
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let lookup = input.query.read(|query, errors| RequestLookup {
        account: caller,
        page: query.page(errors),
        methods: methods(query, errors),
        status: status(query, errors),
        period: query.period(errors),
    })?;
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

fn methods(query: &Query, errors: &mut Vec<Problem>) -> Option<Vec<String>> {
    let methods = query.list("methods", errors)?;
    if !methods
        .iter()
        .all(|method| METHODS.contains(&method.as_str()))
    {
        errors.push(invalid(
            "methods",
            format!("`methods` must list one or more of {}", METHODS.join(", ")),
        ));
    }
    Some(methods)
}

fn status(query: &Query, errors: &mut Vec<Problem>) -> Option<StatusCode> {
    let text = query.get("status")?;
    let status = StatusCode::from_bytes(text.as_bytes()).ok();
    if status.is_none() {
        errors.push(invalid(
            "status",
            "`status` must be an HTTP status such as 200".to_owned(),
        ));
    }
    status
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

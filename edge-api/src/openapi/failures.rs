//! The errors that an operation can answer with.

use http::Method;
use order_core::Code;
use serde_json::{Value, json};

use super::operation::{MEDIA_TYPES, with_example};
use crate::web::{Access, Body, Data, Description, Needs, Param, Route};

/// Codes of status 400 that can occur in one answer together with codes of status 422. The status of such an answer is 422.
const AMONG_OTHERS: [Code; 3] = [
    Code::AssetNotFound,
    Code::DeployCreationFailed,
    Code::ApproveCreationFailed,
];

impl Description {
    /// Returns all errors of the route, sorted by status: the route's own errors, and the errors of the phases before the handler.
    pub(super) fn failures(&self, route: &Route) -> Vec<(u16, Code)> {
        let needs = match route.access {
            Access::Private(needs, _) => Some(needs),
            Access::Public(_) => None,
        };
        let is_private = needs.is_some();
        let mut failures = vec![(500, Code::Unhandled), (503, Code::DatabaseAway)];
        let mut with = |code: Code| failures.push((code.http_status(), code));
        if matches!(route.body, Body::Json { .. } | Body::File { .. }) {
            with(Code::BodyNotValid);
            with(Code::BodyTooLarge);
            with(Code::MediaTypeNotSupported);
        }
        if route.is_strict() {
            with(Code::QueryNotValid);
            if route.body.fields().is_some() {
                with(Code::FieldNotValid);
            }
        }
        if route.limited {
            with(Code::RateLimited);
        }
        if route.takes_key() {
            with(Code::IdempotencyKeyReused);
            with(Code::FieldNotValid);
        }
        if route.admin {
            with(Code::NotAnAdministrator);
        } else {
            if is_private {
                with(Code::AccountBlocked);
            }
            if route.method != Method::GET && !route.revokes {
                with(Code::WritesPaused);
                if route.pattern.has_param(Param::LedgerRef) {
                    with(Code::LedgerBlocked);
                }
            }
        }
        self.own_errors().for_each(&mut with);
        if route.identified {
            with(Code::AccountNotIdentified);
        }
        match needs {
            None | Some(Needs::Message) => {}
            Some(needs) => {
                failures.push((401, Code::SignatureNotValid));
                let refused = match needs {
                    Needs::Key(_) => Code::ScopeMissing,
                    Needs::Account | Needs::Session | Needs::Message | Needs::Metrics => {
                        Code::SessionNeeded
                    }
                };
                let codes = [
                    Code::CredentialNotValid,
                    Code::HeaderNotAccepted,
                    Code::OriginNotAllowed,
                    refused,
                ];
                failures.extend(codes.map(|code| (code.http_status(), code)));
            }
        }
        // If the route has codes of status 422, the codes in `AMONG_OTHERS` are listed under that status too.
        if failures.iter().any(|(status, _)| *status == 422) {
            let among = failures
                .iter()
                .filter(|(_, code)| AMONG_OTHERS.contains(code));
            let among: Vec<(u16, Code)> = among.map(|(_, code)| (422, *code)).collect();
            failures.extend(among);
        }
        failures.sort_unstable();
        failures.dedup();
        failures
    }

    /// Returns the response object for answers with one of these codes. The catalogue of errors explains the codes.
    pub(super) fn failure(&self, codes: &[Code], example: Option<&Value>) -> Value {
        let list: Vec<String> = codes.iter().map(ToString::to_string).collect();
        let description = match codes {
            [code] => format!("{code}: {}", code.message()),
            _ => format!("One of {}.", list.join(", ")),
        };
        let numbers: Vec<u32> = codes.iter().map(|code| code.number()).collect();
        let schema = json!({ "$ref": "#/components/schemas/Failure" });
        let mut answer = json!({
            "description": description,
            "x-error-codes": numbers,
            "content": { "application/json": with_example(&schema, example) },
        });
        if matches!(self.data, Data::Image("image/*")) {
            answer[MEDIA_TYPES] = json!(["image/svg+xml"]);
        }
        let retried = [Code::RateLimited, Code::DatabaseAway];
        if codes.iter().any(|code| retried.contains(code)) {
            answer["headers"] =
                json!({ "Retry-After": { "$ref": "#/components/headers/Retry-After" } });
        }
        if codes.contains(&Code::RateLimited) {
            answer["headers"]["RateLimit-Policy"] =
                json!({ "$ref": "#/components/headers/RateLimit-Policy" });
        }
        answer
    }
}

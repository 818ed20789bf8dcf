//! Descriptions of the routes of sessions, API keys and the account's access.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::bodies::{AccountAccessInput, ApiKeyRequest, SignInRequest};
use crate::api::{AccountAccess, ApiKey, Challenge, NewApiKey, NewSession, Session};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Challenge>(
            Method::GET,
            "/sessions/challenge",
            "getSignInChallenge",
            "Get the fields of a message that signs in",
        )
        .text("The service stores nothing. The nonce is valid for ten minutes."),
        Operation::one::<NewSession>(Method::POST, "/sessions", "createSession", "Sign in")
            .text(
                "The message follows EIP-4361 and has the fields of the challenge and the account's address. The wallet signs the message \
                 with `personal_sign`. Each message is valid for one sign-in. The session ends after 12 hours without use, and at the latest after \
                 30 days. An account has at most 20 sessions. A further session ends the one that would expire first.\n\nIf \
                 `cookie` is true, the token is in a cookie for pages of this service, and not in the answer's body. The request then needs \
                 the `Origin` of such a page.",
            )
            .body::<SignInRequest>()
            .statuses(&[201])
            .errors(&[
                Code::SignInNotValid,
                Code::NonceNotValid,
                Code::SignatureNotValid,
                Code::ContractSignature,
                Code::OriginNotAllowed,
                Code::FieldNotValid,
            ]),
        Operation::list::<Session>("/sessions", "getSessions", "List the account's sessions"),
        Operation::one::<Session>(
            Method::DELETE,
            "/sessions/:sessionRef",
            "deleteSession",
            "Sign out",
        )
        .text("`current` is the session of the request. Works while changes are paused.")
        .errors(&[Code::SessionNotFound]),
        Operation::one::<NewApiKey>(
            Method::POST,
            "/account/keys",
            "createApiKey",
            "Create an API key",
        )
        .text(
            "Only this answer contains the key itself. An account has at most 20 keys. A key does not sign: orders, deployments and \
             approvals still need the claims of their accounts.",
        )
        .body::<ApiKeyRequest>()
        .statuses(&[201])
        .errors(&[Code::TooManyKeys]),
        Operation::list::<ApiKey>("/account/keys", "getApiKeys", "List the account's API keys"),
        Operation::one::<ApiKey>(
            Method::DELETE,
            "/account/keys/:keyRef",
            "deleteApiKey",
            "Revoke an API key",
        )
        .text("Works while changes are paused.")
        .errors(&[Code::KeyNotFound]),
        Operation::one::<AccountAccess>(
            Method::GET,
            "/account/access",
            "getAccountAccess",
            "Get the account's settings for signing in",
        ),
        Operation::one::<AccountAccess>(
            Method::PUT,
            "/account/access",
            "updateAccountAccess",
            "Turn the signed Authorization header on or off",
        )
        .text(
            "The signed header never expires. Once it is off, the account uses sessions and API keys, and can always sign in with its wallet. \
             The change is in force everywhere after five seconds.",
        )
        .body::<AccountAccessInput>()
        .errors(&[Code::FieldNotValid]),
    ]
}

//! Descriptions of the order routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::bodies::{OrderRequest, SignRequest};
use crate::api::{Order, OrderMeta};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Order>(Method::POST, "/orders", "createOrder", "Create an order")
            .text(
                "An order that has all its signatures is performed immediately, unless `automatedPerform` is false. If \
                 one of the order's parties sends it again, the service adds missing claims and answers 200 with \
                 the stored order. An order that is still open after 30 days is canceled, unless an account other than its \
                 creator has signed it and has tokens or abilities.",
            )
            .body::<OrderRequest>()
            .statuses(&[201, 200])
            .errors(&[
                Code::LedgerBlocked,
                Code::SignatureNotValid,
                Code::LedgerNotFound,
                Code::AssetNotFound,
                Code::HashAlreadyUsed,
                Code::AssetIdMissing,
                Code::AssetImprintMissing,
                Code::AssetLedgerMissing,
                Code::ActionImprintNotValid,
                Code::FieldNotValid,
                Code::TooManyOpen,
            ])
            .errors_between(Code::OrderMakerMissing, Code::ActionValueMissing)
            .errors_between(Code::OrderMissing, Code::AssetIdNotUnique)
            .errors_between(Code::ActionPartyMissing, Code::ManageNotAllowed)
            .errors_between(Code::ActionValueNotValid, Code::UpdateProxyNotAble)
            .errors_between(Code::DestroyNotApproved, Code::DestroyNotCapable)
            .errors_between(Code::TokenReceiverNotAllowed, Code::TooMuchGas),
        Operation::list::<Order>("/orders", "getOrders", "List orders")
            .text(
                "Lists orders that the caller created, signed or canceled. With `roles=invited`, lists orders that wait for the \
                 caller's signature.",
            ),
        Operation::one::<Order>(Method::GET, "/orders/:orderRef", "getOrder", "Get an order")
            .errors(&[Code::OrderNotFound]),
        Operation::one::<Order>(
            Method::DELETE,
            "/orders/:orderRef",
            "cancelOrder",
            "Cancel an order",
        )
        .text("Only a listed signer can cancel an order, and only while the order is initialized.")
        .meta::<OrderMeta>()
        .errors(&[Code::NotASigner, Code::OrderNotFound, Code::OrderStateNotValid]),
        Operation::one::<Order>(
            Method::PUT,
            "/orders/:orderRef/sign",
            "signOrder",
            "Sign an order",
        )
        .text(
            "Only an initialized order can be signed. An account that is not a listed signer signs as the order's \
             wildcard signer, if the order has one and no account has taken this place.",
        )
        .body::<SignRequest>()
        .errors(&[
            Code::LedgerBlocked,
            Code::SignatureNotValid,
            Code::AssetNotFound,
            Code::AssetIdNotUnique,
            Code::ManageProxyNotAble,
            Code::ManageNotAllowed,
        ])
        .errors_between(Code::NotASigner, Code::OrderStateNotValid)
        .errors_between(Code::CreateNotAllowed, Code::UpdateProxyNotAble)
        .errors_between(Code::DestroyNotApproved, Code::DestroyNotCapable)
            .errors_between(Code::TokenReceiverNotAllowed, Code::TooMuchGas),
        Operation::one::<Order>(
            Method::PUT,
            "/orders/:orderRef/perform",
            "performOrder",
            "Perform an order",
        )
        .text("Only an order that is initialized and fully signed can be performed.")
        .errors(&[Code::OrderNotReady, Code::OrderNotFound, Code::OrderStateNotValid]),
    ]
}

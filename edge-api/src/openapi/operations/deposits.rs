//! Descriptions of the deposit routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::bodies::DepositRequest;
use crate::api::{Deposit, Received};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Deposit>(
            Method::POST,
            "/deposits",
            "createDeposit",
            "Create a deposit",
        )
        .text(
            "For card payments, the account must have provided its information (400014). Only a few \
                 deposits of an account may wait for payment at the same time (429000).",
        )
        .body::<DepositRequest>()
        .statuses(&[201])
        .errors(&[
            Code::AccountNotIdentified,
            Code::DepositsNotConfigured,
            Code::DepositPriceUnknown,
            Code::DepositAmountMissing,
            Code::DepositAmountTooLow,
            Code::FieldNotValid,
        ]),
        Operation::list::<Deposit>("/deposits", "getDeposits", "List deposits"),
        Operation::one::<Deposit>(
            Method::GET,
            "/deposits/:depositRef",
            "getDeposit",
            "Get a deposit",
        )
        .errors(&[Code::DepositNotFound]),
        Operation::one::<Received>(
            Method::POST,
            "/deposits/stripe",
            "receiveStripeEvent",
            "Receive an event from the payment provider",
        )
        .text("Only the payment provider can call this operation, because it signs its events.")
        .errors(&[
            Code::SignatureNotValid,
            Code::BodyNotValid,
            Code::DepositsNotConfigured,
            Code::BodyTooLarge,
        ]),
    ]
}

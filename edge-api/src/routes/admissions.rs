//! `/admission`: an account asks the operator for permission to deploy ledgers.

use order_core::Address;

use crate::admissions::{self, Draft};
use crate::api;
use crate::web::{Handled, Input, Route, Success, ok, private};

pub(super) const ROUTES: &[Route] = &[
    Route::post("/admission", private!(Account, ask))
        .json::<api::bodies::AdmissionInput>()
        .unidentified()
        .answers::<api::Admission>("requestAdmission", "Ask to be admitted")
        .details(
            "For services on which only chosen accounts may deploy ledgers. Any account may ask, \
             without registration. The signature proves that the account asks for itself. It \
             does not prove the name: the operator asks the organisation before approving. A \
             further request replaces the account's earlier one. Only administrators read \
             requests. Waiting and declined ones are deleted after 90 days. Accounts without \
             tokens or abilities may store 300 kB of requests a day together, and those of one \
             client network 20 kB. An account that may deploy already gets `approved`, and \
             nothing is stored.",
        )
        .statuses(&[201]),
    Route::get("/admission", private!(Account, get))
        .unidentified()
        .answers::<api::Admission>("getAdmission", "Get the caller's request for admission"),
];

/// POST /admission
pub(super) async fn ask(input: &Input<'_>, caller: Address) -> Handled {
    let draft = Draft::parse(&input.body)?;
    let decision = admissions::ask(input.ctx, &caller, draft).await?;
    decision.answered(|asked| Success::created(asked))
}

/// GET /admission
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    ok(admissions::own(input.ctx, &caller).await?)
}

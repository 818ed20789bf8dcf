//! Requests for admission: an account asks the operator for permission to deploy ledgers.
//!
//! The account signs the request like any other, so nobody can ask for a stranger's account, or replace its request. Name and contact are
//! only claims. The operator has to ask the organisation in a way that the request did not give. A domain that confirms the account is shown
//! beside them, because only the domain's owner can set it up.
//!
//! An account has one request. All unfunded accounts share [`storage::ADMISSIONS`], of which each client network gets a part. Waiting and
//! declined requests are deleted after 90 days (`db/retention.rs`).

use const_format::concatcp;
use order_core::{Address, Code, Field};
use serde::Deserialize;
use serde_json::Value;

use crate::api::{Admission, AdmissionRequest, AdmissionStatus, Ref, Timestamp};
use crate::context::Context;
use crate::db::{Decision, List, Page, Period, storage};
use crate::failure::{Failure, Problem};
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::{NAME_MAX, account_key, shown_name, shown_text};

/// Maximum number of characters of a contact.
const CONTACT_MAX: usize = 254;
/// Maximum number of characters of the text.
const TEXT_MAX: usize = 1_000;

/// The numbers of the statuses in the database.
const WAITING: u8 = 0;
const APPROVED: u8 = 1;
const DECLINED: u8 = 2;

/// The validated content of a request.
pub(crate) struct Draft {
    organisation: String,
    contact: String,
    text: Option<String>,
}

impl Draft {
    /// Parses the body of POST /admission. Fails with the errors of all fields.
    pub(crate) fn parse(body: &Value) -> Result<Self, Failure> {
        let mut errors: Vec<Problem> = Vec::new();
        let body = Field::body(body);
        let mut line = |name, max, expected: &str| {
            let field = body.get(name);
            let text = field.text().and_then(|text| shown_name(text, max));
            if text.is_none() {
                errors.push(field.wrong(Code::FieldNotValid, expected));
            }
            text.unwrap_or_default().to_owned()
        };
        let organisation = line("organisation", NAME_MAX, "a name of 1 to 100 characters");
        let contact = line("contact", CONTACT_MAX, "one line of 1 to 254 characters");
        let field = body.get("text");
        let text = field.text().and_then(|text| shown_text(text, TEXT_MAX));
        if text.is_none() && !field.is_empty() {
            let expected = "plain text of at most 1,000 characters";
            errors.push(field.wrong(Code::FieldNotValid, expected));
        }
        if !errors.is_empty() {
            return Err(Failure::new(errors));
        }
        Ok(Self {
            organisation,
            contact,
            text: text.map(str::to_owned),
        })
    }
}

/// A row of an account.
#[derive(Deserialize)]
struct Row {
    #[serde(rename = "ref")]
    reference: String,
    account_id: Address,
    status: AdmissionStatus,
    organisation: Option<String>,
    contact: Option<String>,
    text: Option<String>,
    domain: Option<String>,
    created_at: u64,
    decided_at: Option<u64>,
    decided_by: Option<Address>,
}

/// The columns of [`Row`]. The domain is one that confirms the account at present.
const COLUMNS: &str = "ref, account_id, status, organisation, contact, text, (SELECT i.domain FROM issuer_checks i \
     WHERE i.account_id = admissions.account_id AND i.named = 1 AND i.state = 1 ORDER BY i.domain LIMIT 1) AS domain, \
     created_at, decided_at, decided_by";

impl Row {
    fn own(self) -> Admission {
        Admission {
            status: self.status,
            organisation: self.organisation,
            contact: self.contact,
            text: self.text,
            created_at: Some(Timestamp(self.created_at)),
            decided_at: self.decided_at.map(Timestamp),
        }
    }

    fn view(self) -> AdmissionRequest {
        AdmissionRequest {
            reference: Ref(self.reference),
            account_id: self.account_id,
            status: self.status,
            organisation: self.organisation,
            contact: self.contact,
            text: self.text,
            domain: self.domain,
            created_at: Timestamp(self.created_at),
            decided_at: self.decided_at.map(Timestamp),
            decided_by: self.decided_by,
        }
    }
}

/// Returns a request without content.
fn bare(status: AdmissionStatus) -> Admission {
    Admission {
        status,
        organisation: None,
        contact: None,
        text: None,
        created_at: None,
        decided_at: None,
    }
}

async fn of_account(db: &dyn Database, account: &Address) -> Result<Option<Row>, DatabaseError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM admissions WHERE account_id = ?1"
    ));
    db.query(select.bind(account_key(account))).await?.first()
}

/// Returns true if the setting `DEPLOYERS` or an administrator lets the account deploy ledgers.
pub(crate) async fn may_deploy(
    ctx: &Context<'_>,
    account: &Address,
) -> Result<bool, DatabaseError> {
    if ctx.config().deployers.include(account) {
        return Ok(true);
    }
    let select = Statement::new(
        "SELECT 1 AS is_approved FROM admissions WHERE account_id = ?1 AND status = 1",
    );
    let rows = ctx.db().query(select.bind(account_key(account))).await?;
    Ok(!rows.is_empty())
}

/// Returns the account's request.
pub(crate) async fn own(ctx: &Context<'_>, account: &Address) -> Result<Admission, DatabaseError> {
    let row = of_account(ctx.db(), account).await?;
    if ctx.config().deployers.include(account) {
        return Ok(bare(AdmissionStatus::Approved));
    }
    Ok(row.map_or_else(|| bare(AdmissionStatus::None), Row::own))
}

/// Stores a request, or replaces the account's earlier one. Stores nothing if the account may deploy already.
pub(crate) async fn ask(
    ctx: &Context<'_>,
    account: &Address,
    draft: Draft,
) -> Result<Decision<Admission>, Failure> {
    if may_deploy(ctx, account).await? {
        return Ok(Decision::read(own(ctx, account).await?));
    }
    let write = Statement::new(
        "INSERT INTO admissions (account_id, ref, status, organisation, contact, text, created_at) \
         VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6) ON CONFLICT (account_id) DO UPDATE SET ref = excluded.ref, status = 0, \
         organisation = excluded.organisation, contact = excluded.contact, text = excluded.text, \
         created_at = excluded.created_at, decided_at = NULL, decided_by = NULL WHERE status <> 1",
    )
    .bind(account_key(account))
    .bind(ctx.new_reference())
    .bind(draft.organisation.as_str())
    .bind(draft.contact.as_str())
    .bind(draft.text.as_deref())
    .bind(ctx.now());
    let asked = Admission {
        organisation: Some(draft.organisation),
        contact: Some(draft.contact),
        text: draft.text,
        created_at: Some(Timestamp(ctx.now())),
        ..bare(AdmissionStatus::Waiting)
    };
    Ok(Decision::new("admission", vec![write], asked).paid_by(storage::ADMISSIONS))
}

/// Returns a page of the requests with a status, or of all requests.
pub(crate) async fn requests(
    db: &dyn Database,
    status: Option<AdmissionStatus>,
    page: &Page,
) -> Result<(Vec<AdmissionRequest>, u32), DatabaseError> {
    let mut list = List::new(COLUMNS, "admissions", &["ref"]).within(Period::default().span());
    if let Some(status) = status {
        list = list.only("status = ?", number(status));
    }
    let (rows, total): (Vec<Row>, u32) = list.fetch(db, page).await?;
    Ok((rows.into_iter().map(Row::view).collect(), total))
}

/// Returns the number of a status. No row has the number of `none`.
fn number(status: AdmissionStatus) -> u8 {
    match status {
        AdmissionStatus::Waiting => WAITING,
        AdmissionStatus::Approved => APPROVED,
        AdmissionStatus::Declined => DECLINED,
        AdmissionStatus::None => u8::MAX,
    }
}

/// Returns the decision to approve a request, or to decline it. Declining an approved request takes the approval back: the account keeps its
/// ledgers, and may deploy no further ones. `None` if there is no such request.
pub(crate) async fn decide(
    ctx: &Context<'_>,
    reference: &str,
    is_approved: bool,
    administrator: &Address,
) -> Result<Option<Decision<AdmissionRequest>>, DatabaseError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM admissions WHERE ref = ?1"
    ));
    let Some(mut row) = ctx
        .db()
        .query(select.bind(reference))
        .await?
        .first::<Row>()?
    else {
        return Ok(None);
    };
    let status = match is_approved {
        true => AdmissionStatus::Approved,
        false => AdmissionStatus::Declined,
    };
    // The account may replace its request meanwhile. The administrator has not read the new one.
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM admissions WHERE ref = ?1)",
    )
    .bind(reference);
    let write = Statement::new(
        "UPDATE admissions SET status = ?2, decided_at = ?3, decided_by = ?4 WHERE ref = ?1",
    )
    .bind(reference)
    .bind(number(status))
    .bind(ctx.now())
    .bind(account_key(administrator));
    (row.status, row.decided_at) = (status, Some(ctx.now()));
    row.decided_by = Some(*administrator);
    Ok(Some(Decision::new("admin", vec![guard, write], row.view())))
}

/// Returns the statements that erase what an account wrote. The approval stays, because it is no personal data and other accounts rely on it.
pub(crate) fn erase(account: &Address) -> [Statement; 2] {
    [
        "DELETE FROM admissions WHERE account_id = ?1 AND status <> 1",
        "UPDATE admissions SET organisation = NULL, contact = NULL, text = NULL WHERE account_id = ?1",
    ]
    .map(|sql| Statement::new(sql).bind(account_key(account)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_wrong_field_is_reported() {
        let codes = |body| {
            Draft::parse(&body)
                .err()
                .map(|failure| failure.listed().len())
        };
        assert_eq!(
            codes(json!({ "organisation": "A", "contact": "a@b.example" })),
            None
        );
        let text = "first line\nsecond line";
        let body = json!({ "organisation": "A", "contact": "a", "text": text });
        assert_eq!(
            Draft::parse(&body)
                .ok()
                .and_then(|draft| draft.text)
                .as_deref(),
            Some(text)
        );
        assert_eq!(codes(json!({})), Some(2));
        let long = "é".repeat(TEXT_MAX + 1);
        assert_eq!(
            codes(json!({ "organisation": "a\nb", "contact": "\u{202e}", "text": long })),
            Some(3)
        );
        assert_eq!(
            codes(json!({ "organisation": "A", "contact": "a", "text": "\u{1b}[2J" })),
            Some(1)
        );
    }
}

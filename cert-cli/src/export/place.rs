//! The place of a badge in a status list of the service, by which other software sees that its certificate was withdrawn.

use cert_badge::Place;
use serde_json::{Value, json};

use crate::arguments::Export;
use crate::batch::account_key;
use crate::batch::service::Service;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::keys;

/// The service's code if it has no status lists.
const LISTS_OFF: u64 = 404_005;

/// A certificate that needs a place.
pub(super) struct Wanted<'a> {
    /// The origin of the service that the certificate names.
    pub(super) service: &'a str,
    /// The ledger's address.
    pub(super) ledger: &'a str,
    pub(super) asset: &'a str,
    /// The imprint with its profile.
    pub(super) imprint: &'a str,
}

/// Gets the place of a certificate from the service. A certificate that is exported again gets the same place. `None` if the options ask for none.
pub(super) fn draw(
    inputs: &mut Inputs,
    options: &Export,
    wanted: &Wanted<'_>,
) -> Result<Option<Place>, Failure> {
    let Some(address) = options.service.as_deref().filter(|_| !options.no_status) else {
        return Ok(None);
    };
    // The account's authorization works like a password, so it goes only to the service that the user names, and never to one that a file names.
    let origin = http::origin("--service", address)?;
    if origin != wanted.service {
        return Err(Failure::new(
            "service-mismatch",
            format!(
                "the certificate is at {}, but --service names {origin}",
                wanted.service
            ),
        ));
    }
    let key = account_key(inputs, options.account_key.as_deref())?;
    let service = Service::new(&origin, &options.service_name, &key)?;
    service.account(key.address())?;
    let entry = json!({ "assetId": wanted.asset, "imprint": wanted.imprint });
    let body = json!({ "entries": [entry] });
    let path = format!("/ledgers/{}/status-entries", wanted.ledger);
    let answer = service.post(&path, &keys::draw()?, &body)?;
    if answer.has_code(LISTS_OFF) {
        return Err(Failure::new(
            "status-unavailable",
            format!(
                "{origin} has no status lists, so a badge cannot say later that its certificate was withdrawn: add --no-status if that is acceptable"
            ),
        ));
    }
    if !answer.is_success() {
        return Err(Failure::new(
            "service-refused",
            format!("{origin}{path}: {}", answer.reasons()),
        ));
    }
    let number = |name: &str| {
        let number = answer
            .data(&format!("/entries/0/{name}"))
            .and_then(Value::as_u64);
        number.and_then(|number| u32::try_from(number).ok())
    };
    match (number("list"), number("index")) {
        (Some(list), Some(index)) => Ok(Some(Place { list, index })),
        _ => Err(Failure::new(
            "service-refused",
            format!("{origin}{path}: the response lacks the place"),
        )),
    }
}

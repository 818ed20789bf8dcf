//! The place of a badge in a status list of the service, by which other software sees that its certificate was withdrawn.

use cert_badge::Place;
use serde_json::{Value, json};

use crate::arguments::Export;
use crate::batch::key::account_key;
use crate::batch::service::Service;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::keys;

/// The service's code if it has no status lists.
const LISTS_OFF: u64 = 404_005;

/// The maximum number of places that a request asks for.
const ENTRIES_MAX: usize = 1_000;

/// A certificate that needs a place.
pub(crate) struct Wanted {
    pub(crate) asset: String,
    /// The imprint, with or without its profile.
    pub(crate) imprint: String,
}

/// Signs in at the service that the options name. `None` if the badge needs no service.
pub(super) fn sign_in(
    inputs: &mut Inputs,
    options: &Export,
    at: &super::certificate::Place,
) -> Result<Option<Service>, Failure> {
    let is_needed = !options.no_status || options.publish || options.offer.is_some();
    let Some(address) = options.service.as_deref().filter(|_| is_needed) else {
        return Ok(None);
    };
    // The account's authorization works like a password, so it goes only to the service that the user names, and never to one that a file names.
    let origin = http::origin("--service", address)?;
    if origin != at.service {
        return Err(Failure::new(
            "service-mismatch",
            format!(
                "the certificate is at {}, but --service names {origin}",
                at.service
            ),
        ));
    }
    let key = account_key(inputs, options.account_key.as_deref())?;
    let service = Service::new(&origin, &options.service_name, &key)?;
    service.account(key.address())?;
    Ok(Some(service))
}

/// Gets the places of certificates in the status lists of the service, in the order of the certificates. A certificate always gets the same place.
pub(crate) fn draw(
    service: &Service,
    ledger: &str,
    certificates: &[Wanted],
) -> Result<Vec<Place>, Failure> {
    let mut places = Vec::with_capacity(certificates.len());
    for part in certificates.chunks(ENTRIES_MAX) {
        places.extend(draw_part(service, ledger, part)?);
    }
    Ok(places)
}

fn draw_part(service: &Service, ledger: &str, part: &[Wanted]) -> Result<Vec<Place>, Failure> {
    let entry = |wanted: &Wanted| json!({ "assetId": wanted.asset, "imprint": wanted.imprint });
    let body = json!({ "entries": part.iter().map(entry).collect::<Vec<_>>() });
    let path = format!("/ledgers/{ledger}/status-entries");
    let answer = service.post(&path, &keys::draw()?, &body)?;
    if answer.has_code(LISTS_OFF) {
        return Err(off(service));
    }
    let failed = |why: String| {
        Failure::new(
            "service-refused",
            format!("{}{path}: {why}", service.base()),
        )
    };
    if !answer.is_success() {
        return Err(failed(answer.reasons()));
    }
    let entries = answer.data("/entries").and_then(Value::as_array);
    let places: Option<Vec<Place>> = entries.and_then(|all| all.iter().map(place_of).collect());
    places
        .filter(|places| places.len() == part.len())
        .ok_or_else(|| failed("the response lacks the places".to_owned()))
}

fn place_of(entry: &Value) -> Option<Place> {
    let number = |name: &str| u32::try_from(entry.get(name)?.as_u64()?).ok();
    Some(Place {
        list: number("list")?,
        index: number("index")?,
    })
}

/// Returns the failure for a service without status lists.
pub(crate) fn off(service: &Service) -> Failure {
    Failure::new(
        "status-unavailable",
        format!(
            "{} has no status lists, so a badge cannot say later that its certificate was withdrawn: add --no-status if that is acceptable",
            service.base()
        ),
    )
}

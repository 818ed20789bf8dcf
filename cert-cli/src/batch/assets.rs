//! The ids of a batch's assets: random numbers, or the codes of products (docs/spec/product.md). Also the assets as the ledger has them.

use std::collections::BTreeMap;

use cert_core::Path;
use cert_core::verdict::moment;
use order_core::{Address, AssetId, ProductItem};
use serde_json::Value;

use super::market::text_at;
use super::orders::{self, Book};
use super::report::RowError;
use super::rows::{Row, Rows, everywhere};
use super::schema::{Schema, known_fields};
use super::service::Service;
use super::state::Line;
use crate::failure::Failure;
use crate::path::shown;

/// The number of assets of a request: the maximum of the service.
const PAGE: usize = 100;

/// An asset as the ledger has it.
pub(crate) struct OnLedger {
    pub(crate) imprint: String,
    /// The time at which the asset was created, in milliseconds since 1970.
    pub(crate) created: u64,
}

/// Asks the service for assets, in requests on all cores. Withdrawn assets are missing.
pub(crate) fn on_ledger(
    service: &Service,
    ledger: Address,
    ids: &[AssetId],
) -> Result<BTreeMap<AssetId, OnLedger>, Failure> {
    let parts: Vec<&[AssetId]> = ids.chunks(PAGE).collect();
    let pages = everywhere(&parts, |part| page(service, ledger, part));
    let pages: Vec<Vec<_>> = pages.into_iter().collect::<Result<_, _>>()?;
    Ok(pages.into_iter().flatten().collect())
}

/// Asks the service for at most [`PAGE`] assets.
fn page(
    service: &Service,
    ledger: Address,
    ids: &[AssetId],
) -> Result<Vec<(AssetId, OnLedger)>, Failure> {
    let wanted: Vec<String> = ids.iter().map(AssetId::to_string).collect();
    let path = format!("/ledgers/{ledger}/assets");
    let query = format!("?limit={PAGE}&filterIds={}", wanted.join(","));
    let answer = service.get(&format!("{path}{query}"))?;
    let failed = |why: String| {
        Failure::new(
            "service-refused",
            format!("{}{path}: {why}", service.base()),
        )
    };
    if !answer.is_success() {
        return Err(failed(answer.reasons()));
    }
    let assets = answer.data("").and_then(Value::as_array);
    let assets = assets.and_then(|assets| assets.iter().map(asset_of).collect());
    assets.ok_or_else(|| failed("the response has another form".to_owned()))
}

fn asset_of(asset: &Value) -> Option<(AssetId, OnLedger)> {
    let text = |name: &str| asset.get(name)?.as_str();
    let created = moment(text("createdAt")?)?.start;
    Some((
        text("id")?.parse().ok()?,
        OnLedger {
            imprint: text("imprint")?.to_owned(),
            created: u64::try_from(created).ok()?,
        },
    ))
}

/// The fields of a document from which the id of its asset is computed.
pub(crate) struct Codes {
    gtin: Path,
    serial: Path,
}

impl Codes {
    /// Parses `gs1:gtin,serial`.
    pub(crate) fn parse(text: &str, schema: &Schema) -> Result<Self, Failure> {
        let wrong = || {
            Failure::new(
                "option-invalid",
                format!("--asset-id {text}: expected gs1: and two fields, such as gs1:gtin,serial"),
            )
        };
        let fields = text.strip_prefix("gs1:").ok_or_else(wrong)?;
        let field = |text: &str| -> Result<Path, Failure> {
            let found = known_fields(schema, "--asset-id", &[text.to_owned()])?;
            <[Path; 1]>::try_from(found).map_or_else(|_| Err(wrong()), |[path]| Ok(path))
        };
        let (gtin, serial) = fields.split_once(',').ok_or_else(wrong)?;
        Ok(Self {
            gtin: field(gtin.trim())?,
            serial: field(serial.trim())?,
        })
    }

    /// Computes the ids of all rows, in their order.
    ///
    /// # Errors
    /// The rows without a valid code, and the rows whose code is the one of an earlier row.
    pub(crate) fn assets(&self, rows: &Rows) -> Result<Vec<AssetId>, Vec<RowError>> {
        let (mut assets, mut errors) = (Vec::new(), Vec::new());
        let mut rows_of = BTreeMap::new();
        for row in &rows.rows {
            match self.item(row) {
                Ok(item) => {
                    let asset = item.asset();
                    if let Some(other) = rows_of.insert(asset, row.row) {
                        let why = format!("row {other} has the same GTIN and serial number");
                        errors.push(rows.error(row.row, &self.serial, &why));
                    }
                    assets.push(asset);
                }
                Err((path, why)) => errors.push(rows.error(row.row, path, &why)),
            }
        }
        if errors.is_empty() {
            Ok(assets)
        } else {
            Err(errors)
        }
    }

    fn item(&self, row: &Row) -> Result<ProductItem, (&Path, String)> {
        let text = |path| {
            let missing = || {
                (
                    path,
                    format!("`{}` is needed for the asset's id", shown(path)),
                )
            };
            text_at(&row.document, path).ok_or_else(missing)
        };
        let (gtin, serial) = (text(&self.gtin)?, text(&self.serial)?);
        ProductItem::with_short_gtin(&gtin, &serial).map_err(|error| {
            let path = if error.is_gtin() {
                &self.gtin
            } else {
                &self.serial
            };
            (path, error.to_string())
        })
    }
}

/// Writes an asset id for each row that has none to the state file, before the first one is used. `chosen` has the ids of all rows. Without it, the ids are random.
/// Returns the rows that cannot get their id, because the ledger already has the asset.
pub(crate) fn draw(
    rows: &Rows,
    book: &mut Book,
    chosen: Option<&[AssetId]>,
    (service, ledger): (&Service, Address),
) -> Result<Vec<RowError>, Failure> {
    let mut lines = Vec::new();
    let mut new = Vec::new();
    for (index, row) in rows.rows.iter().enumerate() {
        let own = chosen.and_then(|assets| assets.get(index));
        match (book.state.assets.get(&row.key), own) {
            (Some(known), Some(own)) if known != own => {
                return Err(Failure::new(
                    "row-changed",
                    format!(
                        "row {}: the GTIN or the serial number has changed since the row got its asset. Restore the old content, or choose another folder with --out",
                        row.row
                    ),
                ));
            }
            (Some(_), _) => {}
            (None, own) => {
                let asset = match own {
                    Some(own) => {
                        new.push((row, *own));
                        *own
                    }
                    None => AssetId::from(u128::from_be_bytes(orders::random()?)),
                };
                let key = row.key.clone();
                lines.push(Line::Row { key, asset });
            }
        }
    }
    let ids: Vec<AssetId> = new.iter().map(|(_, asset)| *asset).collect();
    let known = on_ledger(service, ledger, &ids)?;
    let taken = new.iter().filter(|(_, asset)| known.contains_key(asset));
    let errors: Vec<RowError> = taken
        .map(|(row, asset)| {
            let why = format!("the ledger already has the certificate of this item, {asset}");
            RowError::new(row.row, None, why)
        })
        .collect();
    if errors.is_empty() && !lines.is_empty() {
        book.append(&lines)?;
    }
    Ok(errors)
}

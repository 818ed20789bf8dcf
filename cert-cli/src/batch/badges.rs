//! Writes an Open Badge beside the private file of each issued certificate (docs/badges.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path as FilePath;

use cert_badge::Issuer;
use cert_core::Path;
use order_core::{Address, AssetId};

use super::assets;
use super::columns::{COLUMN_BADGE, COLUMN_FILE};
use super::files;
use super::progress::Progress;
use super::report::RowError;
use super::rows::{Certified, Row, Rows, Written, everywhere};
use super::schema::{Schema, known_fields};
use super::service::Service;
use crate::arguments::Batch;
use crate::export::place::{self, Wanted};
use crate::export::shared::{now, refused};
use crate::export::{BadgeKey, Beside, Certificate, Place, Signer, outside};
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;

/// An id that no asset has, because it is neither random nor a product's. A ledger has one issuer, and about an issued asset the service would read the public
/// files. They may not be published yet, and the service keeps their absence for a while.
const UNUSED: &str = "0";

/// The key of the badges, and their content.
pub(crate) struct Recipe {
    key: BadgeKey,
    /// The fields that the badges show besides the public ones.
    show: Vec<Path>,
    with_email: bool,
    with_status: bool,
}

/// A batch whose certificates are issued.
pub(crate) struct Issued<'a> {
    pub(crate) service: &'a Service,
    pub(crate) ledger: Address,
    pub(crate) schema: &'a Schema,
    pub(crate) public: &'a [Path],
    pub(crate) rows: &'a Rows,
    pub(crate) certified: &'a [Certified],
    /// The keys of the issued rows.
    pub(crate) issued: &'a BTreeSet<&'a str>,
    pub(crate) assets: &'a BTreeMap<String, AssetId>,
    /// The folder of the private files.
    pub(crate) folder: &'a FilePath,
}

/// A certificate in force, of which a badge is made.
struct Ready<'a> {
    row: &'a Row,
    certified: &'a Certified,
    asset: AssetId,
    created: u64,
    place: Option<cert_badge::Place>,
}

impl Recipe {
    /// Reads the options of badges. `None` if no badges are wanted.
    pub(crate) fn read(
        inputs: &mut Inputs,
        options: &Batch,
        schema: &Schema,
    ) -> Result<Option<Self>, Failure> {
        let Some(file) = &options.badge_key else {
            return Ok(None);
        };
        Ok(Some(Self {
            key: BadgeKey::read(inputs, file)?,
            show: known_fields(schema, "--badge-show", &options.badge_show)?,
            with_email: options.badge_email,
            with_status: !options.no_status,
        }))
    }

    /// Finds the rows of which no badge can be made, before anything is issued. The addresses of the badges are examples.
    pub(crate) fn check(&self, rows: &Rows, schema: &Schema, public: &[Path]) -> Vec<RowError> {
        let shown: Vec<Path> = public.iter().chain(&self.show).cloned().collect();
        let check = |row: &Row| -> Option<RowError> {
            let document = match row.example(schema) {
                Ok(document) => schema.cert.expose(&document, &shown),
                Err(why) => return Some(RowError::new(row.row, None, why.to_string())),
            };
            let facts = cert_badge::Facts {
                service: "https://example.com",
                ledger: super::rows::EXAMPLE_LEDGER,
                asset: super::rows::EXAMPLE_ASSET,
                imprint: "aih2:",
                schema: &schema.value,
                document: &document,
                issuer: Issuer {
                    domain: "example.com",
                    name: None,
                },
                created: now(),
                shown: cert_badge::Shown::Public,
                status: None,
                with_email: self.with_email,
            };
            let refusal = cert_badge::make(&facts).err()?;
            let why = format!("no badge can be made: {}", refused(refusal));
            Some(RowError::new(row.row, Some(COLUMN_BADGE), why))
        };
        everywhere(&rows.rows, check)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Fails before anything is issued if a domain does not confirm the issuer or does not list the key, or if the service has no status lists. `ledger` is
    /// an existing ledger.
    pub(crate) fn check_issuer(
        &self,
        service: &Service,
        ledger: Option<&str>,
    ) -> Result<(), Failure> {
        if self.with_status {
            let operator = service.get("/operator")?;
            if operator.text("/statusLists") != Some("on") {
                return Err(place::off(service));
            }
        }
        let path = match ledger {
            Some(ledger) => format!("/ledgers/{ledger}/domain"),
            None => "/account/domain".to_owned(),
        };
        let answer = service.get(&path)?;
        let domain = answer
            .text("/domain")
            .filter(|_| answer.text("/state") == Some("confirmed"));
        let domain = domain.ok_or_else(outside::not_confirmed)?;
        self.key.listed_by(&http::agent(), domain).map(drop)
    }

    /// Writes the badges of issued rows on all cores. A row without a badge does not stop the others, because its certificate is issued already.
    pub(crate) fn write(
        &self,
        batch: &Issued<'_>,
        progress: &Progress,
    ) -> Result<Written, Failure> {
        let ids: Vec<AssetId> = batch.certificates().map(|(_, _, asset)| asset).collect();
        let on_ledger = assets::on_ledger(batch.service, batch.ledger, &ids)?;
        let mut written = Written {
            names: vec![None; batch.rows.rows.len()],
            errors: Vec::new(),
        };
        let mut in_force = Vec::new();
        for (row, certified, asset) in batch.certificates() {
            let known = on_ledger.get(&asset);
            match known.filter(|known| known.imprint == certified.imprint.to_string()) {
                Some(known) => in_force.push(Ready {
                    row,
                    certified,
                    asset,
                    created: known.created,
                    place: None,
                }),
                None => written.errors.push(RowError::new(
                    row.row,
                    Some(COLUMN_BADGE),
                    "the certificate was withdrawn or replaced",
                )),
            }
        }
        if in_force.is_empty() {
            return Ok(written);
        }
        let agent = http::agent();
        let at = Place {
            service: batch.service.base().to_owned(),
            ledger: batch.ledger.to_string().to_ascii_lowercase(),
            asset: UNUSED.to_owned(),
        };
        let record = outside::record(&agent, &at)?;
        let issuer = record.issuer()?;
        let signer = self.key.listed_by(&agent, issuer.domain)?;
        self.draw_places(batch, &mut in_force)?;

        let one = |certificate: &Ready<'_>| {
            let made = self.write_one(batch, certificate, issuer, &signer);
            progress.add(1);
            made.map_err(|failure| {
                RowError::new(certificate.row.row, Some(COLUMN_BADGE), failure.to_string())
            })
        };
        let mut names = BTreeMap::new();
        for (certificate, made) in in_force.iter().zip(everywhere(&in_force, one)) {
            match made {
                Ok(name) => drop(names.insert(certificate.row.key.as_str(), name)),
                Err(error) => written.errors.push(error),
            }
        }
        for (row, name) in batch.rows.rows.iter().zip(&mut written.names) {
            *name = names.remove(row.key.as_str());
        }
        written.errors.sort();
        Ok(written)
    }

    /// Gets the places of certificates in the status lists of the service.
    fn draw_places(
        &self,
        batch: &Issued<'_>,
        certificates: &mut [Ready<'_>],
    ) -> Result<(), Failure> {
        if !self.with_status {
            return Ok(());
        }
        let wanted: Vec<Wanted> = certificates
            .iter()
            .map(|certificate| Wanted {
                asset: certificate.asset.to_string(),
                imprint: certificate.certified.imprint.to_string(),
            })
            .collect();
        let places = place::draw(batch.service, &batch.ledger.to_string(), &wanted)?;
        for (certificate, place) in certificates.iter_mut().zip(places) {
            certificate.place = Some(place);
        }
        Ok(())
    }

    /// Writes the badge of a certificate, and returns its name. Keeps a badge of an earlier run that says the same, so that its bytes stay.
    fn write_one(
        &self,
        batch: &Issued<'_>,
        certificate: &Ready<'_>,
        issuer: Issuer<'_>,
        signer: &Signer<'_>,
    ) -> Result<String, Failure> {
        let Ready {
            certified,
            created,
            place,
            ..
        } = certificate;
        let path = batch.folder.join(&certified.file);
        let text = fs::read_to_string(&path).map_err(|error| {
            let why = format!(
                "{COLUMN_FILE} {} could not be read: {error}",
                path.display()
            );
            Failure::new("input-unreadable", why)
        })?;
        let file = Certificate::read(&text, &certified.file)?;
        let public = batch.schema.cert.expose(file.document(), batch.public);
        let badge = file.show(public.as_object(), &self.show)?.badge(Beside {
            issuer,
            created: *created,
            place: *place,
            with_email: self.with_email,
        })?;
        let name = certified.beside("badge.json");
        let target = batch.folder.join(&name);
        let known = fs::read_to_string(&target).ok();
        let known = known.and_then(|known| cert_badge::read(&known).ok());
        if !known.is_some_and(|known| signer.has_signed(&known) && known.unsigned() == badge) {
            let signed = signer.sign(badge, now())?.to_json();
            files::replace(&target, signed.as_bytes(), true)?;
        }
        Ok(name)
    }
}

impl Issued<'_> {
    /// Returns the issued rows with their certificates and assets.
    fn certificates(&self) -> impl Iterator<Item = (&Row, &Certified, AssetId)> {
        let rows = self.rows.rows.iter().zip(self.certified);
        rows.filter(|(row, _)| self.issued.contains(row.key.as_str()))
            .filter_map(|(row, certified)| Some((row, certified, *self.assets.get(&row.key)?)))
    }
}

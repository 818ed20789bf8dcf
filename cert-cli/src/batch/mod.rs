//! `cert batch`: issues a certificate for each row of a table. docs/batch.md describes its use and its files.

mod assets;
mod badges;
pub(crate) mod columns;
pub(crate) mod files;
pub(crate) mod key;
pub(crate) mod link;
mod mapping;
mod market;
mod ndjson;
mod orders;
mod pdfs;
pub(crate) mod progress;
pub(crate) mod report;
mod rows;
mod schema;
pub(crate) mod service;
mod state;

use std::sync::Mutex;
use std::time::Duration;

use cert_core::aih2::{self, MIN_SECRET_BYTES};
use order_core::{Address, Amount, AssetId, PrivateKey};
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use self::assets::Codes;
use self::columns::{COLUMN_BADGE, COLUMN_PDF};
use self::files::Site;
use self::key::account_key;
use self::market::Market;
use self::orders::{Book, Certificate, Issuer, lock};
pub(crate) use self::orders::{random, random_id};
use self::progress::{Progress, grouped};
use self::rows::{Certified, Certifier, Rows, Written};
use self::schema::{Schema, public_paths};
use self::service::{Account, Service};
use self::state::{Line, no_asset};
use crate::arguments::Batch;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::journal::Journal;
use crate::output;
use crate::output::{ONLY_WHOLE, print_note};
use crate::pdf::Press;

const NOTHING_ISSUED: &str = "Nothing was issued";
/// Checks the rows, then previews or issues the certificates. If rows are broken, prints their errors on standard output and returns false.
/// Without `--preview` and `--yes`, prints the plan and fails with `not-confirmed`.
pub(crate) fn run(inputs: &mut Inputs, options: &Batch) -> Result<bool, Failure> {
    let mut schema = Schema::read(inputs, &options.schema)?;
    output::warn_of_whole(
        &options.schema,
        &aih2::shown_whole(&schema.value),
        ONLY_WHOLE,
    );
    let public = public_paths(&schema, &options.public, options.nft)?;
    if options.nft {
        let service = http::origin("--service", &options.service)?;
        schema.market = Some(Market::new(&schema.json, &public, service)?);
    }
    let badges = badges::Recipe::read(inputs, options, &schema)?;
    let codes = options.asset_id.as_deref();
    let codes = codes.map(|text| Codes::parse(text, &schema)).transpose()?;
    let rows = match Rows::read(inputs, options, &schema)? {
        Ok(rows) => rows,
        Err(errors) => return report::broken(&errors, NOTHING_ISSUED),
    };
    rows.print_mapping();
    let mut errors = rows.check(&schema, &public);
    if let Some(badges) = badges.as_ref().filter(|_| errors.is_empty()) {
        errors = badges.check(&rows, &schema, &public);
    }
    let chosen = match &codes {
        Some(codes) if errors.is_empty() => match codes.assets(&rows) {
            Ok(assets) => Some(assets),
            Err(wrong) => {
                errors = wrong;
                None
            }
        },
        _ => None,
    };
    if !errors.is_empty() {
        return report::broken(&errors, NOTHING_ISSUED);
    }
    print_note(&format!("{} rows fit the schema", grouped(rows.rows.len())));
    let doubts = rows.doubts(&schema.json);
    report::print(&doubts);
    if options.preview {
        let site = Site::new(&options.site, options.out.join("site"), None)?;
        output::line(&rows.preview(&schema, &public, &site)?)?;
        print_note(
            "This is the first certificate, with placeholders for its ledger and asset. Nothing was issued.",
        );
        return Ok(true);
    }
    if options.yes {
        report::confirm(&doubts, &options.accept)?;
    }

    // Pictures are read before anything is issued.
    let press = match options.pdf {
        true => Some(Press::new(inputs, &options.design, None)?),
        false => None,
    };
    let key = account_key(inputs, options.account_key.as_deref())?;
    let service = Service::new(&options.service, &options.service_name, &key)?;
    let account = service.account(key.address())?;
    limit_cost(options, &account)?;
    if !options.yes {
        if let Some(badges) = &badges {
            badges.check_issuer(&service, options.ledger.as_deref())?;
        }
        print_plan(options, &rows, &account, &key);
        return Err(Failure::new(
            "not-confirmed",
            "nothing was issued: read the lines above, then run the same command with --yes",
        ));
    }
    issue(
        inputs,
        options,
        &schema,
        &public,
        (&rows, chosen.as_deref()),
        (press, badges),
        &Signer {
            key,
            service,
            account,
        },
    )
}

/// The issuer's key, a client of the service that is authorized with the key, and the account's data.
struct Signer {
    key: PrivateKey,
    service: Service,
    account: Account,
}

fn issue(
    inputs: &mut Inputs,
    options: &Batch,
    schema: &Schema,
    public: &[cert_core::Path],
    (rows, chosen): (&Rows, Option<&[AssetId]>),
    (press, badges): (Option<Press>, Option<badges::Recipe>),
    signer: &Signer,
) -> Result<bool, Failure> {
    let Signer {
        key,
        service,
        account,
    } = signer;
    files::create_folder(&options.out, true)?;
    let (journal, state) = Journal::open(&options.out.join("state.ndjson"))?;
    let mut book = Book { journal, state };
    let public_texts = public.iter().map(|path| path.to_value().to_json());
    let mut settings = Map::from_iter([
        ("schemaId".to_owned(), json!(schema.id())),
        ("site".to_owned(), json!(options.site.trim_end_matches('/'))),
        ("public".to_owned(), json!(public_texts.collect::<Vec<_>>())),
    ]);
    if let Some(codes) = &options.asset_id {
        settings.insert("assetId".to_owned(), json!(codes));
    }
    begin(&mut book, service, key.address(), &Value::Object(settings))?;
    if let Some(badges) = &badges {
        let known = book.state.ledger.map(|ledger| ledger.to_string());
        badges.check_issuer(service, known.as_deref().or(options.ledger.as_deref()))?;
    }
    let secret = secret(inputs, options)?;
    let issued = book.state.issued();
    let is_missing = |row: &&rows::Row| !issued.contains(row.key.as_str());
    let missing = rows.rows.iter().filter(is_missing).count();
    drop(issued);
    fund(options, signer, &mut book, missing)?;

    let receiver = match &options.receiver {
        Some(text) => text
            .parse()
            .map_err(|error| Failure::new("option-invalid", format!("--receiver {error}")))?,
        None => key.address(),
    };
    let issuer = Issuer {
        service,
        account,
        key,
        receiver,
        is_random: chosen.is_none(),
    };
    let (ledger, site) = ledger(options, schema, &issuer, &mut book)?;
    site.put(&site.schema(), &schema.text)?;

    let taken = assets::draw(rows, &mut book, chosen, (service, ledger))?;
    if !taken.is_empty() {
        return report::broken(&taken, NOTHING_ISSUED);
    }
    let certifier = Certifier {
        schema,
        public,
        site: &site,
        service: service.base(),
        ledger,
        secret: &secret,
        private: &options.out.join("private"),
    };
    let progress = Progress::new("certified", rows.rows.len());
    let certified = certifier.certify_all(rows, &book.state.assets, &progress)?;
    let certifying = progress.end();
    unchanged(rows, &certified, &book)?;

    let issued = book.state.issued();
    let open: Vec<&str> = book
        .state
        .open
        .values()
        .flat_map(|order| order.rows.iter().map(String::as_str))
        .collect();
    let open: std::collections::BTreeSet<&str> = open.into_iter().collect();
    let mut certificates = Vec::new();
    for (row, certified) in rows.rows.iter().zip(&certified) {
        let key = row.key.as_str();
        if issued.contains(key) || open.contains(key) {
            continue;
        }
        certificates.push(Certificate {
            key: key.to_owned(),
            asset: *book.state.assets.get(key).ok_or_else(no_asset)?,
            imprint: certified.imprint,
        });
    }
    let progress = Progress::new("issued", certificates.len().saturating_add(open.len()));
    drop((issued, open));
    let book = Mutex::new(book);
    let batches = (options.per_order, options.parallel.into());
    let ended = orders::issue(&issuer, ledger, &book, certificates, batches, &progress);
    let issuing = progress.end();

    let book = lock(&book);
    let issued = book.state.issued();
    let pdfs = match press {
        Some(mut press) => {
            let asset = rows.rows.iter().find_map(|row| {
                let asset = book.state.assets.get(&row.key);
                asset.filter(|_| issued.contains(row.key.as_str()))
            });
            if let Some(asset) = asset {
                press.issuer = pdfs::issuer(service, ledger, *asset)?;
            }
            let progress = Progress::new("PDFs", issued.len());
            let folder = options.out.join("private");
            let pdfs = pdfs::print(&press, rows, &certified, &issued, &folder, &progress);
            let printing = progress.end();
            print_note(&format!("PDFs took {:.2} s", printing.as_secs_f64()));
            Some(pdfs)
        }
        None => None,
    };
    let badges = match badges {
        Some(badges) => {
            let batch = badges::Issued {
                service,
                ledger,
                schema,
                public,
                rows,
                certified: &certified,
                issued: &issued,
                assets: &book.state.assets,
                folder: &options.out.join("private"),
            };
            let progress = Progress::new("badges", issued.len());
            let badges = badges.write(&batch, &progress);
            let making = progress.end();
            print_note(&format!("Badges took {:.2} s", making.as_secs_f64()));
            Some(badges)
        }
        None => None,
    };
    let badges = badges.transpose();
    let more = [
        (COLUMN_PDF, pdfs.as_ref()),
        (COLUMN_BADGE, badges.as_ref().ok().and_then(Option::as_ref)),
    ];
    let more: Vec<(&str, &Written)> = more
        .into_iter()
        .filter_map(|(column, written)| Some((column, written?)))
        .collect();
    let result = rows.result(
        &certified,
        &issued,
        &book.state.assets,
        (service.base(), ledger),
        &more,
    )?;
    let result_file = options.out.join("result.csv");
    files::replace(&result_file, &result, true)?;
    let done = rows
        .rows
        .iter()
        .filter(|row| issued.contains(row.key.as_str()))
        .count();
    print_note(&format!(
        "{} of {} certificates are issued. Certifying took {:.2} s, issuing {:.2} s: {:.1} % of the time was certifying.",
        grouped(done),
        grouped(rows.rows.len()),
        certifying.as_secs_f64(),
        issuing.as_secs_f64(),
        share(certifying, issuing),
    ));
    ended?;
    let badges = badges?;
    print_note(&format!(
        "Upload the content of {} to {}",
        site.folder().display(),
        options.site
    ));
    print_note(&format!(
        "The private files for the holders are in {}",
        options.out.join("private").display()
    ));
    print_note(&format!(
        "The table for a mail merge or `cert send`, with the links and the name of the file for each row: {}",
        result_file.display()
    ));
    print_note(&format!(
        "Keep {} and the secret: they are needed to show more of a certificate later.",
        options.out.display()
    ));
    let mut is_complete = true;
    for (written, effect) in [
        (pdfs, "These certificates are issued, but have no PDF"),
        (badges, "These certificates are issued, but have no badge"),
    ] {
        if let Some(written) = written.filter(|written| !written.errors.is_empty()) {
            is_complete = report::broken(&written.errors, effect)?;
        }
    }
    Ok(is_complete)
}

fn share(part: Duration, rest: Duration) -> f64 {
    let all = part.saturating_add(rest).as_secs_f64();
    if all > 0.0 {
        part.as_secs_f64() / all * 100.0
    } else {
        0.0
    }
}

/// Reads the issuer's secret, from which the keys of all documents are derived. Generates a secret if the options name none and the batch's
/// folder has none.
fn secret(inputs: &mut Inputs, options: &Batch) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let file = match &options.secret_file {
        Some(file) => file.clone(),
        None => {
            let own = options.out.join("secret");
            if !own.exists() {
                let drawn = Zeroizing::new(orders::random::<MIN_SECRET_BYTES>()?);
                files::replace(&own, drawn.as_slice(), true)?;
            }
            own.display().to_string()
        }
    };
    let secret = Zeroizing::new(inputs.bytes(&file)?);
    aih2::Secret::new(&secret, "").map_err(|error| Failure::of(&file, error))?;
    Ok(secret)
}

/// Writes the first line of a new batch's state file. For an existing batch, checks that service, account and settings are the same.
fn begin(
    book: &mut Book,
    service: &Service,
    account: Address,
    settings: &Value,
) -> Result<(), Failure> {
    let Some((known_service, known_account, known_settings)) = &book.state.batch else {
        return book.append(&[Line::Batch {
            version: 1,
            service: service.base().to_owned(),
            account,
            settings: settings.clone(),
        }]);
    };
    let known = [
        known_service.clone(),
        known_account.to_string(),
        known_settings.to_string(),
    ];
    let now = [
        service.base().to_owned(),
        account.to_string(),
        settings.to_string(),
    ];
    for (known, now) in known.iter().zip(&now) {
        if known != now {
            return Err(Failure::new(
                "batch-other",
                format!(
                    "the folder contains a batch with another service, account or option ({known}, now {now}): choose another folder with --out"
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses rows that were issued, or may have been issued, with other content.
fn unchanged(rows: &Rows, certified: &[Certified], book: &Book) -> Result<(), Failure> {
    let known = book.state.imprints();
    let changed: Vec<String> = rows
        .rows
        .iter()
        .zip(certified)
        .filter(|(row, certified)| {
            known
                .get(row.key.as_str())
                .is_some_and(|known| *known != certified.imprint.to_string())
        })
        .map(|(row, _)| row.row.to_string())
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        "row-changed",
        format!(
            "these rows, or the secret, have changed since the rows were issued: {}. Restore the old content and the secret. Or put the new content into rows with other keys, and withdraw the old certificates",
            changed.join(", ")
        ),
    ))
}

/// Ensures that the account has the tokens for all remaining rows and for a new ledger. If the account lacks tokens, makes the deposit of
/// `--deposit`. Fails if tokens are still missing.
fn fund(options: &Batch, signer: &Signer, book: &mut Book, missing: usize) -> Result<(), Failure> {
    let account = &signer.account;
    let mut needed = cost(account, missing)?;
    if book.state.ledger.is_none() && options.ledger.is_none() {
        needed = needed
            .checked_add(account.deploy_cost)
            .ok_or_else(orders::too_expensive)?;
    }
    // Rows of open orders may already be paid. If no other rows are missing, the balance is not checked.
    let unpaid = missing > book.state.open.values().map(|order| order.rows.len()).sum();
    if account.balance >= needed || !unpaid {
        return Ok(());
    }
    let too_little = |balance: Amount| {
        Failure::new(
            "balance-too-small",
            format!(
                "the account {} has {} tokens and the batch needs {}: deposit the difference (a development service accepts --deposit CENTS)",
                signer.key.address(),
                tokens(balance),
                tokens(needed)
            ),
        )
    };
    let Some(cents) = options.deposit else {
        return Err(too_little(account.balance));
    };
    // First sends an earlier deposit of the same amount again, because it may not have reached the service. A deposit that did reach
    // the service is not repeated, because it has the same idempotency key.
    let known = book
        .state
        .deposits
        .iter()
        .rfind(|(_, known)| *known == cents)
        .map(|(id, _)| id.clone());
    if let Some(id) = known
        && deposit(signer, &id, cents)? >= needed
    {
        return Ok(());
    }
    let id = orders::random_id()?;
    book.append(&[Line::Deposit {
        id: id.clone(),
        cents,
    }])?;
    let balance = deposit(signer, &id, cents)?;
    if balance >= needed {
        Ok(())
    } else {
        Err(too_little(balance))
    }
}

/// Makes a deposit with this idempotency key. Returns the account's balance after it.
fn deposit(signer: &Signer, id: &str, cents: u64) -> Result<Amount, Failure> {
    let answer = signer
        .service
        .post("/deposits", id, &json!({ "amount": cents }))?;
    if !answer.is_success() {
        return Err(Failure::new("deposit-refused", answer.reasons()));
    }
    if answer.text("/status") != Some("succeeded") {
        return Err(Failure::new(
            "deposit-unpaid",
            "the deposit has not succeeded: if the service takes real payments, pay the deposit, then run the same command without --deposit",
        ));
    }
    Ok(signer.service.account(signer.key.address())?.balance)
}

fn cost(account: &Account, certificates: usize) -> Result<Amount, Failure> {
    let mut sum = Amount::ZERO;
    for _ in 0..certificates {
        sum = sum
            .checked_add(account.create_cost)
            .ok_or_else(orders::too_expensive)?;
    }
    Ok(sum)
}

fn limit_cost(options: &Batch, account: &Account) -> Result<(), Failure> {
    match options.max_cost {
        Some(most) if account.create_cost > most => Err(Failure::new(
            "cost-too-high",
            format!(
                "a certificate costs {} tokens and --max-cost allows {}",
                tokens(account.create_cost),
                tokens(most)
            ),
        )),
        _ => Ok(()),
    }
}

fn print_plan(options: &Batch, rows: &Rows, account: &Account, key: &PrivateKey) {
    let count = rows.rows.len();
    print_note(&format!(
        "account: {} with {} tokens",
        key.address(),
        tokens(account.balance)
    ));
    let all = cost(account, count).map(tokens).unwrap_or_default();
    print_note(&format!(
        "cost: {all} tokens, {} for each certificate",
        tokens(account.create_cost)
    ));
    match (&options.ledger, &options.new_ledger) {
        (Some(ledger), _) => print_note(&format!("ledger: {ledger}")),
        (_, Some(name)) => print_note(&format!(
            "ledger: a new one, `{name}`, for {} tokens",
            tokens(account.deploy_cost)
        )),
        _ => {}
    }
}

/// Returns the batch's ledger and the site of its metadata. Deploys the ledger if it is new.
fn ledger(
    options: &Batch,
    schema: &Schema,
    issuer: &Issuer<'_>,
    book: &mut Book,
) -> Result<(Address, Site), Failure> {
    let folder = || options.out.join("site");
    let wrong = |why: String| Failure::new("option-invalid", why);
    let given = match &options.ledger {
        Some(text) => Some(
            text.parse::<Address>()
                .map_err(|error| wrong(format!("--ledger {error}")))?,
        ),
        None => None,
    };
    if let (Some(known), Some(given)) = (book.state.ledger, given)
        && known != given
    {
        return Err(wrong(format!(
            "this batch uses the ledger {known}: to use another ledger, choose another folder with --out"
        )));
    }
    if book.state.ledger.is_none() && given.is_none() {
        let Some(name) = &options.new_ledger else {
            return Err(wrong(
                "name the ledger with --ledger, or deploy one with --new-ledger NAME".to_owned(),
            ));
        };
        let site = Site::new(&options.site, folder(), None)?;
        let symbol = options.symbol.clone().unwrap_or_else(|| symbol(name));
        let id = schema
            .id()
            .parse()
            .map_err(|error| wrong(format!("the schema's id {error}")))?;
        let data = orders::ledger_data(
            name,
            &symbol,
            (&site.prefix, &site.postfix),
            id,
            issuer.key.address(),
        )?;
        let ledger = issuer.deploy(book, data)?;
        print_note(&format!("ledger {ledger} is deployed"));
        return Ok((ledger, site));
    }
    let Some(ledger) = book.state.ledger.or(given) else {
        return Err(no_asset());
    };
    let answer = issuer.service.get(&format!("/ledgers/{ledger}"))?;
    if !answer.is_success() {
        return Err(Failure::new(
            "service-refused",
            format!("the ledger {ledger}: {}", answer.reasons()),
        ));
    }
    let text = |pointer| answer.text(pointer).unwrap_or_default();
    if text("/schemaId") != schema.id() {
        return Err(wrong(format!(
            "the ledger {ledger} takes documents of the schema {}, but --schema has the id {}",
            text("/schemaId"),
            schema.id()
        )));
    }
    let site = Site::new(
        &options.site,
        folder(),
        Some((text("/uriPrefix"), text("/uriPostfix"))),
    )?;
    if book.state.ledger.is_none() {
        book.append(&[Line::Ledger { ledger }])?;
    }
    Ok((ledger, site))
}

/// Derives a ledger's symbol from its name: the first eight ASCII letters and digits in upper case, or `CERT` if there are none.
fn symbol(name: &str) -> String {
    let symbol: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect();
    if symbol.is_empty() {
        "CERT".to_owned()
    } else {
        symbol.to_ascii_uppercase()
    }
}

/// Formats an amount in tokens, which have 18 decimals.
fn tokens(amount: Amount) -> String {
    const DECIMALS: usize = 18;
    let digits = format!("{:0>1$}", amount.to_string(), DECIMALS.saturating_add(1));
    let (whole, fraction) = digits
        .split_at_checked(digits.len().saturating_sub(DECIMALS))
        .unwrap_or((&digits, ""));
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{symbol, tokens};
    use crate::arguments::read_tokens;

    #[test]
    fn tokens_are_read_and_written_without_losing_digits() {
        for (text, units) in [
            ("3", "3000000000000000000"),
            ("1.5", "1500000000000000000"),
            ("0.000000000000000001", "1"),
            ("0", "0"),
        ] {
            let amount = read_tokens(text).unwrap();
            assert_eq!(
                (amount.to_string().as_str(), tokens(amount).as_str()),
                (units, text)
            );
        }
        for text in ["", ".5", "-1", "1e3", "1.0000000000000000001", "x", "1,5"] {
            assert!(read_tokens(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_symbol_is_derived_from_a_names_first_letters() {
        assert_eq!(
            [symbol("Course certificates"), symbol("äß")],
            ["COURSECE", "CERT"]
        );
    }
}

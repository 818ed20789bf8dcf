//! The price of a token over time. The price comes from the configured source, or is the fixed price of the settings.

use order_core::json;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::Timestamp;
use crate::config::{Price, PriceSource};
use crate::context::Context;
use crate::db::{List, Page, Period};
use crate::ledger::Ledger;
use crate::outbound::{FetchSession, Outgoing, Policy};
use crate::ports::{Database, DatabaseError, Level, Statement};
use crate::text::reference_at;

/// Minimum milliseconds between two stored tickers if a source is configured.
const SOURCE_INTERVAL_MS: u64 = 5 * 60_000;
/// Minimum milliseconds between two stored tickers for the fixed price.
const FIXED_INTERVAL_MS: u64 = 60 * 60_000;
/// Milliseconds for which deposits use the last stored price. After a failed query, every sweep queries the source again.
const SELL_FOR_MS: u64 = 60 * 60_000;
/// Maximum bytes of a source's answer.
const ANSWER_MAX: usize = 64 << 10;

/// A price of the platform token.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct Ticker {
    #[cfg_attr(feature = "native", schemars(with = "crate::api::Ref"))]
    pub(crate) id: String,
    pub(crate) base: String,
    pub(crate) quote: String,
    pub(crate) price: String,
    pub(crate) created_at: Timestamp,
}

/// Returns the current price of deposits. Without a source, this is the fixed price. With a source, this is the last stored price, or
/// the fixed price if no price is stored yet. Returns `None` if the last stored price is too old, or too far from the fixed price.
pub(crate) async fn current_price(ctx: &Context<'_>) -> Result<Option<Price>, DatabaseError> {
    let fixed = ctx.config().token_price;
    if ctx.config().price_source.is_none() {
        return Ok(Some(fixed));
    }
    let latest = ctx
        .db()
        .query(Statement::new(
            "SELECT id, base, quote, price, created_at FROM tickers ORDER BY id DESC LIMIT 1",
        ))
        .await?
        .first::<Ticker>()?;
    let Some(row) = latest else {
        return Ok(Some(fixed));
    };
    let price = Price::parse(&row.price)
        .ok_or_else(|| DatabaseError::corrupt("tickers", &row.id, "the price is not valid"))?;
    let age = ctx.now().saturating_sub(row.created_at.0);
    Ok((age <= SELL_FOR_MS && price.is_near(fixed)).then_some(price))
}

/// Stores the current price if the last stored price is old enough. If several runs overlap, only one of them stores a price.
/// A source that fails, or gives an implausible price, is logged, and no price is stored.
pub(crate) async fn record_price(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
) -> Result<(), DatabaseError> {
    let config = ctx.config();
    let interval = match &config.price_source {
        None => FIXED_INTERVAL_MS,
        Some(_) => SOURCE_INTERVAL_MS,
    };
    let recent = reference_at(ctx.now().saturating_sub(interval).saturating_add(1));
    let price = match &config.price_source {
        None => config.token_price,
        Some(source) => {
            let known = Statement::new("SELECT 1 AS one FROM tickers WHERE id > ?1 LIMIT 1")
                .bind(recent.as_str());
            if !ctx.db().query(known).await?.is_empty() {
                return Ok(());
            }
            match ask(ctx, source).await {
                Ok(price) if !price.is_near(config.token_price) => {
                    let why = format!(
                        "the source's price is {price}, which is at least a hundred times higher or lower than `TOKEN_PRICE_EUR`"
                    );
                    ctx.log(Level::Warn, json!({ "event": "ticker.failed", "why": why }));
                    return Ok(());
                }
                Ok(price) => price,
                // No price is stored, so the last price stays in use until it is too old.
                Err(why) => {
                    ctx.log(Level::Warn, json!({ "event": "ticker.failed", "why": why }));
                    return Ok(());
                }
            }
        }
    };
    let token = ledger.identity(ctx).await?.instance.gateways.token;
    let statement = Statement::new(
        "INSERT INTO tickers (id, base, quote, price, created_at) SELECT ?1, ?2, 'EUR', ?3, ?4 \
         WHERE NOT EXISTS (SELECT 1 FROM tickers WHERE id > ?5)",
    )
    .bind(ctx.new_reference())
    .bind(token.to_string())
    .bind(price.to_string())
    .bind(ctx.now())
    .bind(recent);
    ctx.db().query(statement).await.map(|_| ())
}

/// Fetches the source's price. Fails with a sentence for the log.
async fn ask(ctx: &Context<'_>, source: &PriceSource) -> Result<Price, String> {
    let policy = Policy::of(ctx, None);
    let target = policy
        .check(&source.url)
        .map_err(|error| error.to_string())?;
    let received = FetchSession::start(ctx.ports().clock.as_ref(), policy)
        .send(Outgoing {
            target,
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            body: None,
            limit: ANSWER_MAX,
            redirects: 0,
        })
        .await
        .map_err(|error| error.to_string())?;
    if received.answer.status != 200 {
        return Err(format!(
            "the source answered with status {}",
            received.answer.status
        ));
    }
    let answer = json::parse(&received.answer.body)
        .map_err(|error| format!("the answer is not JSON: {error}"))?;
    let value = answer
        .pointer(&source.pointer)
        .ok_or_else(|| format!("the answer has nothing at `{}`", source.pointer))?;
    price(value).ok_or_else(|| format!("the value at `{}` is not a price", source.pointer))
}

/// Reads a price from a number or a decimal string, truncated to twelve digits after the point. Returns `None` for other
/// values.
fn price(value: &Value) -> Option<Price> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        // Rust prints a double without an exponent, as the shortest decimal that parses to the same double.
        Value::Number(number) => match number.as_u64() {
            Some(whole) => whole.to_string(),
            None => number.as_f64()?.to_string(),
        },
        _ => return None,
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: String = fraction.chars().take(Price::DECIMALS_MAX).collect();
    Price::parse(format!("{whole}.{fraction}").trim_end_matches('.'))
}

/// A query for a list of tickers.
pub(crate) struct TickerLookup {
    pub(crate) ids: Option<Vec<String>>,
    pub(crate) period: Period,
    pub(crate) page: Page,
}

/// Returns a page of the tickers, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
pub(crate) async fn tickers(
    db: &dyn Database,
    lookup: &TickerLookup,
) -> Result<(Vec<Ticker>, u32), DatabaseError> {
    List::new("id, base, quote, price, created_at", "tickers", &["id"])
        .among("id IN (SELECT value FROM json_each(?))", lookup.ids.clone())
        .within(lookup.period.span())
        .fetch(db, &lookup.page)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_parsed_from_numbers_and_decimal_strings() {
        for (value, text) in [
            (json!(0.042), "0.042"),
            (json!("0.0420"), "0.0420"),
            (json!(3), "3"),
            (json!(3.0), "3"),
            (json!(1e-7), "0.0000001"),
            (json!("0.1234567890123456789"), "0.123456789012"),
            (json!(0.041_873_928_471_923), "0.041873928471"),
        ] {
            assert_eq!(price(&value).unwrap().to_string(), text, "{value}");
        }
        for value in [
            json!(null),
            json!(0),
            json!(-1),
            json!("-0.1"),
            json!(""),
            json!("1e3"),
            json!("0.1.2"),
            json!("1,5"),
            json!(1e-30),
            json!(1e300),
            json!([1]),
            json!(true),
            json!("0x1"),
            json!("0.00000000000000001"),
            json!("0.1234567890123x"),
        ] {
            assert_eq!(price(&value), None, "{value}");
        }
    }
}

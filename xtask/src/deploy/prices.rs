//! The monthly cost of a service, computed from the platform's documented prices and from measured usage.

use std::fmt::Write as _;

/// The source of the prices, and the day on which these constants were compared with it.
const SOURCE: &str = "developers.cloudflare.com, pages \"Pricing\" of Workers, D1, KV, Queues, R2 and Observability, read 2026-11-23";
/// The plan Workers Paid, in millionths of a dollar. The free plan ends every request after 10 ms of CPU time.
const PLAN: u64 = 5_000_000;

/// A quantity that the platform bills.
struct Meter {
    name: &'static str,
    /// The quantity that the plan includes each month.
    included: u64,
    /// The price of a further million, in millionths of a dollar.
    price: u64,
}

const REQUESTS: Meter = Meter {
    name: "requests",
    included: 10_000_000,
    price: 300_000,
};
/// CPU time in milliseconds.
const CPU: Meter = Meter {
    name: "CPU time",
    included: 30_000_000,
    price: 20_000,
};
const ROWS_READ: Meter = Meter {
    name: "D1 rows read",
    included: 25_000_000_000,
    price: 1_000,
};
const ROWS_WRITTEN: Meter = Meter {
    name: "D1 rows written",
    included: 50_000_000,
    price: 1_000_000,
};
/// The size of the database in bytes. A gigabyte costs 0.75 dollars.
const DATABASE: Meter = Meter {
    name: "D1 storage",
    included: 5_000_000_000,
    price: 750,
};
const KV_READS: Meter = Meter {
    name: "KV reads",
    included: 10_000_000,
    price: 500_000,
};
const KV_WRITES: Meter = Meter {
    name: "KV writes",
    included: 1_000_000,
    price: 5_000_000,
};
/// Operations on queues. A message that is delivered at the first attempt takes three: it is written, read and deleted.
const QUEUE_OPERATIONS: Meter = Meter {
    name: "queues",
    included: 1_000_000,
    price: 400_000,
};
/// The size of logs in bytes, at the prices from 2026-12-01. A gigabyte costs 0.25 dollars.
const LOGS: Meter = Meter {
    name: "logs",
    included: 50_000_000_000,
    price: 250,
};

impl Meter {
    /// Returns the price of a quantity, in millionths of a dollar.
    const fn cost(&self, used: u64) -> u64 {
        let billed = used.saturating_sub(self.included) as u128;
        // A monthly cost is far below 2^64 millionths of a dollar.
        (billed.saturating_mul(self.price as u128) / 1_000_000) as u64
    }
}

/// The quantities that some events use.
#[derive(Clone, Copy)]
struct Usage {
    requests: u64,
    cpu_milliseconds: u64,
    rows_read: u64,
    rows_written: u64,
    /// Bytes by which the database grows.
    stored: u64,
    kv_reads: u64,
    kv_writes: u64,
    messages: u64,
    /// Bytes that are logged.
    logged: u64,
}

/// Ten requests for badges. Rows: measured by tests/load/rows.mjs. KV operations, from the code: each badge reads its cached verdict, and each
/// check of the documents writes a verdict. One check for ten badges is assumed. CPU time and log: estimated.
const TEN_BADGES: Usage = Usage {
    requests: 10,
    cpu_milliseconds: 30,
    rows_read: 100,
    rows_written: 0,
    stored: 0,
    kv_reads: 10,
    kv_writes: 1,
    messages: 0,
    logged: 20_000,
};
/// An order that creates an asset, with its execution. Rows and bytes: measured by tests/load/rows.mjs. Messages, from the code: one message,
/// which performs the order. CPU time and log: estimated.
const ORDER: Usage = Usage {
    requests: 2,
    cpu_milliseconds: 30,
    rows_read: 123,
    rows_written: 24,
    stored: 6_100,
    kv_reads: 0,
    kv_writes: 0,
    messages: 1,
    logged: 4_000,
};
/// The periodic run, once a minute. Rows: measured by tests/load/rows.mjs without due work. CPU time and log: estimated.
const MINUTE: Usage = Usage {
    requests: 1,
    cpu_milliseconds: 5,
    rows_read: 23,
    rows_written: 1,
    stored: 0,
    kv_reads: 0,
    kv_writes: 0,
    messages: 0,
    logged: 1_000,
};
/// Minutes of a month of 30 days.
const MINUTES: u64 = 43_200;
/// The columns of the table: monthly numbers of requests.
const COLUMNS: [u64; 3] = [0, 100_000, 10_000_000];

impl Usage {
    const fn times(self, count: u64) -> Self {
        Self {
            requests: self.requests.saturating_mul(count),
            cpu_milliseconds: self.cpu_milliseconds.saturating_mul(count),
            rows_read: self.rows_read.saturating_mul(count),
            rows_written: self.rows_written.saturating_mul(count),
            stored: self.stored.saturating_mul(count),
            kv_reads: self.kv_reads.saturating_mul(count),
            kv_writes: self.kv_writes.saturating_mul(count),
            messages: self.messages.saturating_mul(count),
            logged: self.logged.saturating_mul(count),
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            cpu_milliseconds: self.cpu_milliseconds.saturating_add(other.cpu_milliseconds),
            rows_read: self.rows_read.saturating_add(other.rows_read),
            rows_written: self.rows_written.saturating_add(other.rows_written),
            stored: self.stored.saturating_add(other.stored),
            kv_reads: self.kv_reads.saturating_add(other.kv_reads),
            kv_writes: self.kv_writes.saturating_add(other.kv_writes),
            messages: self.messages.saturating_add(other.messages),
            logged: self.logged.saturating_add(other.logged),
        }
    }

    /// Returns the usage of a month with this number of requests. Of eleven requests, ten are for a badge and one creates an asset.
    const fn of_a_month(requests: u64) -> Self {
        let count = requests / 11;
        MINUTE
            .times(MINUTES)
            .plus(TEN_BADGES.times(count))
            .plus(ORDER.times(count))
    }

    /// Returns each meter with the quantity that it measures.
    const fn metered(self) -> [(Meter, u64); 9] {
        [
            (REQUESTS, self.requests),
            (CPU, self.cpu_milliseconds),
            (ROWS_READ, self.rows_read),
            (ROWS_WRITTEN, self.rows_written),
            (DATABASE, self.stored),
            (KV_READS, self.kv_reads),
            (KV_WRITES, self.kv_writes),
            (QUEUE_OPERATIONS, self.messages.saturating_mul(3)),
            (LOGS, self.logged),
        ]
    }
}

/// Returns a table of the monthly costs, with the source of the prices and the assumptions.
pub(super) fn table(keeps_files: bool) -> String {
    let columns = COLUMNS.map(|requests| Usage::of_a_month(requests).metered());
    let mut text = String::from("\n  dollars a month, for requests");
    let mut row = |name: &str, cells: [String; 3]| {
        let [one, two, three] = cells;
        // Writing to a string cannot fail.
        let _ = write!(text, "\n    {name:<20}{one:>12}{two:>12}{three:>12}");
    };
    row("", COLUMNS.map(grouped));
    row("plan Workers Paid", [PLAN; 3].map(dollars));
    let mut totals = [PLAN; 3];
    let [first, second, third] = &columns;
    for (((meter, one), (_, two)), (_, three)) in first.iter().zip(second).zip(third) {
        let costs = [*one, *two, *three].map(|used| meter.cost(used));
        for (total, cost) in totals.iter_mut().zip(costs) {
            *total = total.saturating_add(cost);
        }
        row(meter.name, costs.map(dollars));
    }
    row("together", totals.map(dollars));
    let _ = write!(
        text,
        "\n  Ten of eleven requests ask for a badge, and one creates an asset. Storage is for the first month. It grows each month.\
         \n  Rows and stored bytes are measured (tests/load/rows.mjs), messages and cache operations counted in the code, CPU time and log\
         \n  estimated. The plan is paid once for all services of the account, and so are the quantities that it includes.\
         \n  Prices: {SOURCE}."
    );
    if keeps_files {
        text.push_str("\n  Files: 10 GB are free, then 0.015 dollars a GB; 4.50 dollars for a million uploads and 0.36 for a million downloads beyond the free ones.");
    }
    text
}

/// Returns an amount in dollars, rounded up to a cent.
fn dollars(millionths: u64) -> String {
    let cents = millionths.div_ceil(10_000);
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Returns a number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of the platform's documentation.
    #[test]
    fn documented_examples_cost_what_the_documentation_says() {
        // Workers, "Pricing", examples 1 and 4: 7 ms for each of 15 and 100 million requests.
        for (millions, total) in [(15, "8.00"), (100, "45.40")] {
            let requests = millions * 1_000_000;
            let cost = PLAN + REQUESTS.cost(requests) + CPU.cost(requests * 7);
            assert_eq!(dollars(cost), total);
        }
        // Queues, "Pricing": a million messages a day.
        assert_eq!(dollars(QUEUE_OPERATIONS.cost(3 * 30 * 1_000_000)), "35.60");
        // Observability, "Pricing": 75 GB.
        assert_eq!(dollars(LOGS.cost(75_000_000_000)), "6.25");
        assert_eq!(dollars(DATABASE.cost(6_000_000_000)), "0.75");
    }

    #[test]
    fn the_table_has_a_row_for_each_meter_and_names_its_source() {
        let table = table(false);
        for part in [
            "0     100,000  10,000,000",
            "D1 rows written",
            "together",
            "read 2026-",
        ] {
            assert!(table.contains(part), "{part} is missing in {table}");
        }
        assert!(Usage::of_a_month(0).requests == MINUTES);
    }

    #[test]
    fn amounts_are_rounded_up_to_cents() {
        assert_eq!(
            [0, 1, 10_000, 5_000_000].map(dollars),
            ["0.00", "0.01", "0.01", "5.00"]
        );
        assert_eq!(
            [0, 999, 1_000, 10_000_000].map(grouped),
            ["0", "999", "1,000", "10,000,000"]
        );
    }
}

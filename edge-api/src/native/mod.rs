//! The host of tests and benchmarks: SQLite in place of D1, and ports that interleave, fail and stop on demand.

mod fakes;
mod sqlite;

pub use fakes::{
    FakeCache, FakeClock, FakeHttp, FakeQueue, FakeRateLimiter, MemoryLog, SeededRandom,
};
pub use sqlite::Sqlite;

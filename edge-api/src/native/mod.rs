//! The host of tests and benchmarks: SQLite instead of D1, and ports that can interleave, fail and stop on request.

mod chain;
mod fakes;
mod sqlite;

pub use chain::{Block, FakeChain};
pub use fakes::{
    FakeBucket, FakeCache, FakeClock, FakeHttp, FakeQueue, FakeRateLimiter, MemoryAnalytics,
    MemoryLog, SeededRandom, parse_url,
};
pub use sqlite::Sqlite;

//! The host of tests and benchmarks: SQLite instead of D1, and ports that interleave, fail and stop on demand.

mod chain;
mod fakes;
mod sqlite;

pub use chain::{Block, FakeChain};
pub use fakes::{
    FakeBucket, FakeCache, FakeClock, FakeHttp, FakeQueue, FakeRateLimiter, MemoryLog,
    SeededRandom, parse_url,
};
pub use sqlite::Sqlite;

//! AIH-2: its vectors, its rules one by one, and a slow model of it.

mod model;
mod properties;
mod random;
mod vectors;

//! Tests that reach into the service: its database, its memory, a fault at each of its steps. The run in workerd leaves them out.

mod chain;
mod examples;
mod health;
mod migrations;
mod plans;
mod replay;
mod round_trips;
mod storage;
mod strangers;
mod sweep;
mod webhook_delivery;

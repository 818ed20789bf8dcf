//! What needs the service in this process: its database, its memory, faults at each of its steps. The runtime's run leaves these out.

mod chain;
mod health;
mod migrations;
mod plans;
mod replay;
mod round_trips;
mod strangers;
mod sweep;
mod webhook_delivery;

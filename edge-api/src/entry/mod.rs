//! The Workers runtime: passes its events to the service, and wraps its bindings as ports.

mod analytics;
mod bindings;
mod body;
mod bucket;
mod d1;
mod exchange;
mod fetch;
mod polled;
mod sending;
mod url;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
use wasm_bindgen::JsValue;
use worker::{
    Context, Env, MessageBatch, MessageExt, ScheduleContext, ScheduledEvent, event, web_sys,
};

use crate::app::{App, Isolate};
use crate::config::Config;
use crate::ports::{Job, Level, Log};
use crate::web::CutOff;

use bindings::ConsoleLog;
use polled::Polled;

thread_local! {
    /// The configuration and state of this isolate. The configuration is constant for the isolate's lifetime.
    static KEPT: RefCell<Option<(Rc<Config>, Rc<Isolate>)>> = const { RefCell::new(None) };
}

/// Builds the service from this event's bindings, with the isolate's configuration and state.
fn app(env: &Env) -> worker::Result<App> {
    let kept = KEPT.with_borrow(Clone::clone);
    let (config, isolate) = match kept {
        Some(kept) => kept,
        None => {
            let variable = |name: &str| env.var(name).ok().map(|value| value.to_string());
            let names = bindings::variable_names(env);
            let checked = Config::check_names(names.iter().map(String::as_str));
            let config = checked
                .and_then(|()| Config::read(variable))
                .map_err(|error| {
                    ConsoleLog.write(
                        Level::Error,
                        json!({ "event": "configuration", "why": error.to_string() }),
                    );
                    worker::Error::RustError(error.to_string())
                })?;
            let isolate = Isolate::new(&config);
            let kept = (Rc::new(config), Rc::new(isolate));
            KEPT.set(Some(kept.clone()));
            kept
        }
    };
    let ports = bindings::ports(env)?;
    Ok(App::new(config, isolate, ports))
}

/// Takes the runtime's own type of requests. The `worker` crate's type reads `cf`, which takes about 0.1 ms.
#[event(fetch)]
async fn fetch(
    request: web_sys::Request,
    env: Env,
    context: Context,
) -> worker::Result<web_sys::Response> {
    let handle = JsValue::from(&request);
    Polled::new(handle, answer(request, env, context)).await
}

async fn answer(
    incoming: web_sys::Request,
    env: Env,
    context: Context,
) -> worker::Result<web_sys::Response> {
    let request = exchange::head(&incoming)?;
    let Ok(app) = app(&env) else {
        return exchange::answer(App::unconfigured(&request), &context);
    };
    let read = async move |limit| body::read(&incoming, limit).await.ok_or(CutOff);
    let answer = app.handle(request, read).await;
    if !answer.after.is_empty() {
        context.wait_until(async move { app.after(answer.after).await });
    }
    exchange::answer(answer.response, &context)
}

/// The end of the name of the queue for messages that failed at every attempt.
const DEAD: &str = "-dead";

#[event(queue)]
async fn queue(batch: MessageBatch<Job>, env: Env, _: Context) -> worker::Result<()> {
    let app = app(&env)?;
    let failed = |event: &str, why: String| {
        ConsoleLog.write(Level::Error, json!({ "event": event, "why": why }));
    };
    if batch.queue().ends_with(DEAD) {
        for message in batch.raw_iter() {
            let body = js_sys::JSON::stringify(&message.body())
                .map_or_else(|_| "null".to_owned(), String::from);
            match app.on_dead_letter(&message.id(), &body).await {
                Ok(()) => message.ack(),
                Err(why) => {
                    failed("dead-letter.not-kept", why);
                    message.retry();
                }
            }
        }
        return Ok(());
    }
    let (mut messages, mut jobs) = (Vec::new(), Vec::new());
    for (read, raw) in batch.iter().zip(batch.raw_iter()) {
        match read {
            Ok(message) => {
                messages.push(raw);
                jobs.push(message.into_body());
            }
            Err(error) => {
                // Redelivery would not help, because the message would still be unreadable. The sweep finds its record.
                failed("message.unreadable", error.to_string());
                raw.ack();
            }
        }
    }
    let results = app.on_messages(&jobs).await;
    for (message, result) in messages.into_iter().zip(results) {
        match result {
            Ok(()) => message.ack(),
            Err(why) => {
                failed("message.failed", why);
                message.retry();
            }
        }
    }
    Ok(())
}

#[event(scheduled)]
async fn scheduled(_: ScheduledEvent, env: Env, _: ScheduleContext) {
    let result = match app(&env) {
        Ok(app) => app.on_schedule().await,
        Err(error) => Err(error.to_string()),
    };
    if let Err(why) = result {
        ConsoleLog.write(
            Level::Error,
            json!({ "event": "schedule.failed", "why": why }),
        );
    }
}

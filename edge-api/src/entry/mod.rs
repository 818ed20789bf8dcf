//! Connects the service to the Workers runtime: passes the runtime's events to the service, and wraps its bindings as ports.

mod analytics;
mod bindings;
mod body;
mod bucket;
mod d1;
mod fetch;
mod polled;
mod sending;
mod url;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::{
    Context, Env, MessageBatch, MessageExt, ScheduleContext, ScheduledEvent, event, web_sys,
};

use crate::app::{App, Isolate};
use crate::config::Config;
use crate::ports::{Job, Level, Log};
use crate::web::{CutOff, HeaderMap, HeaderName, HeaderValue, Method, Request, Response};

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
            let names = Config::check_names(names.iter().map(String::as_str));
            let mut config = names
                .map_or_else(
                    // The operator gets the mistakes of names and of values together.
                    |unknown| Err(unknown.and(Config::read(variable).err())),
                    |()| Config::read(variable),
                )
                .map_err(|error| {
                    ConsoleLog.write(
                        Level::Error,
                        json!({ "event": "configuration", "why": error.to_string() }),
                    );
                    worker::Error::RustError(error.to_string())
                })?;
            config.version_id = bindings::version_id(env);
            let isolate = Isolate::new(&config);
            let kept = (Rc::new(config), Rc::new(isolate));
            KEPT.set(Some(kept.clone()));
            kept
        }
    };
    let ports = bindings::ports(env)?;
    Ok(App::new(config, isolate, ports))
}

#[wasm_bindgen]
extern "C" {
    /// Returns the headers of a request as JSON, `[[name, value], …]`.
    #[wasm_bindgen(js_namespace = globalThis, js_name = assayHeaders)]
    fn headers_of(request: &web_sys::Request) -> String;

    /// Returns the number of requests that host/worker.mjs has answered itself since the last call, because the program aborted.
    #[wasm_bindgen(js_namespace = globalThis, js_name = assayAborted)]
    fn aborted() -> u32;
}

/// Answers a request. Takes the runtime's own type of requests, because the `worker` crate's type reads `cf`, which takes about 0.1 ms.
#[event(fetch)]
async fn fetch(
    request: web_sys::Request,
    env: Env,
    context: Context,
) -> worker::Result<worker::Response> {
    let handle = JsValue::from(&request);
    Polled::new(handle, answer(request, env, context)).await
}

async fn answer(
    incoming: web_sys::Request,
    env: Env,
    context: Context,
) -> worker::Result<worker::Response> {
    let request = head(&incoming)?;
    let Ok(app) = app(&env) else {
        return write(App::unconfigured(&request), &context);
    };
    app.count_aborted(aborted());
    let read = async move |limit| body::read(&incoming, limit).await.ok_or(CutOff);
    let answer = app.handle(request, read).await;
    if !answer.after.is_empty() {
        context.wait_until(async move { app.after(answer.after).await });
    }
    write(answer.response, &context)
}

/// The suffix of the name of the queue for messages that failed at every attempt.
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
                // Redelivery would not help, because the message would still be unreadable. The sweep finds the message's work.
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

/// Converts a request, without its body.
fn head(request: &web_sys::Request) -> worker::Result<Request> {
    let url = url::Parsed::new(&request.url())?;
    let listed: Vec<(String, String)> = serde_json::from_str(&headers_of(request))
        .map_err(|error| worker::Error::RustError(error.to_string()))?;
    let mut headers = HeaderMap::new();
    for (name, value) in listed {
        // Skips headers that HTTP/1.1 could not carry. The runtime should not pass any.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    let method = Method::from_bytes(request.method().as_bytes())
        .map_err(|error| worker::Error::RustError(error.to_string()))?;
    let client_address = headers
        .get("cf-connecting-ip")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    Ok(Request {
        method,
        origin: url.origin(),
        path: url.pathname(),
        query: url
            .search()
            .strip_prefix('?')
            .unwrap_or_default()
            .to_owned(),
        headers,
        body: Vec::new(),
        client_address,
    })
}

fn write(response: Response, context: &Context) -> worker::Result<worker::Response> {
    let headers = worker::Headers::new();
    for (name, value) in &response.headers {
        if let Ok(text) = value.to_str() {
            headers.set(name.as_str(), text)?;
        }
    }
    let builder = worker::Response::builder()
        .with_status(response.status.as_u16())
        .with_headers(headers);
    Ok(match response.share {
        _ if response.body.is_empty() => builder.empty(),
        None => builder.fixed(response.body),
        Some(share) => builder.stream(sending::send(&response.body, share, context)),
    })
}

//! A fake HTTP server. A service in this process calls the server through the outbound port, and workerd calls it through
//! a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use edge_api::ports::Fetched;

use super::native::Service;
use super::{Host, in_workerd, workerd};

/// A request that the server gets.
#[derive(Clone, Debug)]
pub struct Received {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The server's answer: status and JSON body. `None` breaks the connection.
pub type Reply = Option<(u16, String)>;

/// The function that answers for the server.
pub type Handler = Arc<dyn Fn(Received) -> Reply + Send + Sync>;

/// Returns a service with these settings, in which `{outside}` is replaced by the fake server's address.
pub fn own(vars: &[(&str, &str)], handler: Handler) -> Box<dyn Host> {
    if in_workerd() {
        let vars = listening_vars(vars, handler);
        Box::new(workerd::Server::own(&borrowed(&vars)))
    } else {
        let vars = with_base(vars, BASE);
        let service = Service::new(&borrowed(&vars));
        attach(&service, handler);
        Box::new(service)
    }
}

/// Starts the fake server behind a real socket. Returns the settings, in which `{outside}` is replaced by its address.
pub fn listening_vars(vars: &[(&str, &str)], handler: Handler) -> Vec<(String, String)> {
    with_base(vars, &listen(handler))
}

/// The server's address for a service in this process.
pub const BASE: &str = "https://outside.example";

/// Returns the settings for a service in this process, in which `{outside}` is replaced by the fake server's address.
pub fn native_vars(vars: &[(&str, &str)]) -> Vec<(String, String)> {
    with_base(vars, BASE)
}

pub fn borrowed(vars: &[(String, String)]) -> Vec<(&str, &str)> {
    vars.iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

fn with_base(vars: &[(&str, &str)], base: &str) -> Vec<(String, String)> {
    vars.iter()
        .map(|(name, value)| ((*name).to_owned(), value.replace("{outside}", base)))
        .collect()
}

/// Puts the fake server behind a service's outbound port.
pub fn attach(service: &Service, handler: Handler) {
    service.http.serve(BASE, move |fetch| {
        let reply = handler(Received {
            method: if fetch.body.is_some() { "POST" } else { "GET" }.to_owned(),
            target: fetch.url[BASE.len()..].to_owned(),
            headers: fetch.headers.clone(),
            body: fetch.body.clone().unwrap_or_default(),
        });
        match reply {
            None => Err(edge_api::ports::FetchError::Failed(
                "connection reset".to_owned(),
            )),
            Some((_, body)) if body.len() > fetch.limit => {
                Err(edge_api::ports::FetchError::TooLarge)
            }
            Some((status, body)) => Ok(Fetched {
                status,
                content_type: Some("application/json".to_owned()),
                location: None,
                allow_origin: None,
                body: body.into_bytes(),
            }),
        }
    });
}

/// Serves on a free port of this machine until the process ends. Returns the server's URL.
pub fn listen(handler: Handler) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handler = Arc::clone(&handler);
            std::thread::spawn(move || exchange(stream, &handler));
        }
    });
    format!("http://{address}")
}

/// Handles one request. Returns `None` if the connection breaks or the handler breaks it.
fn exchange(mut stream: std::net::TcpStream, handler: &Handler) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut received = Received {
        method,
        target,
        headers,
        body: Vec::new(),
    };
    let length = received
        .header("content-length")
        .map_or(0, |text| text.parse().expect("a length"));
    received.body.resize(length, 0);
    reader.read_exact(&mut received.body).ok()?;
    let (status, body) = handler(received)?;
    let head = format!(
        "HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}

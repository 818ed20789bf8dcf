//! The connection to a mail server.

use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;
use std::{io, iter};

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use ureq::http::Uri;
use zeroize::Zeroizing;

use super::letters::Letter;
use crate::failure::Failure;

/// The longest wait for the server, for each command.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest wait for the answer to a message's content (RFC 5321, section 4.5.3.2.6). Some servers scan a message for viruses before they answer. A
/// shorter wait would leave such messages in doubt.
const LAST_PATIENCE: Duration = Duration::from_secs(600);
/// The code with which a server closes the connection (RFC 5321, section 4.2.3).
const CLOSING: u16 = 421;
/// The usual ports (RFC 8314, sections 3.3 and 7.3).
const PORT_TLS: u16 = 465;
const PORT_STARTTLS: u16 = 587;

/// How the connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protection {
    Tls,
    StartTls,
    /// No protection, for a server on this machine.
    Loopback,
}

/// A mail server, and the account to log in with.
pub(super) struct Server {
    host: String,
    port: u16,
    protection: Protection,
    login: Option<(String, Zeroizing<String>)>,
}

/// The outcome of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent,
    Refused(String),
    Later(String),
    /// The content was sent, but no answer arrived.
    InDoubt(String),
}

impl Server {
    /// Reads the server's address: `smtps://HOST:PORT` or `smtp://HOST:PORT`.
    pub(super) fn read(
        url: &str,
        login: Option<(String, Zeroizing<String>)>,
    ) -> Result<Self, Failure> {
        let wrong = |why: &str| Failure::new("option-invalid", format!("--smtp {url}: {why}"));
        let form = "expected smtps://HOST, smtp://HOST, or one of them with :PORT";
        let uri: Uri = url.parse().map_err(|_| wrong(form))?;
        let host = uri.host().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| wrong(form))?;
        if uri
            .authority()
            .is_some_and(|all| all.as_str().contains('@'))
        {
            return Err(wrong(
                "name the account with --smtp-user, and put its password into the environment variable CERT_SMTP_PASSWORD",
            ));
        }
        if !["", "/"].contains(&uri.path()) {
            return Err(wrong(form));
        }
        let requires_tls = match uri.query() {
            None => false,
            Some("tls=required") => true,
            Some(_) => return Err(wrong("the only parameter is ?tls=required")),
        };
        let (protection, port) = match uri.scheme_str() {
            Some("smtps") => (Protection::Tls, PORT_TLS),
            Some("smtp") if is_loopback(host) && !requires_tls => {
                (Protection::Loopback, PORT_STARTTLS)
            }
            Some("smtp") => (Protection::StartTls, PORT_STARTTLS),
            _ => return Err(wrong(form)),
        };
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(port),
            protection,
            login,
        })
    }

    fn connect(&self) -> Result<SmtpConnection, Error> {
        let tls = TlsParameters::new(self.host.clone())?;
        let client = ClientId::default();
        let first = (self.protection == Protection::Tls).then_some(&tls);
        let address = (self.host.as_str(), self.port);
        let mut connection =
            SmtpConnection::connect(address, Some(PATIENCE), &client, first, None)?;
        if self.protection == Protection::StartTls {
            connection.starttls(&tls, &client)?;
        }
        if let Some((user, password)) = &self.login {
            let login = Credentials::new(user.clone(), password.to_string());
            connection.auth(&[Mechanism::Plain, Mechanism::Login], &login)?;
        }
        Ok(connection)
    }
}

/// Returns true if a further attempt would fail in the same way. rustls reports certificates that it does not trust as invalid data.
fn is_lasting(error: &Error) -> bool {
    let mut sources = iter::successors(
        error.source(),
        |source: &&(dyn std::error::Error + 'static)| (*source).source(),
    );
    let is_untrusted = sources.any(|source| {
        let error = source.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::InvalidData)
    });
    is_untrusted || error.is_permanent() || error.is_client() || error.is_tls()
}

fn is_ascii(address: &Address) -> bool {
    AsRef::<str>::as_ref(address).is_ascii()
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// A connection that is opened when it is needed.
pub(super) struct Post {
    server: Server,
    connection: Option<SmtpConnection>,
}

impl Post {
    pub(super) fn new(server: Server) -> Self {
        Self {
            server,
            connection: None,
        }
    }

    /// Connects and logs in, unless there is a connection. The inner error is a reason to try again later.
    ///
    /// # Errors
    /// If the server refuses the login or the protection of the connection.
    pub(super) fn open(&mut self) -> Result<Result<(), String>, Failure> {
        if self
            .connection
            .as_ref()
            .is_some_and(|open| !open.has_broken())
        {
            return Ok(Ok(()));
        }
        let Server { host, port, .. } = &self.server;
        match self.server.connect() {
            Ok(connection) => {
                self.connection = Some(connection);
                Ok(Ok(()))
            }
            Err(error) if is_lasting(&error) => Err(Failure::new(
                "smtp-refused",
                format!("the mail server {host}:{port} cannot be used: {error}"),
            )),
            Err(error) => Ok(Err(format!(
                "the mail server {host}:{port} does not answer: {error}"
            ))),
        }
    }

    /// Sends a message. Calls `announce` before the content is sent.
    ///
    /// # Errors
    /// If `announce` fails, or if the server refuses the sender.
    pub(super) fn send(
        &mut self,
        letter: &Letter,
        announce: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let Some(mut connection) = self.connection.take() else {
            return Ok(Outcome::Later("there is no connection".to_owned()));
        };
        let mut options = Vec::new();
        let server = connection.server_info();
        if !is_ascii(&letter.to) || !is_ascii(&letter.from) {
            if !server.supports_feature(Extension::SmtpUtfEight) {
                self.connection = Some(connection);
                let why = "the server does not accept addresses outside ASCII";
                return Ok(Outcome::Refused(why.to_owned()));
            }
            options.push(MailParameter::SmtpUtfEight);
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let prepared = connection
            .command(Mail::new(Some(letter.from.clone()), options))
            .map_err(|error| (error, true))
            .and_then(|_| {
                connection
                    .command(Rcpt::new(letter.to.clone(), Vec::new()))
                    .and_then(|_| connection.command(Data))
                    .map_err(|error| (error, false))
            });
        if let Err((error, is_about_sender)) = prepared {
            if error.is_permanent() && is_about_sender {
                return Err(Failure::new(
                    "smtp-refused",
                    format!(
                        "the mail server does not accept messages of {}: {error}",
                        letter.from
                    ),
                ));
            }
            self.keep(connection, &error);
            return Ok(match error.is_permanent() {
                true => Outcome::Refused(error.to_string()),
                false => Outcome::Later(error.to_string()),
            });
        }
        // A failure leaves the shorter wait, which is safe: the message is then in doubt sooner.
        let _ = connection.set_timeout(Some(LAST_PATIENCE));
        announce()?;
        let answer = connection.message(&letter.content);
        let _ = connection.set_timeout(Some(PATIENCE));
        match answer {
            Ok(_) => {
                self.connection = Some(connection);
                Ok(Outcome::Sent)
            }
            Err(error) => {
                self.keep(connection, &error);
                Ok(if error.is_permanent() {
                    Outcome::Refused(error.to_string())
                } else if error.is_transient() {
                    Outcome::Later(error.to_string())
                } else {
                    Outcome::InDoubt(error.to_string())
                })
            }
        }
    }

    /// Keeps a connection after an answer of the server. Drops it after any other error.
    fn keep(&mut self, mut connection: SmtpConnection, error: &Error) {
        let code = error.status().map(u16::from);
        if code.is_some_and(|code| code != CLOSING) && connection.command(Rset).is_ok() {
            self.connection = Some(connection);
        } else {
            connection.abort();
        }
    }

    pub(super) fn close(mut self) {
        if let Some(connection) = &mut self.connection {
            connection.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_on_this_machine_are_used_without_tls() {
        for (url, expected) in [
            ("smtps://mail.example", Some((Protection::Tls, 465))),
            ("smtps://127.0.0.1:4650", Some((Protection::Tls, 4650))),
            ("smtp://mail.example", Some((Protection::StartTls, 587))),
            (
                "smtp://localhost.example:25",
                Some((Protection::StartTls, 25)),
            ),
            ("smtp://127.0.0.1:1025", Some((Protection::Loopback, 1025))),
            ("smtp://[::1]:1025", Some((Protection::Loopback, 1025))),
            (
                "smtp://localhost:25?tls=required",
                Some((Protection::StartTls, 25)),
            ),
            ("smtp://localhost:25?tls=none", None),
            ("smtp://user:secret@mail.example", None),
            ("https://mail.example", None),
            ("mail.example", None),
            ("smtp://mail.example/inbox", None),
        ] {
            let read = Server::read(url, None).ok();
            let found = read.map(|server| (server.protection, server.port));
            assert_eq!(found, expected, "{url}");
        }
    }
}

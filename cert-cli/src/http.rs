//! Requests to services.

use std::sync::Arc;
use std::time::Duration;

use ureq::http::Uri;

use crate::failure::Failure;

/// The timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the origin that an option names. Refuses an address without TLS unless the service runs on this machine, because others could change
/// its answers, and the Authorization header works like a password.
pub(crate) fn origin(option: &str, address: &str) -> Result<String, Failure> {
    let wrong = |why: &str| Failure::new("option-invalid", format!("{option} {address}: {why}"));
    let uri: Uri = address
        .parse()
        .map_err(|_| wrong("expected an address such as https://assay.example"))?;
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if is_here(uri.host().unwrap_or_default()) => {}
        _ => {
            return Err(wrong(
                "the address must begin with https://, or with http:// if the service runs on this machine",
            ));
        }
    }
    if uri.path() != "/" || uri.query().is_some() || address.contains(['@', '#']) {
        return Err(wrong(
            "the address must have no path, query, fragment or credentials, as in https://assay.example",
        ));
    }
    Ok(address.trim_end_matches('/').to_owned())
}

/// Returns true for a host of this machine.
pub(crate) fn is_here(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]")
        || host.starts_with("127.") && host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Creates the client for requests. It follows no redirects, and returns answers of every status.
pub(crate) fn agent() -> ureq::Agent {
    // A second call fails because the provider is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tls = ureq::tls::TlsConfig::builder()
        .root_certs(ureq::tls::RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(TIMEOUT))
        .tls_config(tls)
        .build()
        .new_agent()
}

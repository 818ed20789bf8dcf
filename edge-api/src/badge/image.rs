//! Images for badges: the service's own images, and custom images, which the service fetches from an address that the caller
//! gives.
//!
//! Any caller can make the service fetch any image. These fetches therefore have a separate memory budget and a limit for each
//! client network. They do not use the shared cache.

use std::rc::Rc;

use alloy_primitives::keccak256;
use order_core::{Code, json};
use serde::{Deserialize, Serialize};

use super::Badge;
use super::documents::{FetchFailure, get};
use super::store;
use crate::failure::Failure;
use crate::files::Hosted;
use crate::network::network_key;
use crate::outbound::{FetchSession, Policy, Target};
use crate::ports::ByteBudget;

/// Maximum bytes of a custom image.
const LIMIT: usize = 512 << 10;
/// Maximum characters of an image's media type.
const TYPE_MAX: usize = 64;

/// An image of the service itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// For valid assets whose issuer is confirmed.
    Trusted,
    /// For valid assets whose issuer is not confirmed.
    Unconfirmed,
    /// For assets whose public data was changed, is not proven, or was copied from another asset.
    Untrusted,
    /// For assets that were destroyed.
    Withdrawn,
    /// For assets that were never issued, and for unknown ledgers.
    NotIssued,
    /// For assets that could not be checked.
    Unknown,
    /// For assets of an issuer that a domain disowns.
    Disowned,
    /// For assets whose expiry date has passed.
    Expired,
    /// For assets whose public data belongs to an earlier imprint.
    Replaced,
    /// For valid assets whose issuer a domain confirmed before, but does not confirm now.
    NoLongerConfirmed,
}

impl Name {
    const ALL: [Self; 10] = [
        Self::Trusted,
        Self::Unconfirmed,
        Self::Untrusted,
        Self::Withdrawn,
        Self::NotIssued,
        Self::Unknown,
        Self::Disowned,
        Self::Expired,
        Self::Replaced,
        Self::NoLongerConfirmed,
    ];

    /// Returns the image's path on this service (`docs/interface.md`, "Badge").
    fn path(self) -> &'static str {
        match self {
            Self::Trusted => "/images/trusted.svg",
            Self::Unconfirmed => "/images/unconfirmed.svg",
            Self::Untrusted => "/images/untrusted.svg",
            Self::Withdrawn => "/images/withdrawn.svg",
            Self::NotIssued => "/images/not-issued.svg",
            Self::Unknown => "/images/unknown.svg",
            Self::Disowned => "/images/disowned.svg",
            Self::Expired => "/images/expired.svg",
            Self::Replaced => "/images/replaced.svg",
            Self::NoLongerConfirmed => "/images/no-longer-confirmed.svg",
        }
    }
}

/// An image with its media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) content_type: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns an image of the service itself.
pub(crate) fn bundled(name: Name) -> Image {
    let bytes: &[u8] = match name {
        Name::Trusted => include_bytes!("../../assets/trusted.svg"),
        Name::Unconfirmed => include_bytes!("../../assets/unconfirmed.svg"),
        Name::Untrusted => include_bytes!("../../assets/untrusted.svg"),
        Name::Withdrawn => include_bytes!("../../assets/withdrawn.svg"),
        Name::NotIssued => include_bytes!("../../assets/not-issued.svg"),
        Name::Unknown => include_bytes!("../../assets/unknown.svg"),
        Name::Disowned => include_bytes!("../../assets/disowned.svg"),
        Name::Expired => include_bytes!("../../assets/expired.svg"),
        Name::Replaced => include_bytes!("../../assets/replaced.svg"),
        Name::NoLongerConfirmed => include_bytes!("../../assets/no-longer-confirmed.svg"),
    };
    Image {
        content_type: "image/svg+xml".to_owned(),
        bytes: bytes.to_vec(),
    }
}

/// The parts of an image request that decide which image is returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The origin under which the service was called.
    pub(crate) origin: &'a str,
    /// The client's network address, if the host knows it.
    pub(crate) client_address: Option<&'a str>,
    /// The query parameter that gives the address of a custom image, and its value. `None` for the service's own image.
    pub(crate) custom: Option<(&'static str, &'a str)>,
}

/// Returns the image for a verdict: `own`, or the custom image that the caller asked for.
///
/// # Errors
/// [`Code::BadgeImageUnavailable`] if the address of the custom image is not allowed, if the fetch failed, or if the answer is
/// empty or not an image. Also if too many images were fetched for the client network.
pub(crate) async fn selected(
    ctx: &Badge<'_>,
    own: Name,
    asked: Asked<'_>,
) -> Result<Image, Failure> {
    let Some((parameter, address)) = asked.custom else {
        return Ok(bundled(own));
    };
    // If the caller names the address of one of the service's own images, that image is used without a request.
    let written_out = Name::ALL
        .into_iter()
        .find(|name| address.strip_prefix(asked.origin) == Some(name.path()));
    if let Some(name) = written_out {
        return Ok(bundled(name));
    }
    custom_image(ctx, asked, address).await.map_err(|why| {
        Failure::one(
            Code::BadgeImageUnavailable,
            parameter,
            format!("the image at `{parameter}` could not be used: {why}"),
        )
    })
}

/// The header of a stored custom image: a line of JSON before the image's bytes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stored {
    /// The image's media type.
    Type(String),
    /// The reason why there is no image.
    Error(String),
}

async fn custom_image(ctx: &Badge<'_>, asked: Asked<'_>, address: &str) -> Result<Image, String> {
    let hosted = Hosted::new(ctx, asked.origin);
    let policy = hosted.policy();
    // Checked before the cache lookup, because the policy depends on the origin: an address on the caller's origin is refused.
    let target = policy
        .check(address)
        .map_err(|refused| refused.to_string())?;
    let key = format!("image/{:x}", keccak256(target.as_str()));
    if let Some(found) = store::get_here(ctx, &key).and_then(|(_, stored)| decode(&stored)) {
        return found;
    }
    let memory = ctx.memory;
    let now = ctx.ports().clock.now_ms();
    let within = asked
        .client_address
        .is_none_or(|address| memory.fetched.allow(&network_key(address), now));
    if !within {
        return Err(
            "too many images were fetched for this client network; wait ten seconds".to_owned(),
        );
    }
    let image = fetch(ctx, policy, target, Rc::new(memory.images.share(now))).await;
    let seconds = store::seconds(ctx, image.as_ref().err().map(|failure| failure.reason));
    let image = image.map_err(|failure| failure.why);
    if let Some(stored) = encode(&image) {
        store::put_here(ctx, &key, seconds, &stored);
    }
    image
}

async fn fetch(
    ctx: &Badge<'_>,
    policy: Policy<'_>,
    target: Target,
    budget: Rc<dyn ByteBudget>,
) -> Result<Image, FetchFailure> {
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy).within(budget);
    let answer = get(ctx, &session, target, "image/*", LIMIT).await?.answer;
    let content_type = answer.content_type.unwrap_or_default();
    let content_type = media_type(&content_type).ok_or_else(|| {
        FetchFailure::new(
            "not-image",
            "the server does not say that it is an image (`content-type: image/…`)",
        )
    })?;
    if answer.body.is_empty() {
        return Err(FetchFailure::new("empty", "it is empty"));
    }
    Ok(Image {
        content_type,
        bytes: answer.body,
    })
}

/// Returns the media type without parameters, or `None` if it is not a valid `image/…` type. Only letters, digits and the
/// symbols of registered names are allowed (RFC 6838, section 4.2). A response therefore cannot repeat arbitrary text from
/// another server.
fn media_type(value: &str) -> Option<String> {
    let essence = value.split(';').next()?.trim().to_ascii_lowercase();
    let name = essence.strip_prefix("image/")?;
    let first = name.bytes().next()?.is_ascii_alphanumeric();
    let rest = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte));
    (first && rest && essence.len() <= TYPE_MAX).then_some(essence)
}

fn encode(image: &Result<Image, String>) -> Option<Vec<u8>> {
    let (head, bytes) = match image {
        Ok(image) => (
            Stored::Type(image.content_type.clone()),
            image.bytes.as_slice(),
        ),
        Err(why) => (Stored::Error(why.clone()), &[][..]),
    };
    let mut stored = serde_json::to_vec(&head).ok()?;
    stored.push(b'\n');
    stored.extend_from_slice(bytes);
    Some(stored)
}

fn decode(stored: &[u8]) -> Option<Result<Image, String>> {
    let end = stored.iter().position(|byte| *byte == b'\n')?;
    let (head, bytes) = stored.split_at_checked(end)?;
    Some(match json::parse(head).and_then(json::from_value).ok()? {
        Stored::Type(content_type) => Ok(Image {
            content_type,
            bytes: bytes.get(1..)?.to_vec(),
        }),
        Stored::Error(why) => Err(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_repeat_only_valid_image_types_without_parameters() {
        for (value, echoed) in [
            ("image/png", "image/png"),
            ("IMAGE/PNG", "image/png"),
            ("image/svg+xml; charset=utf-8", "image/svg+xml"),
            (" image/vnd.microsoft.icon ;x", "image/vnd.microsoft.icon"),
        ] {
            assert_eq!(media_type(value).as_deref(), Some(echoed));
        }
        for value in [
            "",
            "image",
            "image/",
            "image/;",
            "image/*",
            "text/html",
            "text/html; image/png",
            "application/image/png",
            "image/a b",
            "image/png,text/html",
            "image/\"x\"",
            "image/a/b",
            "image/é",
            "ximage/png",
        ] {
            assert_eq!(media_type(value), None, "{value}");
        }
        assert_eq!(media_type(&format!("image/{}", "a".repeat(TYPE_MAX))), None);
    }

    #[test]
    fn the_stored_form_is_pinned() {
        let image = Ok(Image {
            content_type: "image/png".to_owned(),
            bytes: b"\n\x89".to_vec(),
        });
        assert_eq!(encode(&image).unwrap(), b"{\"type\":\"image/png\"}\n\n\x89");
        assert_eq!(decode(&encode(&image).unwrap()), Some(image));
        let error = Err("it is empty".to_owned());
        assert_eq!(encode(&error).unwrap(), b"{\"error\":\"it is empty\"}\n");
        assert_eq!(decode(&encode(&error).unwrap()), Some(error));
        assert_eq!(decode(b"{\"type\":\"image/png\"}"), None);
        assert_eq!(decode(b"{\"kind\":1}\nx"), None);
    }

    #[test]
    fn own_images_have_a_title_and_a_description_and_no_script() {
        for name in Name::ALL {
            let text = String::from_utf8(bundled(name).bytes).unwrap();
            assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"));
            assert!(
                text.contains("role=\"img\"") && text.contains("<title") && text.contains("<desc")
            );
            assert!(!text.contains("<script") && !text.contains("href"));
        }
        assert_ne!(bundled(Name::Trusted), bundled(Name::Untrusted));
    }
}

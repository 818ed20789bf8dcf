//! Pictures of untrusted size.

use base64ct::{Base64, Encoding as _};
use krilla::Data;
use krilla::image::Image;

use crate::error::PdfError;

/// The largest picture, in bytes.
pub const MAX_PICTURE: usize = 1024 * 1024;
/// The most pixels of a picture, and of all pictures of a document. Decoding takes up to eight bytes for each.
const MAX_PIXELS: u32 = 16_000_000;

/// Returns a PNG or JPEG picture.
pub(crate) fn picture(bytes: &[u8]) -> Result<Image, PdfError> {
    if bytes.len() > MAX_PICTURE {
        return Err(PdfError::PictureInvalid);
    }
    let data = Data::from(bytes.to_vec());
    // Only the head is read here. Pixels are decoded when the document is written.
    let read = if bytes.starts_with(b"\x89PNG") {
        Image::from_png(data, false)
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Image::from_jpeg(data, false)
    } else {
        return Err(PdfError::PictureInvalid);
    };
    let image = read.map_err(|_| PdfError::PictureInvalid)?;
    let (width, height) = image.size();
    let pixels = width.checked_mul(height).filter(|pixels| *pixels > 0);
    match pixels {
        Some(pixels) if pixels <= MAX_PIXELS => Ok(image),
        _ => Err(PdfError::PictureInvalid),
    }
}

/// Checks that bytes are a picture that a PDF can show. Its pixels are decoded only when the document is written.
///
/// # Errors
/// [`PdfError::PictureInvalid`] if they are not.
pub fn check_picture(bytes: &[u8]) -> Result<(), PdfError> {
    picture(bytes).map(|_| ())
}

/// The pictures of a document, which are bounded together: each of many small files can have many pixels.
pub(crate) struct Pictures {
    pixels_left: u32,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            pixels_left: MAX_PIXELS,
        }
    }
}

impl Pictures {
    /// Returns the picture of a `data:` address. `None` for other addresses, other kinds of pictures, and pictures beyond the bounds.
    pub(crate) fn of_address(&mut self, address: &str) -> Option<Image> {
        let image = picture(&picture_of(address)?).ok()?;
        let (width, height) = image.size();
        let pixels = width.checked_mul(height)?;
        self.pixels_left = self.pixels_left.checked_sub(pixels)?;
        Some(image)
    }
}

/// Returns the bytes of the PNG or JPEG picture in a `data:` address. `None` for other addresses, and for more than [`MAX_PICTURE`] bytes.
#[must_use]
pub fn picture_of(address: &str) -> Option<Vec<u8>> {
    let rest = address.strip_prefix("data:image/")?;
    let encoded = rest
        .strip_prefix("png;base64,")
        .or_else(|| rest.strip_prefix("jpeg;base64,"))?;
    // Base64 takes four characters for three bytes.
    if encoded.len() / 4 > MAX_PICTURE / 3 {
        return None;
    }
    Base64::decode_vec(encoded).ok()
}

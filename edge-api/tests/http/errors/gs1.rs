//! Codes of `/gs1`.

use super::Book;
use crate::support::Call;
use crate::support::people::World;

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let item = "/gs1/0x1111111111111111111111111111111111111111/01/09506000134352/21/1";
    book.add(
        &[400_108],
        "GET /gs1/{ledgerRef}/01/{gtin}/21/{serial} with a GTIN of 13 digits",
        &world.call(Call::get(item.replace("/09", "/9"))),
    );
    book.add(
        &[404_007],
        "GET /gs1/{ledgerRef}/01/{gtin}/21/{serial} with `linkType=gs1:pip`",
        &world.call(Call::get(format!("{item}?linkType=gs1:pip"))),
    );
}

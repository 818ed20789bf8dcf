//! An invalid cursor is an error, because an empty page would look like the end of the list.

use serde_json::json;

use crate::support::openapi;
use crate::support::people::World;

#[test]
fn an_invalid_cursor_is_400101_on_every_list() {
    let world = World::new();
    let person = world.funded();
    let ledger = world.ledger(&person, &[1, 2]);
    for _ in 0..2 {
        let body = json!({ "amount": 1000 });
        world.call(person.post("/deposits", &body)).data();
    }
    let deposits = |query: &str| world.call(person.get(format!("/deposits?{query}")));
    let meta = deposits("limit=1").meta();
    let cursor = meta["next"].as_str().expect("a cursor");
    assert_eq!(
        deposits(&format!("after={cursor}"))
            .data()
            .as_array()
            .map(Vec::len),
        Some(2)
    );

    let reference = ledger["ref"].as_str().expect("a reference");
    let paths = openapi::document()["paths"]
        .as_object()
        .expect("paths")
        .iter();
    let lists: Vec<String> = paths
        // Administrators' lists are left out, because they use the same code.
        .filter(|(path, _)| !path.starts_with("/admin/"))
        .filter(|(_, path)| {
            let parameters = path["get"]["parameters"].as_array().into_iter().flatten();
            let mut names = parameters.filter_map(|one| one["name"].as_str());
            names.any(|name| name == "after")
        })
        .map(|(path, _)| path.replace("{ledgerRef}", reference))
        .collect();
    assert!(lists.len() > 10, "{lists:?}");
    for list in lists {
        // Truncated cursors, a cursor of another list, a reference, and unrelated strings.
        let mut wrong = vec![
            &cursor[..36],
            reference,
            "garbage",
            "0",
            "-1",
            "%00",
            "x.00000000",
        ];
        if list == "/deposits" {
            wrong.extend([&cursor[1..], &cursor[..cursor.len() - 1]]);
        } else {
            wrong.push(cursor);
        }
        for after in wrong {
            let answer = world.call(person.get(format!("{list}?after={after}")));
            answer.fails(400, &[400_101]);
            assert_eq!(answer.errors(), ["400101 after"], "{list}?after={after}");
        }
    }
}

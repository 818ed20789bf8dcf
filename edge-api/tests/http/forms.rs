//! Request bodies of the type `multipart/form-data`.

use serde_json::{Value, json};

use crate::support::Call;
use crate::support::people::{Person, World};

const BOUNDARY: &str = "----form-7d1";

/// Returns a form with these fields, as a browser writes it.
fn form(fields: &[(&str, &str)]) -> String {
    let mut body = String::new();
    for (name, value) in fields {
        body += &format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
    }
    body + &format!("--{BOUNDARY}--\r\n")
}

fn send(person: &Person, method: &'static str, target: &str, body: impl Into<Vec<u8>>) -> Call {
    Call::new(method, target)
        .header("authorization", &person.authorization())
        .raw(&format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

#[test]
fn the_parts_of_a_form_are_the_top_level_fields() {
    let world = World::new();
    let person = Person::new();
    let answer = world.call(send(
        &person,
        "POST",
        "/deposits",
        form(&[("amount", " 100000 ")]),
    ));
    assert_eq!(answer.status, 201);

    // A part of this form that parses as JSON is read as JSON, even an object. A claim is not JSON, so it is a string.
    let deployment = world.deployment(&person, &[1]);
    let fields = [
        ("deploy", deployment["deploy"].to_string()),
        ("priority", "2".to_owned()),
        (
            "claim",
            deployment["claim"].as_str().expect("a claim").to_owned(),
        ),
    ];
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let made = world.call(send(&person, "POST", "/deployments", form(&fields)));
    assert_eq!(made.status, 201);
    assert_eq!(made.data()["deploy"], {
        let again = world.call(person.post("/deployments", &deployment));
        assert_eq!(again.status, 200);
        again.data()["deploy"].clone()
    });

    let names = [
        ("firstName", "null"),
        ("lastName", "\"Byron\""),
        ("email", "ada@example.com"),
        ("streetAddress", "1 Main Street, \u{160}i\u{161}ka"),
        ("postalCode", "1000"),
        ("city", "Ljubljana"),
        ("country", "Slovenia"),
        ("isCompany", "false"),
    ];
    let stored = world.call(send(&person, "PUT", "/account", form(&names)));
    let information = stored.data()["information"].clone();
    assert_eq!(
        (
            &information["firstName"],
            &information["lastName"],
            &information["postalCode"],
            &information["streetAddress"]
        ),
        (
            &json!("null"),
            &json!("Byron"),
            &json!("1000"),
            &json!("1 Main Street, \u{160}i\u{161}ka")
        )
    );
}

#[test]
fn a_form_without_the_required_fields_is_refused() {
    let world = World::new();
    let person = Person::new();
    for body in [form(&[]), form(&[("amount", "")])] {
        world
            .call(send(&person, "POST", "/deposits", body))
            .fails(422, &[422_095]);
    }
    let misspelt = send(&person, "POST", "/deposits", form(&[("amuont", "1000")]));
    world.call(misspelt).fails(422, &[422_900]);
    world
        .call(send(&person, "PUT", "/account", form(&[])))
        .fails(422, &[422_097]);
}

#[test]
fn an_invalid_form_or_a_form_with_a_file_is_400100() {
    let world = World::new();
    let person = Person::new();
    let file = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"amount\"; filename=\"a.json\"\r\n\
         Content-Type: application/json\r\n\r\n1000\r\n--{BOUNDARY}--\r\n"
    );
    let mut not_text =
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"amount\"\r\n\r\n")
            .into_bytes();
    not_text.extend(b"\xff\xfe");
    not_text.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    let whole = form(&[("amount", "1000")]);
    let bodies: Vec<Vec<u8>> = vec![
        vec![],
        b"{\"amount\":1000}".to_vec(),
        file.into_bytes(),
        not_text,
        whole.replace('\r', "").into_bytes(),
        whole.replace("--\r\n", "").into_bytes(),
        format!("{whole}{whole}").into_bytes(),
        form(&[("amount", "1000"), ("amount", "2000")]).into_bytes(),
        form(&[("amount", &"[".repeat(64))]).into_bytes(),
    ];
    for body in bodies {
        let text = String::from_utf8_lossy(&body).into_owned();
        let answer = world.call(send(&person, "POST", "/deposits", body));
        assert_eq!(
            (answer.status, answer.codes()),
            (400, vec![400_100]),
            "{text}"
        );
    }
    for content_type in [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"",
    ] {
        let call = Call::new("POST", "/deposits")
            .header("authorization", &person.authorization())
            .raw(content_type, whole.as_str());
        world.call(call).fails(400, &[400_100]);
    }
    for content_type in [
        "multipart/mixed; boundary=x",
        "application/x-www-form-urlencoded",
        "text/plain",
    ] {
        let call = Call::new("POST", "/deposits")
            .header("authorization", &person.authorization())
            .raw(content_type, "amount=1000");
        world.call(call).fails(415, &[415_000]);
    }
    let large = form(&[("amount", &"1".repeat(1 << 20))]);
    world
        .call(send(&person, "POST", "/deposits", large))
        .fails(413, &[413_000]);
    let account: Value = world.call(person.get("/account")).data();
    assert_eq!(account["balance"], "0");
}

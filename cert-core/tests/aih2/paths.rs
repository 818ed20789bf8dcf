//! Tests paths and the places to which they lead: sections 6 and 7 of the specification, sentence by sentence.

use cert_core::aih2::{self, Cert, Evidence, Keys, Values};
use cert_core::{Path, Value};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "name":{"type":"string"}, "born":{"type":"integer"}, "email":{"type":"string"},
    "grades":{"type":"array","items":{"type":"integer"}}, "none":{"type":"array","items":{}},
    "four":{"type":"array","items":{},"maxItems":4},
    "home":{"type":"object","properties":{"street":{},"-":{}}},
    "rows":{"type":"array","items":{"type":"object","properties":{"id":{}}}}}}"#;
const DATA: &str = r#"{"name":"Ada","born":1815,"grades":[1,2,3],"none":[],"four":[1,2,3,4],"rows":[{"id":1},{}]}"#;

struct Holder {
    cert: Cert,
    data: Value,
    keys: Keys,
}

fn holder() -> Holder {
    Holder {
        cert: Cert::new(&aih2::parse(SCHEMA).unwrap()).unwrap(),
        data: aih2::parse(DATA).unwrap(),
        keys: Keys::Key([3; 32].into()),
    }
}

fn paths(text: &str) -> Vec<Path> {
    Path::list_from(&Value::parse(text).unwrap()).unwrap()
}

impl Holder {
    fn disclose(&self, asked: &str) -> Evidence {
        self.cert
            .disclose(&self.data, &self.keys, &paths(asked), Values::Detach)
            .unwrap()
    }

    fn refusal(&self, asked: &str) -> String {
        let error = self
            .cert
            .disclose(&self.data, &self.keys, &paths(asked), Values::Attach)
            .unwrap_err();
        error.code().to_string()
    }

    fn shown(&self, asked: &str) -> String {
        self.cert.expose(&self.data, &paths(asked)).to_json()
    }

    /// Returns evidence for the paths `asked`, made from evidence for the paths `of`, or the code of the error.
    fn less(&self, of: &str, asked: &str) -> Result<Evidence, String> {
        let (evidence, document) = (self.disclose(of), self.cert.expose(&self.data, &paths(of)));
        let less = self
            .cert
            .reduce(Some(&document), &evidence, &paths(asked), Values::Detach);
        less.map_err(|error| error.code().to_string())
    }
}

#[test]
fn equivalent_paths_have_the_same_proof() {
    let holder = holder();
    for (one, other) in [
        (r#"[["email"]]"#, r#"[["email"],["email"]]"#),
        // Paths below an absent property, at places that the schema describes.
        (r#"[["home"]]"#, r#"[["home","street"]]"#),
        (r#"[["home"]]"#, r#"[["home","-"]]"#),
        // The end of a list.
        (r#"[["grades","-"]]"#, r#"[["grades",3]]"#),
        (r#"[["grades","-"]]"#, r#"[["grades",4294967294]]"#),
        (r#"[["rows","-"]]"#, r#"[["rows",9,"id"]]"#),
        (r#"[["none","-"]]"#, r#"[["none",0]]"#),
        // A path below another path that is open.
        (r#"[["rows"]]"#, r#"[["rows"],["rows",0,"id"],["rows",7]]"#),
        (r#"[[]]"#, r#"[["rows",0],[]]"#),
    ] {
        assert_eq!(holder.disclose(one), holder.disclose(other), "{other}");
    }
    // A path to the whole list proves that the list is complete. Paths to its single items do not prove this.
    assert_ne!(
        holder.disclose(r#"[["grades"]]"#),
        holder.disclose(r#"[["grades",0],["grades",1],["grades",2]]"#)
    );
    assert_ne!(
        holder.disclose(r#"[["grades"]]"#),
        holder.disclose(r#"[["grades",0],["grades",1],["grades",2],["grades","-"]]"#)
    );
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    let holder = holder();
    for (asked, code) in [
        (r#"[["mail"]]"#, "not-in-schema"),
        (r#"[["home","town"]]"#, "not-in-schema"),
        (r#"[["rows",0,"name"]]"#, "not-in-schema"),
        (r#"[["rows",9,"name"]]"#, "not-in-schema"),
        (r#"[["rows"],["rows",0,"name"]]"#, "not-in-schema"),
        (r#"[[],["mail"]]"#, "not-in-schema"),
        (r#"[["name","x"]]"#, "path-not-separable"),
        (r#"[["name",0]]"#, "path-not-separable"),
        (r#"[["email","x"]]"#, "path-not-separable"),
        (r#"[["grades",0,0]]"#, "path-not-separable"),
        (r#"[["grades","0"]]"#, "paths-invalid"),
        (r#"[["grades","length"]]"#, "paths-invalid"),
        (r#"[[0]]"#, "paths-invalid"),
        (r#"[["home",0]]"#, "paths-invalid"),
        ("[]", "nothing-open"),
    ] {
        assert_eq!(holder.refusal(asked), code, "{asked}");
    }
}

#[test]
fn exposed_values_match_opened_values() {
    let holder = holder();
    for (asked, shown) in [
        (r#"[["name"]]"#, r#"{"name":"Ada"}"#),
        (
            r#"[["grades",1],["grades","-"],["name"],["email"]]"#,
            r#"{"name":"Ada","grades":[null,2]}"#,
        ),
        // A list without shown items is not shown, unless it is proven to be empty.
        (r#"[["grades","-"]]"#, "{}"),
        (r#"[["four","-"]]"#, "{}"),
        (r#"[["none","-"]]"#, r#"{"none":[]}"#),
        (r#"[["none"]]"#, r#"{"none":[]}"#),
        // An open object is shown, even if it appears empty.
        (r#"[["rows",1,"id"]]"#, r#"{"rows":[null,{}]}"#),
        (r#"[["home","street"],["email"]]"#, "{}"),
        ("[[]]", DATA),
        ("[]", "{}"),
        (r#"[["mail"],["grades",9]]"#, "{}"),
    ] {
        assert_eq!(holder.shown(asked), shown, "{asked}");
        if asked.contains("mail\"") && !asked.contains("email") || asked == "[]" {
            continue;
        }
        let (evidence, document) = (holder.disclose(asked), Value::parse(shown).unwrap());
        let imprint = holder.cert.imprint(&holder.data, &holder.keys).unwrap();
        assert_eq!(
            holder.cert.calculate(Some(&document), &evidence).unwrap(),
            imprint,
            "{asked}"
        );
    }
}

#[test]
fn reports_state_proven_ends() {
    let holder = holder();
    let imprint = holder
        .cert
        .imprint(&holder.data, &holder.keys)
        .unwrap()
        .to_string();
    for (asked, at_most, length, complete) in [
        (r#"[["grades","-"]]"#, 3, None, false),
        (r#"[["grades","-"],["grades",2]]"#, 3, Some(3), false),
        (r#"[["grades",2]]"#, 4, None, false),
        (r#"[["grades"]]"#, 3, Some(3), true),
        // A list with 2^depth items has no voids.
        (r#"[["four","-"]]"#, 4, None, false),
        (r#"[["four",3]]"#, 4, Some(4), false),
        (r#"[["none","-"]]"#, 0, Some(0), true),
    ] {
        let evidence = holder
            .cert
            .disclose(&holder.data, &holder.keys, &paths(asked), Values::Attach)
            .unwrap();
        let report = holder
            .cert
            .verify(None, &evidence.to_value(), &imprint)
            .unwrap();
        assert!(report.valid);
        let list = &report.lists[0];
        assert_eq!(
            (list.at_most, list.length, list.complete),
            (at_most, length, complete),
            "{asked}"
        );
    }
}

#[test]
fn evidence_is_reduced_to_opened_paths() {
    let holder = holder();
    let of = r#"[["grades",1],["grades","-"],["rows"],["name"],["email"],["none"],["four","-"]]"#;
    for asked in [
        r#"[["grades",1]]"#,
        r#"[["grades","-"]]"#,
        r#"[["rows"]]"#,
        r#"[["rows",1,"id"]]"#,
        r#"[["rows","-"]]"#,
        r#"[["email"]]"#,
        r#"[["none","-"]]"#,
        r#"[["four","-"]]"#,
    ] {
        assert_eq!(
            holder.less(of, asked),
            Ok(holder.disclose(asked)),
            "{asked}"
        );
    }
    for (asked, code) in [
        ("[]", "nothing-open"),
        ("[[]]", "not-available"),
        (r#"[["born"]]"#, "not-available"),
        (r#"[["home"]]"#, "not-available"),
        (r#"[["grades"]]"#, "not-available"),
        (r#"[["grades",0]]"#, "not-available"),
        // In evidence for a part, only `"-"` requests the end of a list. An index past the end is refused, even if the end is proven.
        (r#"[["grades",3]]"#, "not-available"),
        (r#"[["grades",99]]"#, "not-available"),
        (r#"[["rows",2]]"#, "not-available"),
        (r#"[["mail"]]"#, "not-in-schema"),
        (r#"[["name","x"]]"#, "path-not-separable"),
    ] {
        assert_eq!(holder.less(of, asked), Err(code.to_owned()), "{asked}");
    }
    // Without an open end, the evidence still gives the depth.
    let evidence = holder
        .less(r#"[["grades",0]]"#, r#"[["grades","-"]]"#)
        .unwrap();
    let imprint = holder
        .cert
        .imprint(&holder.data, &holder.keys)
        .unwrap()
        .to_string();
    let report = holder
        .cert
        .verify(
            Some(&Value::parse("{}").unwrap()),
            &evidence.to_value(),
            &imprint,
        )
        .unwrap();
    assert!(report.valid);
    assert_eq!((report.lists[0].at_most, report.lists[0].length), (4, None));
}

#[test]
fn the_examples_of_the_specification_are_reproduced() {
    let schema = aih2::parse(
        r#"{"type":"object","properties":{"name":{"type":"string"},"born":{"type":"integer"},
        "email":{"type":"string"},"grades":{"type":"array","items":{"type":"integer"}}}}"#,
    )
    .unwrap();
    let holder = Holder {
        cert: Cert::new(&schema).unwrap(),
        data: aih2::parse(r#"{"born":1815,"grades":[1,2,3],"name":"Ada"}"#).unwrap(),
        keys: Keys::Key(std::array::from_fn(|at| at as u8).into()),
    };
    let imprint = holder.cert.imprint(&holder.data, &holder.keys).unwrap();
    assert_eq!(
        imprint.to_string(),
        "aih2:ae977043577f340cc37c61a36abf150d2e512b71042db9474c13df3f21d48440"
    );
    assert_eq!(
        holder.disclose(r#"[["name"]]"#).to_value().to_json(),
        r#"{"profile":"AIH-2","schemaId":"0x96e3d74eaa4c60dd2350d5c84a3d4798f0386ab5eca7223134334bfe1d306735","proof":"T05ItDnGkcIlBVFBMClBcix4g8B7l3MTh27aZFnyP7tPAExOSJwVk_AjfqPohsouwc5PGRkgIMTh2fUDwPJeVePEOTk7S3FyAC1fDbUdFBTMZZBMxiry9Qw_k8gqhlbx_JGWijRE"}"#
    );
    let more = r#"[["name"],["email"],["grades",1],["grades","-"]]"#;
    let tokens: String = crate::tokens::text(&holder.disclose(more));
    assert_eq!(tokens, "O N N H K N A2 N N H K N H K K");
    assert_eq!(holder.shown(more), r#"{"grades":[null,2],"name":"Ada"}"#);
}

#[test]
fn a_host_may_allow_less_work() {
    let holder = holder();
    let imprint = holder
        .cert
        .imprint(&holder.data, &holder.keys)
        .unwrap()
        .to_string();
    let evidence = holder.disclose(r#"[["name"]]"#);
    let document = Value::parse(r#"{"name":"Ada"}"#).unwrap();
    // The root, three nodes for eight slots, the leaf and the imprint.
    for (most, is_known) in [(6, true), (5, false)] {
        let cert = Cert::new(&aih2::parse(SCHEMA).unwrap())
            .unwrap()
            .with_most_work(most);
        let report = cert.verify(Some(&document), &evidence.to_value(), &imprint);
        assert_eq!(
            report.as_ref().is_ok_and(|report| report.valid),
            is_known,
            "{most}"
        );
        if let Err(error) = report {
            assert_eq!(error.code().as_str(), "too-much-work");
        }
        assert!(cert.imprint(&holder.data, &holder.keys).is_err());
    }
}

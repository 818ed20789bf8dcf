//! The commands of the README.

use std::fs;
use std::path::Path;
use std::process::Command;

use cert_core::Value;

use crate::support::{Folder, of_data, part};

/// Runs the README's commands in a shell, and checks that hidden values stay hidden.
#[test]
fn the_readmes_commands_run_and_hide_values() {
    const README: &str = include_str!("../../README.md");
    let folder = Folder::new("readme");
    let blocks: Vec<&str> = README
        .split("```sh\n")
        .skip(1)
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.contains("-s schema.json"))
        .collect();
    let tool = Path::new(env!("CARGO_BIN_EXE_cert"));
    let search = format!(
        "{}:{}",
        tool.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-ec", &blocks.concat()])
        .current_dir(&folder.0)
        .env("PATH", search)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{err}");
    assert!(err.contains("PROVEN: the imprint certifies"), "{err}");

    // Anyone can compute the nonces of a certificate without a secret, and hash guesses of hidden values with them. The evidence must have
    // none of these hashes.
    let evidence = fs::read_to_string(folder.0.join("evidence.json")).unwrap();
    let proofs = Value::parse(&folder.ok(&of_data("notarize", &[]))).unwrap();
    for proof in proofs.as_array().unwrap() {
        for node in part(proof, "nodes").as_array().unwrap() {
            let hash = part(node, "hash").as_str().unwrap();
            assert!(!evidence.contains(hash), "{hash}");
        }
    }
}

/// Runs the README's batch command with `--preview`, which needs no service.
#[test]
fn the_readmes_batch_shows_its_first_certificate() {
    const README: &str = include_str!("../../README.md");
    let folder = Folder::new("readme-batch");
    folder.file(
        "people.csv",
        "Name;E-Mail;Email\n\"Ada; Dr.\";x;ada@example.com\n",
    );
    folder.file(
        "schema.json",
        r#"{ "type": "object", "properties": { "name": { "type": "string" }, "email": { "type": "string" } } }"#,
    );
    let (_, block) = README.split_once("```sh\ncert key > issuer.key").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let (_, command) = block.split_once("cert batch").unwrap();
    let command = command
        .replace("# add --yes to issue", "--preview")
        .replace("--key-column email", "--key-column Email --map E-Mail=");
    let output = Command::new("sh")
        .args(["-ec", &format!("\"$TOOL\" batch{command}")])
        .env("TOOL", env!("CARGO_BIN_EXE_cert"))
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{err}");
    let preview = Value::parse(&String::from_utf8(output.stdout).unwrap()).unwrap();
    assert_eq!(
        part(part(&preview, "public"), "name").as_str(),
        Some("Ada; Dr.")
    );
    assert_eq!(part(&preview, "hidden").to_json(), r#"["email"]"#);
    assert_eq!(part(&preview, "key").as_str(), Some("ada@example.com"));
}

//! PDFs of certificates: their texts, attachment and bounds. The tests in tests/pdf check them with other programs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail in this way"
)]
#![cfg(feature = "fonts")]

use base64ct::{Base64, Encoding as _};
use cert_pdf::{
    Design, Finding, FontFile, Fonts, Han, Issuer, Language, MAX_FILE, MAX_PICTURE, Options,
    Orientation, Pdf, PdfError, certificate_in, check_picture,
};
use serde_json::{Value, json};

const LEDGER: &str = "0xF9196f9f176fd2eF9243E8960817d5FbE63D79aa";

/// Writes a PDF with the fonts that it needs.
fn write(file: &str, options: &Options) -> Result<Pdf, PdfError> {
    let mut fonts = Fonts::new();
    fonts.add_missing(file, options)?;
    cert_pdf::write(file, options, &fonts)
}

fn file(schema: &Value, document: &Value) -> String {
    json!({
        "assay": 1, "service": "https://certs.example", "ledger": LEDGER, "asset": "17",
        "imprint": "0".repeat(64), "schema": schema, "document": document,
        "evidence": { "profile": "AIH-2" },
    })
    .to_string()
}

fn course(holder: &str) -> String {
    let schema = json!({
        "title": "Course certificate", "type": "object",
        "properties": {
            "name": { "title": "Course" },
            "holder": { "title": "Participant", "type": "object", "properties": { "name": { "title": "Name" }, "born": { "title": "Born" } } },
            "grade": { "title": "Grade" }, "date": { "title": "Completed" }, "hours": { "title": "Hours" },
            "modules": { "title": "Modules", "type": "array", "items": { "type": "object", "properties": { "name": { "title": "Module" }, "points": { "title": "Points" } } } },
            "topics": { "title": "Topics", "type": "array", "items": { "type": "string" } },
            "ledgerId": {}, "assetId": {},
        },
    });
    let document = json!({
        "name": "Applied Cryptography", "holder": { "name": holder, "born": "1990-12-10" }, "grade": "A", "date": "2026-06-30", "hours": 24.5,
        "modules": [{ "name": "Signatures", "points": 9 }, { "name": "Hashes", "points": 8.5 }, { "name": "Proofs", "points": 10 }],
        "topics": ["Ελληνικά", "Кириллица"],
        "ledgerId": LEDGER, "assetId": "17",
    });
    file(&schema, &document)
}

fn one(value: &Value) -> String {
    file(
        &json!({ "type": "object", "properties": { "value": { "title": "Value" } } }),
        &json!({ "value": value }),
    )
}

#[test]
fn the_attached_file_is_found_again() {
    let file = course("Ada Lovelace");
    let pdf = write(&file, &Options::default()).unwrap();
    assert!(pdf.findings.is_empty());
    assert_eq!(certificate_in(&pdf.bytes).unwrap(), file);
    assert!(pdf.bytes.len() < 80_000, "{}", pdf.bytes.len());
}

#[test]
fn equal_input_gives_equal_bytes() {
    let options = Options {
        created: 1_790_000_000,
        proving: Some(format!(
            "https://certs.example/c/{LEDGER}/17#2{}",
            "1".repeat(400)
        )),
        ..Options::default()
    };
    let file = course("Ada Lovelace");
    let bytes = write(&file, &options).unwrap().bytes;
    assert_eq!(bytes, write(&file, &options).unwrap().bytes);
    let later = Options {
        created: 1_790_000_001,
        ..options
    };
    assert_ne!(bytes, write(&file, &later).unwrap().bytes);
}

#[test]
fn a_missing_character_is_named_and_does_not_stop_the_pdf() {
    // Noto Sans has no emoji with these code points, no Georgian, and nothing for private use.
    for (text, expected) in [
        ("漢 Ada \u{fffe} 😀 漢", vec!["😀 (U+1F600)"]),
        ("á a\u{302}\u{323} ქ", vec!["ქ (U+10E5)"]),
        ("ไทย", vec!["ท (U+0E17)", "ย (U+0E22)", "ไ (U+0E44)"]),
        ("か\u{3099} \u{1112}\u{1161}\u{11ab} 葛\u{e0100}", vec![]),
    ] {
        let pdf = write(&one(&json!(text)), &Options::default()).unwrap();
        let missing: Vec<String> = pdf.findings.iter().map(Finding::subject).collect();
        assert_eq!(missing, expected, "{text}");
    }
}

#[test]
fn hidden_and_forbidden_characters_do_not_break_the_standard() {
    // PDF/A-3a forbids U+0000, U+FEFF, U+FFFE and characters for private use. All but U+FFFE are escaped, and this one has no font.
    for text in [
        "a\u{0}b",
        "\u{feff}",
        "\u{fffe}\u{ffff}",
        "\u{202e}abc",
        "\u{200d}",
        "a\u{2029}b\u{85}c\u{1c}d",
        "\t",
        "\u{ad}",
        "\u{2060}\u{fe0f}",
        "漢\u{e000}\u{f8ff}\u{f0000}\u{10fffd}",
    ] {
        for value in [json!(text), json!({ text: text })] {
            write(&one(&value), &Options::default())
                .unwrap_or_else(|error| panic!("{text:?}: {error}"));
        }
    }
}

#[test]
fn each_script_needs_only_its_font() {
    let needed = |text: &str| {
        let (file, options) = (one(&json!(text)), Options::default());
        let mut fonts = Fonts::new();
        let mut names = Vec::new();
        loop {
            let missing = fonts.missing(&file, &options).unwrap();
            if missing.is_empty() {
                return names;
            }
            for file in missing {
                fonts.add_contained(file).unwrap();
                names.push(file);
            }
        }
    };
    let stems = |text: &str| -> Vec<String> {
        let slices = needed(text)
            .into_iter()
            .map(|file| file.name().into_owned());
        let stem = |name: String| Some(name.strip_prefix("cjk/")?.split('-').next()?.to_owned());
        slices.filter_map(stem).collect()
    };
    let always = [FontFile::Serif, FontFile::SerifBold];
    assert_eq!(needed("Ada Ελλ Кир"), always);
    assert_eq!(needed("علي")[2..], [FontFile::Arabic]);
    assert_eq!(needed("שלום")[2..], [FontFile::Hebrew]);
    // No table has Thai letters, so none is loaded for them.
    assert_eq!(needed("हिन्दी ไทย")[2..], [FontFile::Devanagari]);
    // The table, and then one slice for each group of characters.
    assert_eq!(stems("王小明"), ["sc.ranges", "sc", "sc"]);
    assert_eq!(stems("東京 さくら")[..2], ["jp.ranges", "jp"]);
    assert_eq!(stems("김민준 金"), ["kr.ranges", "kr", "kr"]);
    // Kana decide, and Hangul come from their own font.
    let mixed = stems("さくら 김 漢");
    assert!(
        mixed.starts_with(&["jp.ranges".to_owned()]) && mixed.contains(&"kr".to_owned()),
        "{mixed:?}"
    );
}

#[test]
fn fonts_are_checked() {
    let file = one(&json!("علي"));
    let serif: &[u8] = include_bytes!("../fonts/NotoSerif-Regular.ttf");
    let mut few = Fonts::new();
    few.add(FontFile::Serif, serif).unwrap();
    few.add(FontFile::SerifBold, serif).unwrap();
    let lacks = |fonts: &Fonts, file: &str, name: &str| {
        let error = cert_pdf::write(file, &Options::default(), fonts).unwrap_err();
        assert_eq!(error, PdfError::FontInvalid(name.to_owned()));
    };
    lacks(&few, &file, "NotoNaskhArabic-Regular.ttf");
    lacks(&few, &one(&json!("漢")), "cjk/sc.ranges");
    few.add(FontFile::Table(Han::Chinese), b"6c49,6f22".as_slice())
        .unwrap();
    lacks(&few, &one(&json!("漢")), "cjk/sc-0.slice");
    let slice = FontFile::Slice(Han::Chinese, 0);
    let bomb = deflated(&vec![0; 10_000_000]);
    let many = "4e00\n".repeat(300);
    for (file, bytes) in [
        (FontFile::Serif, [0; 100].as_slice()),
        (slice, serif),
        (slice, &bomb),
        (FontFile::Table(Han::Korean), b"\xff"),
        (FontFile::Table(Han::Korean), b"text"),
        (FontFile::Table(Han::Korean), b"d800"),
        (FontFile::Table(Han::Korean), many.as_bytes()),
    ] {
        let error = few.add(file, bytes.to_vec()).unwrap_err();
        assert_eq!(error, PdfError::FontInvalid(file.name().into_owned()));
    }
}

/// Which slices earlier PDFs have loaded must not change how a later one looks.
#[test]
fn loaded_fonts_do_not_change_other_pdfs() {
    let options = Options::default();
    let mut fonts = Fonts::new();
    for text in ["漢字 直", "漢字 直 かな", "漢字 直 한글", "漢字 直"] {
        let file = one(&json!(text));
        fonts.add_missing(&file, &options).unwrap();
        let shared = cert_pdf::write(&file, &options, &fonts).unwrap();
        assert_eq!(
            shared.bytes,
            write(&file, &options).unwrap().bytes,
            "{text}"
        );
    }
}

#[test]
fn a_font_of_the_caller_is_used_for_other_characters() {
    let serif: &[u8] = include_bytes!("../fonts/NotoSerif-Regular.ttf");
    let arabic: &[u8] = include_bytes!("../fonts/NotoNaskhArabic-Regular.ttf");
    let (file, options) = (one(&json!("漢字 \u{10a0}")), Options::default());
    let mut fonts = Fonts::new();
    fonts.add(FontFile::Given(0), arabic).unwrap();
    fonts.add(FontFile::Given(1), serif).unwrap();
    fonts.add_missing(&file, &options).unwrap();
    let pdf = cert_pdf::write(&file, &options, &fonts).unwrap();
    assert_eq!(pdf.findings, [Finding::MissingCharacter('\u{10a0}')].into());
}

/// Writes PDFs into a folder for tests with other programs, and for people who want to look at them.
#[test]
fn all_shapes_of_sheets_are_written() {
    let folder = std::env::var_os("CERT_PDF_SAMPLES").map(std::path::PathBuf::from);
    let proving = format!(
        "https://certs.example/c/{LEDGER}/17#2{}",
        "0123456789".repeat(60)
    );
    let issuer = Issuer {
        account: LEDGER.to_owned(),
        domain: Some("university.example".to_owned()),
        name: Some("Example University".to_owned()),
    };
    let long = "Maximiliana Alexandrine von und zu Hohenlohe-Waldenburg-Schillingsfürst, geborene Gräfin von Ortenburg-Tambach";
    let rtl = file(
        &json!({ "title": "شهادة إتمام", "type": "object", "properties": { "name": {}, "holder": { "title": "الاسم" }, "note": { "title": "ملاحظة" }, "he": { "title": "עברית" }, "hi": { "title": "नाम" } } }),
        &json!({ "name": "مقدمة في التشفير (2026)", "holder": "محمد بن عبد الله Ada", "note": (["النص العربي مع English words و 123 رقم."; 12].join(" ")), "he": "שלום עולם (abc) 12", "hi": "श्रीमान् क्षत्रिय हिन्दी" }),
    );
    let combining = file(
        &json!({ "type": "object", "properties": { "name": {}, "holder": { "title": "Name" }, "v": { "title": "Tiếng Việt" } } }),
        &json!({ "name": "A\u{30a}ngstro\u{308}m a\u{302}\u{323} x\u{301}", "holder": "Nguyễn Thị Minh Khai, E\u{301}va \u{150}ry", "v": "Chứng chỉ hoàn thành khóa học 漢字" }),
    );
    let named = |title: &str, label: &str, holder: &str, note: &str| {
        let titles = json!({ "title": title, "type": "object", "properties": { "name": { "title": label }, "holder": { "title": label }, "note": { "title": label }, "list": { "title": label, "type": "array", "items": {} }, "rows": { "title": label, "type": "array", "items": { "type": "object", "properties": { "a": { "title": label }, "b": {} } } } } });
        let rows = json!([{ "a": holder, "b": 1 }, { "a": note, "b": 2 }]);
        file(
            &titles,
            &json!({ "name": title, "holder": holder, "note": ([note; 8].join("")), "list": [holder, note], "rows": rows }),
        )
    };
    let many: Vec<Value> = (0..120)
        .map(|index| json!({ "name": format!("Module {index}"), "points": index }))
        .collect();
    let mut paged: Value = serde_json::from_str(&course("Ada Lovelace")).unwrap();
    paged["document"]["modules"] = Value::Array(many);
    let samples = [
        ("course", course("Ada Lovelace")),
        ("long", course(long)),
        ("rtl", rtl),
        ("combining", combining),
        ("pages", paged.to_string()),
        (
            "chinese",
            named(
                "密码学基础结业证书",
                "课程",
                "王小明",
                "数据安全与密码学基础课程，修业期满，成绩合格，特发此证。",
            ),
        ),
        (
            "japanese",
            named(
                "修了証書",
                "コース",
                "髙橋 さくら",
                "「暗号理論入門」コースを修了したことを証します。",
            ),
        ),
        (
            "korean",
            named(
                "수료증",
                "과정",
                "김민준 (金民俊)",
                "위 사람은 암호학 기초 과정을 수료하였으므로 이 증서를 수여합니다.",
            ),
        ),
        (
            "east",
            named(
                "Ada 漢字 محمد",
                "コース Κурс",
                "王小明 علي שלום 김 さくら हिन्दी",
                "النص العربي مع 漢字 و English.",
            ),
        ),
    ];
    for (name, file) in samples {
        for orientation in [Orientation::Portrait, Orientation::Landscape] {
            for language in [Language::English, Language::German] {
                let options = Options {
                    language,
                    design: Design {
                        orientation,
                        signer: "Prof. Dr. Grace Hopper, Dean".to_owned(),
                        ..Design::default()
                    },
                    created: 1_790_000_000,
                    issued_at: Some("2026-07-01T10:00:00Z".to_owned()),
                    issuer: (language == Language::English).then(|| issuer.clone()),
                    proving: (language == Language::English).then(|| proving.clone()),
                    hidden: vec!["Address".to_owned(), "مكان".to_owned()],
                    ..Options::default()
                };
                let pdf = write(&file, &options).unwrap();
                assert_eq!(certificate_in(&pdf.bytes).unwrap(), file);
                // The tags of 120 rows in a table take about 40 KB.
                let most = if name == "pages" { 100_000 } else { 80_000 };
                assert!(pdf.bytes.len() < most, "{name}: {}", pdf.bytes.len());
                if let Some(folder) = &folder {
                    let kind = if orientation == Orientation::Portrait {
                        "portrait"
                    } else {
                        "landscape"
                    };
                    std::fs::write(
                        folder.join(format!("{name}-{kind}-{}.pdf", language.tag())),
                        pdf.bytes,
                    )
                    .unwrap();
                }
            }
        }
    }
}

#[test]
fn sizes_are_bounded() {
    let refused = |file: &str, options: &Options| write(file, options).map(|_| ()).unwrap_err();
    let options = Options::default();
    assert_eq!(
        refused(&" ".repeat(MAX_FILE + 1), &options),
        PdfError::FileTooLarge
    );
    assert_eq!(
        refused(&one(&json!("a".repeat(200_001))), &options),
        PdfError::TooLong
    );
    assert_eq!(
        refused(&one(&json!((["a"; 5_000].join("\n")))), &options),
        PdfError::TooLong
    );
    assert!(write(&one(&json!("a ".repeat(20_000))), &options).is_ok());
    for picture in [
        b"GIF89a".to_vec(),
        Vec::new(),
        b"\x89PNG\r\n\x1a\n".to_vec(),
        b"\xff\xd8\xff\xe0".to_vec(),
        [&png(1, 1)[..], &vec![0; MAX_PICTURE]].concat(),
        png(100_000, 100_000),
        png(0, 1),
        // The head is right, and the pixels are missing.
        png(2, 2),
        without_pixels(2, 2),
    ] {
        let design = Design {
            logo: Some(picture.clone()),
            ..Design::default()
        };
        let options = Options {
            design,
            ..Options::default()
        };
        assert_eq!(
            refused(&one(&json!("a")), &options),
            PdfError::PictureInvalid,
            "{} bytes",
            picture.len()
        );
    }
}

/// Returns the head of a PNG picture with one channel of 8 bits.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut head = b"IHDR".to_vec();
    head.extend(width.to_be_bytes());
    head.extend(height.to_be_bytes());
    head.extend([8, 0, 0, 0, 0]);
    let mut sum = flate2::Crc::new();
    sum.update(&head);
    [
        &b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"[..],
        &head,
        &sum.sum().to_be_bytes(),
    ]
    .concat()
}

#[test]
fn a_picture_that_cannot_be_shown_is_named() {
    let schema = json!({ "type": "object", "properties": { "image": { "title": "Photo" }, "second": { "title": "Second" } } });
    let document =
        json!({ "image": "https://uni.example/a.png", "second": "data:image/webp;base64,AAAA" });
    let pdf = write(&file(&schema, &document), &Options::default()).unwrap();
    let named: Vec<_> = pdf.findings.into_iter().collect();
    let of = |name: &str| Finding::PictureNotShown(name.to_owned());
    assert_eq!(named, [of("Photo"), of("Second")]);
}

#[test]
fn the_pictures_of_a_document_are_bounded_together() {
    let schema = json!({ "type": "object", "properties": { "one": {}, "two": {} } });
    let with = |one: &[u8], two: &[u8]| {
        let address = |picture: &[u8]| {
            let encoded = Base64::encode_string(picture);
            format!("data:image/png;base64,{encoded}")
        };
        let document = json!({ "one": address(one), "two": address(two) });
        write(&file(&schema, &document), &Options::default())
    };
    let red = Base64::decode_vec(RED).unwrap();
    assert!(with(&red, &red).unwrap().findings.is_empty());
    // 16 million pixels are allowed, but one of them is used already.
    let (most, fewer) = (without_pixels(4000, 4000), without_pixels(3999, 4000));
    assert!(check_picture(&most).is_ok());
    let findings = with(&red, &most).unwrap().findings;
    assert_eq!(
        findings,
        [Finding::PictureNotShown("two".to_owned())].into()
    );
    let error = with(&red, &fewer).map(|pdf| pdf.findings).unwrap_err();
    assert_eq!(error, PdfError::PictureInvalid);
}

/// Returns a PNG picture whose head is right, and whose pixels are missing.
fn without_pixels(width: u32, height: u32) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(b"IDAT");
    [
        &png(width, height)[..],
        &[0; 4],
        b"IDAT",
        &sum.sum().to_be_bytes(),
    ]
    .concat()
}

/// A red pixel as PNG.
const RED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

#[test]
fn other_files_are_refused() {
    let valid: Value = serde_json::from_str(&course("Ada")).unwrap();
    let mut files = vec![
        "".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        "%PDF-1.7".to_owned(),
        "{".repeat(10_000),
    ];
    for (member, value) in [
        ("assay", json!(2)),
        ("service", json!("javascript:alert(1)")),
        ("service", json!("https://a/b")),
        ("ledger", json!("0x12")),
        ("asset", json!("007")),
        ("asset", json!("1)/URI(x")),
        ("schema", json!([])),
        ("document", json!(null)),
        ("document", json!("text")),
    ] {
        let mut changed = valid.clone();
        changed[member] = value;
        files.push(changed.to_string());
    }
    for file in files {
        let error = write(&file, &Options::default()).unwrap_err();
        assert!(
            matches!(error, PdfError::FileInvalid(_)),
            "{file:.200}: {error}"
        );
    }
}

#[test]
fn a_reader_refuses_what_is_no_pdf_with_one_certificate() {
    let file = course("Ada Lovelace");
    let pdf = write(&file, &Options::default()).unwrap().bytes;
    let other = write(&course("Eve"), &Options::default()).unwrap().bytes;
    let refused = |bytes: &[u8]| certificate_in(bytes).unwrap_err();
    assert_eq!(refused(b""), PdfError::NotPdf);
    assert_eq!(refused(file.as_bytes()), PdfError::NotPdf);
    assert_eq!(refused(b"%PDF-1.7\n"), PdfError::NoCertificate);
    assert_eq!(
        refused(b"%PDF-1.7\ntrailer << /Encrypt 3 0 R >>"),
        PdfError::Encrypted
    );
    assert_eq!(
        refused(&[&pdf[..], &other].concat()),
        PdfError::SeveralCertificates
    );
    // Equal certificates count once.
    assert_eq!(certificate_in(&[&pdf[..], &pdf].concat()).unwrap(), file);
    let mut large = pdf.clone();
    large.resize(cert_pdf::MAX_PDF + 1, b' ');
    assert_eq!(refused(&large), PdfError::PdfTooLarge);
    assert_eq!(
        refused(&[b"%PDF-1.7\n".as_slice(), &b">>stream".repeat(200_000)].concat()),
        PdfError::PdfTooLarge
    );
}

#[test]
fn attachments_as_other_programs_write_them_are_found() {
    let of = |dictionary: &str, content: &[u8]| {
        let head = format!("%PDF-1.7\n1 0 obj\n{dictionary}\nstream\n");
        certificate_in(&[head.as_bytes(), content, b"\nendstream\nendobj"].concat())
    };
    let found = |dictionary: &str| of(dictionary, b"{}").as_deref() == Ok("{}");
    assert!(found(
        "<< /Subtype /application#2Fvnd.assay.certificate+json /Length 2 >>"
    ));
    assert!(found(
        "<</Type/EmbeddedFile/Params<</Size 2>>/Length 4 0 R/Subtype/application#2fvnd.assay.certificate#2Bjson>>"
    ));
    for other in [
        "<< /Subtype /application#2Fjson /Length 2 >>",
        "<< /Subtype /application#2Fvnd.assay.certificate+jsonx /Length 2 >>",
        "<< /Subtypes /application#2Fvnd.assay.certificate+json /Length 2 >>",
        "<< /Length 2 >>",
    ] {
        assert_eq!(of(other, b"{}"), Err(PdfError::NoCertificate), "{other}");
    }
    let flate = "<< /Subtype /application#2Fvnd.assay.certificate+json /Filter [ /FlateDecode ] /Length 9 >>";
    assert_eq!(of(flate, b"not zlib"), Err(PdfError::Broken));
    assert_eq!(of(flate, b""), Err(PdfError::Broken));
    let lzw = "<< /Subtype /application#2Fvnd.assay.certificate+json /Filter /LZWDecode >>";
    assert_eq!(of(lzw, b"{}"), Err(PdfError::Broken));
    let bomb = deflated(&vec![b' '; MAX_FILE + 1]);
    assert_eq!(of(flate, &bomb), Err(PdfError::FileTooLarge));
    let most = deflated(&vec![b' '; MAX_FILE]);
    assert_eq!(of(flate, &most).map(|text| text.len()), Ok(MAX_FILE));
    assert_eq!(of(flate, &most[..most.len() - 10]), Err(PdfError::Broken));
    let latin = "<< /Subtype /application#2Fvnd.assay.certificate+json >>";
    assert_eq!(of(latin, b"\xff"), Err(PdfError::Broken));
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut stream = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut stream, bytes).unwrap();
    stream.finish().unwrap()
}

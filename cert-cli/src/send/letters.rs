//! The messages of a delivery: a template, filled in with the cells of each row of a result table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cert_tables::Table;
use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use crate::arguments::Attach;
use crate::batch::columns::{
    COLUMN_FILE, COLUMN_HOLDER, COLUMN_PDF, COLUMN_PUBLIC, COLUMN_STATUS, ISSUED,
};
use crate::batch::random_id;
use crate::batch::report::RowError;
use crate::failure::Failure;

/// The maximum size of an attached file, in bytes. Certificates are much smaller, and mail servers refuse larger messages.
const MAX_FILE: u64 = 5 << 20;

/// A message to the person of a row.
#[derive(Debug)]
pub(super) struct Letter {
    /// The number of the row in the table.
    pub(super) row: usize,
    /// The public link of the certificate, which identifies it.
    pub(super) certificate: String,
    pub(super) to: Address,
    /// The message's `Message-ID`.
    pub(super) id: String,
    pub(super) from: Address,
    pub(super) content: Vec<u8>,
}

/// A part of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The cell of a column, by the column's index.
    Cell(usize),
}

/// The subject and the text of all messages.
#[derive(Debug)]
pub(super) struct Template {
    subject: Vec<Part>,
    reply_to: Option<Mailbox>,
    text: Vec<Part>,
}

impl Template {
    /// Reads a template: headers, an empty line, and the text. The only headers are `Subject`, which is required, and `Reply-To`.
    pub(super) fn read(name: &str, text: &str, columns: &[String]) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::new("template-invalid", format!("{name}: {why}"));
        let text = text.replace("\r\n", "\n");
        let (head, body) = text.split_once("\n\n").ok_or_else(|| {
            wrong(
                "expected a line such as `Subject: Your certificate`, an empty line, and the text"
                    .to_owned(),
            )
        })?;
        let (mut subject, mut reply_to) = (None, None);
        for line in head.lines() {
            let (header, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.trim();
            if header.eq_ignore_ascii_case("subject") && subject.is_none() {
                subject = Some(parts(value, columns).map_err(wrong)?);
            } else if header.eq_ignore_ascii_case("reply-to") && reply_to.is_none() {
                let mailbox = value.parse::<Mailbox>();
                reply_to = Some(mailbox.map_err(|error| wrong(format!("Reply-To: {error}")))?);
            } else {
                return Err(wrong(format!(
                    "`{line}`: before the empty line, only one `Subject:` and one `Reply-To:` are allowed"
                )));
            }
        }
        let subject = subject.ok_or_else(|| wrong("it has no line `Subject:`".to_owned()))?;
        Ok(Self {
            subject,
            reply_to,
            text: parts(body, columns).map_err(wrong)?,
        })
    }

    fn has(&self, column: usize) -> bool {
        self.text.contains(&Part::Cell(column))
    }
}

/// Splits a text at its columns in braces. `{{` and `}}` are braces.
fn parts(text: &str, columns: &[String]) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        plain.push_str(before);
        let doubled = ["{{", "}}"].into_iter().find(|two| after.starts_with(two));
        if let Some(two) = doubled {
            plain.push_str(two.get(..1).unwrap_or_default());
            rest = after.get(2..).unwrap_or_default();
            continue;
        }
        let named = after
            .strip_prefix('{')
            .and_then(|after| after.split_once('}'));
        let (name, after) = named.ok_or("a brace has no partner: write {{ or }} for a brace")?;
        let column = columns.iter().position(|column| column == name.trim());
        let column = column.ok_or_else(|| {
            format!(
                "the table has no column `{}`: its columns are `{}`",
                name.trim(),
                columns.join("`, `")
            )
        })?;
        parts.push(Part::Text(std::mem::take(&mut plain)));
        parts.push(Part::Cell(column));
        rest = after;
    }
    plain.push_str(rest);
    parts.push(Part::Text(plain));
    Ok(parts)
}

fn filled(parts: &[Part], cells: &[String]) -> String {
    let of = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Cell(index) => cells
            .get(*index)
            .map(|cell| original(cell))
            .unwrap_or_default(),
    };
    parts.iter().map(of).collect()
}

/// Returns a cell without the apostrophe that keeps spreadsheets from running it as a formula.
fn original(cell: &str) -> String {
    match cell.strip_prefix('\'') {
        Some(rest) if cert_tables::harmless(rest) == cell => rest.to_owned(),
        _ => cell.to_owned(),
    }
}

/// Returns a cell without the spaces around it. A missing cell is empty.
fn cell_of(cells: &[String], column: usize) -> &str {
    cells.get(column).map_or("", String::as_str).trim()
}

/// The settings of all messages.
pub(super) struct Desk<'a> {
    pub(super) template: &'a Template,
    pub(super) from: &'a Mailbox,
    /// The column of the addresses.
    pub(super) to: &'a str,
    /// The kind of the attachment, and the folder of the files.
    pub(super) attached: Option<(Attach, &'a Path)>,
}

/// The columns of a result table.
struct Columns {
    to: usize,
    status: usize,
    holder: usize,
    public: usize,
    /// The column with the name of the file to attach, and its name.
    file: Option<(usize, &'static str)>,
}

impl Desk<'_> {
    /// Writes a message for each row whose certificate is issued. The inner error lists the rows for which there can be no message.
    pub(super) fn letters(
        &self,
        name: &str,
        table: &Table,
    ) -> Result<Result<Vec<Letter>, Vec<RowError>>, Failure> {
        let column = |wanted: &str| {
            let found = table.columns.iter().position(|column| column == wanted);
            found.ok_or_else(|| {
                Failure::new(
                    "table-invalid",
                    format!(
                        "{name}: the table has no column `{wanted}`: its columns are `{}`",
                        table.columns.join("`, `")
                    ),
                )
            })
        };
        let columns = Columns {
            to: column(self.to)?,
            status: column(COLUMN_STATUS)?,
            holder: column(COLUMN_HOLDER)?,
            public: column(COLUMN_PUBLIC)?,
            file: match self.attached {
                None => None,
                Some((Attach::File, _)) => Some((column(COLUMN_FILE)?, COLUMN_FILE)),
                Some((Attach::Pdf, _)) => Some((column(COLUMN_PDF)?, COLUMN_PDF)),
            },
        };
        let has_link = self.template.has(columns.holder) || self.template.has(columns.public);
        if !has_link && self.attached.is_none() {
            return Err(Failure::new(
                "template-invalid",
                format!(
                    "the message would have no certificate: write {{{COLUMN_HOLDER}}} or {{{COLUMN_PUBLIC}}} into the text, or add --attach"
                ),
            ));
        }
        let (mut letters, mut errors) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for row in &table.rows {
            let cell = |column| cell_of(&row.cells, column);
            if cell(columns.status) != ISSUED {
                continue;
            }
            if !seen.insert(cell(columns.public)) {
                errors.push(RowError::new(
                    row.row,
                    Some(COLUMN_PUBLIC),
                    "an earlier row has the same certificate",
                ));
                continue;
            }
            match self.letter(row.row, &row.cells, &columns) {
                Ok(letter) => letters.push(letter),
                Err((column, why)) => errors.push(RowError::new(row.row, Some(column), why)),
            }
        }
        Ok(if errors.is_empty() {
            Ok(letters)
        } else {
            Err(errors)
        })
    }

    /// Returns the message of a row, or the column with a wrong value and the reason.
    fn letter<'s>(
        &'s self,
        row: usize,
        cells: &[String],
        columns: &Columns,
    ) -> Result<Letter, (&'s str, String)> {
        let cell = |column| cell_of(cells, column);
        let to = cell(columns.to).parse::<Address>();
        let to = to.map_err(|error| {
            (
                self.to,
                format!("expected an address such as ada@example.com: {error}"),
            )
        })?;
        if self.template.has(columns.holder) && cell(columns.holder).is_empty() {
            let why = "the certificate is too large for a link: use --attach, and leave this column out of the text";
            return Err((COLUMN_HOLDER, why.to_owned()));
        }
        let file = match (self.attached, columns.file) {
            (Some((_, folder)), Some((file, name))) => {
                Some(attached(folder, cell(file)).map_err(|why| (name, why))?)
            }
            _ => None,
        };
        let built = self.built(cells, &to, file).map_err(|why| (self.to, why));
        let (id, content) = built?;
        Ok(Letter {
            row,
            certificate: cell(columns.public).to_owned(),
            to,
            id,
            from: self.from.email.clone(),
            content,
        })
    }

    fn built(
        &self,
        cells: &[String],
        to: &Address,
        file: Option<(String, Vec<u8>)>,
    ) -> Result<(String, Vec<u8>), String> {
        let id = random_id().map_err(|failure| failure.to_string())?;
        let id = format!("<{id}@{}>", self.from.email.domain());
        // A line break in a cell would end the header.
        let subject = filled(&self.template.subject, cells);
        let subject: Vec<&str> = subject
            .split(|char: char| char.is_whitespace() || char.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let mut builder = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to.clone()))
            .subject(subject.join(" "))
            .message_id(Some(id.clone()));
        if let Some(reply_to) = &self.template.reply_to {
            builder = builder.reply_to(reply_to.clone());
        }
        let text = SinglePart::plain(filled(&self.template.text, cells).replace('\0', ""));
        let message = match file {
            None => builder.singlepart(text),
            Some((name, bytes)) => {
                let kind = match self.attached {
                    Some((Attach::Pdf, _)) => ContentType::parse("application/pdf"),
                    _ => ContentType::parse("application/vnd.assay.certificate+json"),
                };
                let kind = kind.map_err(|error| error.to_string())?;
                let file = Attachment::new(name).body(bytes, kind);
                builder.multipart(MultiPart::mixed().singlepart(text).singlepart(file))
            }
        };
        let message = message.map_err(|error| error.to_string())?;
        Ok((id, message.formatted()))
    }
}

/// Returns the name and the content of a private file. Its name comes from the table, so a name that leads out of the folder is refused.
fn attached(folder: &Path, name: &str) -> Result<(String, Vec<u8>), String> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', ':', '\0']) {
        return Err("expected the name of a file".to_owned());
    }
    let path = folder.join(name);
    let unreadable =
        |error: std::io::Error| format!("{} could not be read: {error}", path.display());
    let length = fs::metadata(&path).map_err(unreadable)?.len();
    if length > MAX_FILE {
        return Err(format!("{} has more than {MAX_FILE} bytes", path.display()));
    }
    Ok((name.to_owned(), fs::read(&path).map_err(unreadable)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<String> {
        ["name", "E-Mail", COLUMN_HOLDER]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn columns_in_braces_are_filled_in() {
        let template = Template::read(
            "mail.txt",
            "Subject: For {name}\r\nReply-To: office@uni.example\r\n\r\nDear {name},\r\n\r\n{{x}} { E-Mail }",
            &columns(),
        );
        let template = template.unwrap();
        let cells = [
            "'=Ada".to_owned(),
            "ada@example.com".to_owned(),
            String::new(),
        ];
        assert_eq!(filled(&template.subject, &cells), "For =Ada");
        assert_eq!(
            filled(&template.text, &cells),
            "Dear =Ada,\n\n{x} ada@example.com"
        );
        assert!(template.reply_to.is_some());
        assert!(!template.has(2));
    }

    #[test]
    fn templates_that_cannot_be_filled_in_are_refused() {
        for (text, why) in [
            ("Dear {name}", "an empty line"),
            ("Subject: x\n\n{nam}", "no column `nam`"),
            ("Subject: x\n\n{name", "no partner"),
            ("Subject: x\n\nname}", "no partner"),
            ("Bcc: a@b.example\nSubject: x\n\ntext", "`Bcc: a@b.example`"),
            ("Subject: x\nSubject: y\n\ntext", "`Subject: y`"),
            ("Reply-To: office@uni.example\n\ntext", "no line `Subject:`"),
            ("Subject: x\nReply-To: nobody\n\ntext", "Reply-To"),
        ] {
            let error = Template::read("mail.txt", text, &columns())
                .unwrap_err()
                .to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_cell_cannot_add_a_header_to_its_message() {
        let template =
            Template::read("mail.txt", "Subject: For {name}\n\n{name}", &columns()).unwrap();
        let desk = Desk {
            template: &template,
            from: &"Office <office@uni.example>".parse().unwrap(),
            to: "E-Mail",
            attached: None,
        };
        let name = "Ada\r\nBcc: eve@example.com\u{85}\u{2028}x".to_owned();
        let (_, content) = desk
            .built(&[name], &"ada@example.com".parse().unwrap(), None)
            .unwrap();
        let text = String::from_utf8(content).unwrap();
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert!(
            head.contains("Subject: For Ada Bcc: eve@example.com x"),
            "{head}"
        );
    }

    #[test]
    fn only_files_of_the_private_folder_are_attached() {
        for name in ["", "..", "../secret", "a/b", "a\\b", "c:x", ".hidden"] {
            assert!(attached(Path::new("/"), name).is_err(), "{name}");
        }
    }
}

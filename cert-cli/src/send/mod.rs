//! `cert send`: sends each row of a batch's result to its person. docs/batch.md describes its use and its files.

mod letters;
mod log;
mod post;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;
use zeroize::Zeroizing;

use self::letters::{Desk, Letter, Template};
use self::log::{Line, Log, Standing};
use self::post::{Outcome, Post, Server};
use crate::arguments::Send;
use crate::batch::progress::{Progress, grouped};
use crate::batch::{files, report};
use crate::failure::Failure;
use crate::input::Inputs;
use crate::journal::Journal;
use crate::output::{self, print_note};
use crate::table;

/// The environment variable that may hold the password of the mail server's account.
const PASSWORD: &str = "CERT_SMTP_PASSWORD";
/// The maximum number of attempts for a message.
const ATTEMPTS: u32 = 5;

/// A message that was not sent, for standard output.
#[derive(Serialize)]
struct Unsent<'a> {
    row: usize,
    to: String,
    state: &'static str,
    message: &'a str,
}

/// Checks the rows, then sends their messages or writes them as files. Prints each message that was not sent on standard output, and returns
/// false if there is one. Without `--dry-run` and `--yes`, prints the plan and the first message, and fails with `not-confirmed`.
pub(crate) fn run(inputs: &mut Inputs, options: &Send) -> Result<bool, Failure> {
    let bytes = inputs.bytes(&options.result)?;
    let table = table::read(&options.result, &bytes, &options.reading)?;
    let template = inputs.text(&options.template)?;
    let template = Template::read(&options.template, &template, &table.columns)?;
    let beside = Path::new(&options.result).parent().unwrap_or(Path::new(""));
    let private = beside.join("private");
    let desk = Desk {
        template: &template,
        from: &options.from,
        to: &options.to,
        attached: options.attach.map(|kind| (kind, private.as_path())),
    };
    let problems = table.problems.iter().cloned();
    let wrong: Vec<_> = problems
        .map(|problem| report::RowError::of(problem, &table.columns))
        .collect();
    let letters = match desk.letters(&options.result, &table)? {
        Ok(letters) if wrong.is_empty() => letters,
        Ok(_) => return report::broken(&wrong, "Nothing was sent"),
        Err(errors) => return report::broken(&[wrong, errors].concat(), "Nothing was sent"),
    };
    if let Some(folder) = &options.dry_run {
        return write(folder, &letters);
    }
    let login = login(inputs, options)?;
    let server = Server::read(options.smtp.as_deref().unwrap_or_default(), login)?;
    let (mut journal, mut log) = Journal::open::<Log>(&log_path(&options.result))?;
    let open: Vec<&Letter> = letters
        .iter()
        .filter(|letter| match log.standing(letter) {
            Standing::NotSent => true,
            Standing::InDoubt => options.resend_doubtful,
            Standing::Sent | Standing::Refused(_) => false,
        })
        .collect();
    print_note(&format!(
        "{} of {} messages are to be sent",
        grouped(open.len()),
        grouped(letters.len())
    ));
    if !options.yes {
        if let Some(first) = open.first() {
            output::line(&String::from_utf8_lossy(&first.content))?;
        }
        return Err(Failure::new(
            "not-confirmed",
            "nothing was sent: read the lines above, then run the same command with --yes",
        ));
    }
    let beginning = log.beginning();
    journal.append(&mut log, &beginning)?;
    let mut delivery = Delivery {
        post: Post::new(server),
        journal,
        log,
    };
    let ended = delivery.all(open, Duration::from_secs(options.pause.into()));
    let Delivery { post, log, .. } = delivery;
    post.close();
    let is_complete = report_unsent(&letters, &log)?;
    ended.map(|()| is_complete)
}

/// Returns the path of the delivery's state: `result.sent.ndjson` for `result.csv`.
fn log_path(result: &str) -> PathBuf {
    Path::new(result).with_extension("sent.ndjson")
}

fn login(
    inputs: &mut Inputs,
    options: &Send,
) -> Result<Option<(String, Zeroizing<String>)>, Failure> {
    let Some(user) = &options.smtp_user else {
        return Ok(None);
    };
    let Some(password) = inputs.variable(PASSWORD)? else {
        return Err(Failure::new(
            "option-invalid",
            format!("the password of {user} is missing: set the environment variable {PASSWORD}"),
        ));
    };
    Ok(Some((user.clone(), password)))
}

/// Writes each message as a file that mail programs open.
fn write(folder: &Path, letters: &[Letter]) -> Result<bool, Failure> {
    files::create_folder(folder, true)?;
    for letter in letters {
        let name = format!("{:05}.eml", letter.row);
        files::replace(&folder.join(name), &letter.content, true)?;
    }
    print_note(&format!(
        "{} messages are in {}. Nothing was sent.",
        grouped(letters.len()),
        folder.display()
    ));
    Ok(true)
}

/// Prints a line for each message that was not sent, and the numbers of all. Returns true if all messages were sent.
fn report_unsent(letters: &[Letter], log: &Log) -> Result<bool, Failure> {
    let (mut sent, mut doubtful, mut refused, mut open) = (0_usize, 0_usize, 0_usize, 0_usize);
    for letter in letters {
        let standing = log.standing(letter);
        let (count, state, message) = match &standing {
            Standing::Sent => (&mut sent, "sent", ""),
            Standing::InDoubt => (
                &mut doubtful,
                "in-doubt",
                "the server's answer is missing: ask the recipient, or send it again with --resend-doubtful",
            ),
            Standing::Refused(answer) => (&mut refused, "refused", answer.as_str()),
            Standing::NotSent => (&mut open, "not-sent", "run the same command again"),
        };
        *count = count.saturating_add(1);
        if standing == Standing::Sent {
            continue;
        }
        let unsent = Unsent {
            row: letter.row,
            to: letter.to.to_string(),
            state,
            message,
        };
        let line = serde_json::to_string(&unsent);
        output::line(&line.map_err(|error| Failure::new("output-failed", error))?)?;
    }
    print_note(&format!(
        "{} messages are sent, {} refused, {} in doubt, {} not sent",
        grouped(sent),
        grouped(refused),
        grouped(doubtful),
        grouped(open)
    ));
    Ok(sent == letters.len())
}

/// A delivery in progress.
struct Delivery {
    post: Post,
    journal: Journal,
    log: Log,
}

impl Delivery {
    /// Sends messages. Tries those that the server wants later again, after pauses that double.
    fn all(&mut self, mut open: Vec<&Letter>, mut pause: Duration) -> Result<(), Failure> {
        for attempt in 1..=ATTEMPTS {
            let progress = Progress::new("sent", open.len());
            let mut later = Vec::new();
            let mut letters = open.into_iter();
            while let Some(letter) = letters.next() {
                if let Err(why) = self.post.open()? {
                    print_note(&why);
                    later.push(letter);
                    later.extend(letters);
                    break;
                }
                if self.one(letter)? {
                    progress.add(1);
                } else {
                    later.push(letter);
                }
            }
            progress.end();
            if later.is_empty() || attempt == ATTEMPTS {
                return Ok(());
            }
            print_note(&format!(
                "{} messages are tried again in {} seconds",
                grouped(later.len()),
                pause.as_secs()
            ));
            sleep(pause);
            pause = pause.saturating_mul(2);
            open = later;
        }
        Ok(())
    }

    /// Sends a message. Returns false if it has to be tried again.
    fn one(&mut self, letter: &Letter) -> Result<bool, Failure> {
        let (certificate, to) = (letter.certificate.clone(), letter.to.to_string());
        let sending = Line::Sending {
            certificate: certificate.clone(),
            to: to.clone(),
            id: letter.id.clone(),
        };
        let (journal, log) = (&mut self.journal, &mut self.log);
        let outcome = self.post.send(letter, || journal.append(log, &[sending]))?;
        let line = match outcome {
            Outcome::Sent => Line::Sent { certificate, to },
            Outcome::Refused(answer) => Line::Refused {
                certificate,
                to,
                answer,
            },
            Outcome::Later(answer) => {
                let later = Line::Later {
                    certificate,
                    to,
                    answer,
                };
                journal.append(log, &[later])?;
                return Ok(false);
            }
            Outcome::InDoubt(answer) => {
                print_note(&format!("row {}: no answer arrived: {answer}", letter.row));
                return Ok(true);
            }
        };
        journal.append(log, &[line])?;
        Ok(true)
    }
}

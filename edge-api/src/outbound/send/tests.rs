use std::cell::{Cell, RefCell};

use async_trait::async_trait;
use futures_util::FutureExt;

use super::*;
use crate::config::Config;
use crate::native::{FakeClock, parse_url};
use crate::ports::{Http, Url};

/// Fake servers that give the listed answers in order, each after the same delay.
struct World {
    clock: FakeClock,
    takes: Cell<u64>,
    answers: RefCell<Vec<Result<Fetched, FetchError>>>,
    asked: RefCell<Vec<Fetch>>,
}

#[async_trait(?Send)]
impl Http for World {
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url> {
        parse_url(address, base)
    }
    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError> {
        self.asked.borrow_mut().push(request.clone());
        self.clock.advance(self.takes.get().min(request.timeout_ms));
        if self.takes.get() > request.timeout_ms {
            return Err(FetchError::Timeout);
        }
        self.answers.borrow_mut().remove(0)
    }
}

fn answer(status: u16, location: Option<&str>) -> Result<Fetched, FetchError> {
    Ok(Fetched {
        status,
        content_type: None,
        location: location.map(str::to_owned),
        allow_origin: None,
        body: b"{}".to_vec(),
    })
}

struct Exchange {
    result: Result<Received, SendError>,
    asked: Vec<Fetch>,
    took: u64,
}

/// Sends a request that follows at most `redirects` redirects. The servers give `answers` in order, each after `takes`
/// milliseconds.
fn exchange(
    redirects: u8,
    takes: u64,
    body: Option<&[u8]>,
    answers: Vec<Result<Fetched, FetchError>>,
) -> Exchange {
    let world = World {
        clock: FakeClock::at(0),
        takes: Cell::new(takes),
        answers: RefCell::new(answers),
        asked: RefCell::default(),
    };
    let settings = [("PAYMENTS", "off"), ("SERVICE_NAME", "ours")];
    let config = Config::read(|name| {
        let found = settings.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    })
    .unwrap();
    let policy = Policy::new(&world, &config, Some("https://assay.example.com"));
    let outgoing = Outgoing {
        target: policy.check("https://example.com/1").unwrap(),
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: body.map(<[u8]>::to_vec),
        limit: 100,
        redirects,
    };
    let session = FetchSession::start(&world.clock, policy);
    // The fakes never wait, so the future is ready at the first poll.
    let result = session.send(outgoing).now_or_never().unwrap();
    Exchange {
        result,
        asked: world.asked.borrow().clone(),
        took: world.clock.now_ms(),
    }
}

#[test]
fn an_answer_with_any_status_is_returned() {
    for status in [200, 204, 304, 404, 500] {
        let Exchange { result, asked, .. } = exchange(3, 0, None, vec![answer(status, None)]);
        let received = result.unwrap();
        assert_eq!(
            (received.answer.status, received.from.as_str()),
            (status, "https://example.com/1")
        );
        assert_eq!(asked.len(), 1);
        assert_eq!((asked[0].limit, asked[0].timeout_ms), (100, 5_000));
        assert_eq!(
            asked[0].headers,
            [("accept".to_owned(), "application/json".to_owned())]
        );
    }
    // A redirect without a location is returned to the caller.
    assert_eq!(
        exchange(3, 0, None, vec![answer(302, None)])
            .result
            .unwrap()
            .answer
            .status,
        302
    );
    // Only some statuses from 300 to 399 redirect (RFC 9110, section 15.4).
    assert_eq!(
        exchange(3, 0, None, vec![answer(304, Some("/2"))])
            .result
            .unwrap()
            .answer
            .status,
        304
    );
}

#[test]
fn redirects_are_followed_up_to_the_callers_limit() {
    let hops = |count: usize| {
        let mut answers: Vec<_> = (0..count)
            .map(|hop| answer([301, 302, 303, 307, 308][hop % 5], Some("/next")))
            .collect();
        answers.push(answer(200, None));
        answers
    };
    for allowed in 0..5 {
        for count in 0..7 {
            let Exchange { result, asked, .. } = exchange(allowed, 0, None, hops(count));
            let allowed_count = usize::from(allowed);
            assert_eq!(asked.len(), count.min(allowed_count) + 1);
            match result {
                Ok(received) => {
                    assert!(count <= allowed_count);
                    assert_eq!(
                        received.from.as_str(),
                        if count == 0 {
                            "https://example.com/1"
                        } else {
                            "https://example.com/next"
                        }
                    );
                }
                Err(error) => assert_eq!(
                    (error, count > allowed_count),
                    (SendError::TooManyRedirects(allowed), true)
                ),
            }
        }
    }
}

#[test]
fn a_request_with_a_body_follows_no_redirect() {
    let Exchange { result, asked, .. } = exchange(
        3,
        0,
        Some(b"secret"),
        vec![answer(307, Some("/2")), answer(200, None)],
    );
    assert_eq!(result.unwrap_err(), SendError::TooManyRedirects(0));
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].body.as_deref(), Some(b"secret".as_slice()));
}

#[test]
fn every_redirect_is_checked_like_the_first_address() {
    for location in [
        "http://example.com/2",
        "https://127.0.0.1/",
        "//0x7f000001/",
        "https://[::1]/",
        "https://localhost/",
        "https://metadata.google.internal/",
        "https://assay.example.com/badge",
        "https://user@example.com/",
        "file:///etc/passwd",
        "https://[",
    ] {
        let Exchange { result, asked, .. } = exchange(
            3,
            0,
            None,
            vec![
                answer(302, Some("/ok")),
                answer(302, Some(location)),
                answer(200, None),
            ],
        );
        assert!(matches!(result, Err(SendError::Redirect(_))), "{location}");
        assert_eq!(asked.len(), 2, "{location}");
    }
    let Exchange { result, .. } = exchange(
        3,
        0,
        None,
        vec![
            answer(302, Some("//cdn.example.com/2#part")),
            answer(200, None),
        ],
    );
    assert_eq!(result.unwrap().from.as_str(), "https://cdn.example.com/2");
}

#[test]
fn each_request_and_the_session_have_a_timeout() {
    let Exchange { result, took, .. } = exchange(3, 6_000, None, vec![]);
    assert_eq!((result.unwrap_err(), took), (SendError::Timeout, 5_000));
    // Three requests of four seconds take longer than the total timeout. The third gets only the remaining time.
    let Exchange {
        result,
        asked,
        took,
    } = exchange(
        3,
        4_000,
        None,
        vec![answer(302, Some("/2")), answer(302, Some("/3"))],
    );
    assert_eq!((result.unwrap_err(), took), (SendError::Timeout, 10_000));
    assert_eq!(
        asked
            .iter()
            .map(|request| request.timeout_ms)
            .collect::<Vec<_>>(),
        [5_000, 5_000, 2_000]
    );
    // After the total timeout, no further request is sent.
    let Exchange { result, asked, .. } = exchange(
        3,
        5_000,
        None,
        vec![answer(302, Some("/2")), answer(302, Some("/3"))],
    );
    assert_eq!((result.unwrap_err(), asked.len()), (SendError::Timeout, 2));
}

#[test]
fn each_fault_has_its_own_error() {
    for (fault, error) in [
        (FetchError::Timeout, SendError::Timeout),
        (FetchError::TooLarge, SendError::TooLarge(100)),
        (
            FetchError::Failed("refused".to_owned()),
            SendError::Unreachable("refused".to_owned()),
        ),
    ] {
        assert_eq!(
            exchange(0, 0, None, vec![Err(fault)]).result.unwrap_err(),
            error
        );
    }
    // Clients must not see the host's message, because it may reveal details of the network.
    assert!(
        !SendError::Unreachable("10.0.0.7 refused".to_owned())
            .to_string()
            .contains("10.0.0.7")
    );
}

//! Reasons why a domain does not confirm an account. A sentence tells the owner how to fix the problem.

/// A reason. The identifier that clients get for it does not change between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    // The file.
    Missing,
    Status,
    Unavailable,
    Redirect,
    Html,
    NotJson,
    TooLarge,
    Timeout,
    Unreachable,
    WrongId,
    Malformed,
    NotListed,
    Revoked,
    // The DNS record.
    NoRecord,
    MalformedRecord,
    ResolverFailed,
    ResolverOff,
    // The service's own limits.
    Busy,
}

impl Reason {
    /// Returns the identifier for clients.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Status => "status",
            Self::Unavailable => "unavailable",
            Self::Redirect => "redirect",
            Self::Html => "html",
            Self::NotJson => "not-json",
            Self::TooLarge => "too-large",
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::WrongId => "wrong-id",
            Self::Malformed => "malformed",
            Self::NotListed => "not-listed",
            Self::Revoked => "revoked",
            Self::NoRecord => "no-record",
            Self::MalformedRecord => "malformed-record",
            Self::ResolverFailed => "resolver-failed",
            Self::ResolverOff => "resolver-off",
            Self::Busy => "busy",
        }
    }

    /// Returns true if the check has no result, for example because a server failed. An earlier confirmation then stays in
    /// force for a while.
    pub(super) const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Unavailable
                | Self::Timeout
                | Self::Unreachable
                | Self::ResolverFailed
                | Self::Busy
        )
    }
}

/// A reason with a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) reason: Reason,
    pub(crate) message: String,
}

impl Problem {
    pub(super) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}

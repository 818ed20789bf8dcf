//! The account of a deployment, and the resources in it.

use anyhow::{Context, Result, bail};

use super::configuration::{Configuration, Resource};
use super::platform::{Account, Wrangler};
use crate::workspace::Workspace;
use crate::{process, report};

/// Returns the account to deploy to: the account in the options, the account of the last run, or the only account of the login. Fails if the
/// choice is not certain.
pub(super) fn choose(
    accounts: &[Account],
    chosen: Option<&str>,
    last: Option<&str>,
) -> Result<Account> {
    if let (Some(chosen), Some(last)) = (chosen, last)
        && chosen != last
    {
        bail!(
            "this service is in the account {last}: choose another --env for a service in the account {chosen}"
        );
    }
    let list = || {
        let lines = accounts
            .iter()
            .map(|account| format!("\n  --account {}  {}", account.id, account.name));
        lines.collect::<String>()
    };
    match (chosen.or(last), accounts) {
        (Some(wanted), _) => {
            let found = accounts.iter().find(|account| account.id == wanted);
            found
                .cloned()
                .with_context(|| format!("the login has no account {wanted}, only:{}", list()))
        }
        (None, [only]) => Ok(only.clone()),
        (None, []) => {
            bail!("the login has no account: give the token the permissions of its account")
        }
        (None, _) => bail!("the login has several accounts: choose one{}", list()),
    }
}

/// Creates the resources that the account does not have. Saves each id immediately, so that a stopped run loses no id.
pub(super) fn create(
    workspace: &Workspace,
    wrangler: &Wrangler<'_>,
    configuration: &mut Configuration,
    resources: &[Resource],
) -> Result<()> {
    let found = report::step("a look at the account's resources", || {
        process::side_by_side(resources, |resource| wrangler.find(resource))
            .into_iter()
            .collect::<Result<Vec<_>>>()
    })?;
    for (resource, found) in resources.iter().zip(&found) {
        let state = if found.is_some() {
            "exists"
        } else {
            "is missing"
        };
        report::note(&format!("  {resource} {state}"));
    }
    for (resource, found) in resources.iter().zip(found) {
        let id = match found {
            Some(id) => id,
            None => report::step(&format!("create the {resource}"), || {
                wrangler.create(resource)
            })?,
        };
        configuration.assign(resource, &id);
        configuration.save(workspace)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_chosen_only_if_it_is_certain() {
        let account = |id: &str| Account {
            id: id.to_owned(),
            name: format!("{id}'s"),
        };
        let two = [account("a"), account("b")];
        let chosen = |accounts: &[Account], chosen, last| {
            choose(accounts, chosen, last)
                .map(|account| account.id)
                .map_err(|error| error.to_string())
        };
        assert_eq!(chosen(&two[..1], None, None), Ok("a".to_owned()));
        assert_eq!(chosen(&two, Some("b"), None), Ok("b".to_owned()));
        assert_eq!(chosen(&two, None, Some("b")), Ok("b".to_owned()));
        for (accounts, option, last, said) in [
            (&two[..], None, None, "--account a  a's"),
            (&two, Some("c"), None, "no account c"),
            (&two, Some("a"), Some("b"), "another --env"),
            (&two[..1], None, Some("b"), "no account b"),
            (&[], None, None, "has no account"),
        ] {
            let error = chosen(accounts, option, last).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}

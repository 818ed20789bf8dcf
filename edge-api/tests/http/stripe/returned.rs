//! Refunds and disputes take tokens back. A failed refund or a won dispute restores them.

use super::{CENTS, TOKENS, permute, scene};
use crate::support::in_workerd;
use crate::support::stripe::{dispute, refund, refunded, succeeded};

#[test]
fn refunds_are_debited_once_and_never_below_zero() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    for _ in 0..3 {
        scene.send_event(&refunded(&intent, 2100));
    }
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 2, 2100));
    // The account spends a quarter of the tokens, so it has fewer tokens than the next refund takes back.
    scene.spends(TOKENS / 4);
    scene.send_event(&refunded(&intent, CENTS));
    scene.send_event(&refunded(&intent, 2100));
    assert_eq!((scene.balance(), scene.state(&made).1), (0, CENTS));
    // The missing tokens are not taken from a later deposit.
    let (_, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn disputes_take_tokens_back_and_restore_them() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    let id = format!("dp_{}", intent["id"].as_str().unwrap());
    let step =
        |step: &str, status: &str| scene.send_event(&dispute(&intent, step, &id, CENTS, status));
    step("created", "warning_needs_response");
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS, 0));
    scene.spends(TOKENS / 4);
    step("created", "needs_response");
    step("updated", "under_review");
    step("created", "warning_needs_response");
    assert_eq!((scene.balance(), scene.state(&made).1), (0, CENTS));
    step("closed", "won");
    step("funds_reinstated", "won");
    // A won dispute restores the tokens that the dispute took back. It does not restore tokens that were spent before.
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 4 * 3, 0));
    step("updated", "under_review");
    step("closed", "lost");
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 4 * 3, 0));
    // Money that is both disputed and refunded counts once.
    let (made, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    scene.send_event(&refunded(&intent, CENTS));
    scene.send_event(&dispute(
        &intent,
        "closed",
        &format!("{id}_2"),
        CENTS,
        "lost",
    ));
    assert_eq!(
        (scene.balance(), scene.state(&made).1),
        (TOKENS / 4 * 3, CENTS)
    );
}

#[test]
fn a_failed_refund_restores_the_tokens() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    let news = |kind: &str, id: &str, status: &str| {
        scene.send_event(&refund(&intent, kind, id, CENTS / 2, status));
        (scene.balance(), scene.state(&made).1)
    };
    let id = |number: u8| format!("re_{number}_{}", intent["id"].as_str().unwrap());
    let (half, all) = ((TOKENS / 2, CENTS / 2), (TOKENS, 0));
    assert_eq!(news("refund.created", &id(1), "pending"), half);
    assert_eq!(news("refund.updated", &id(1), "succeeded"), half);
    // This event about the charge reports the same refund again.
    scene.send_event(&refunded(&intent, CENTS / 2));
    assert_eq!(scene.balance(), half.0);
    assert_eq!(news("refund.failed", &id(1), "failed"), all);
    // The refund stays failed if older events arrive late.
    assert_eq!(news("charge.refund.updated", &id(1), "succeeded"), all);
    assert_eq!(news("refund.created", &id(1), "pending"), all);
    // Another refund counts in addition. A canceled refund does not count.
    assert_eq!(news("refund.created", &id(2), "pending"), half);
    assert_eq!(news("refund.created", &id(3), "pending").0, 0);
    assert_eq!(news("charge.refund.updated", &id(3), "canceled"), half);
}

#[test]
fn tokens_spent_before_a_failed_refund_are_not_restored_twice() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    scene.spends(TOKENS / 4);
    let id = format!("re_{}", intent["id"].as_str().unwrap());
    scene.send_event(&refund(&intent, "refund.created", &id, CENTS, "pending"));
    assert_eq!((scene.balance(), scene.state(&made).1), (0, CENTS));
    scene.send_event(&refund(&intent, "refund.failed", &id, CENTS, "failed"));
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 4 * 3, 0));
}

/// The payer gets two refunds, of 840 and 420 cents, and the first one fails. The charge's events have the total of refunds.
#[test]
fn refund_events_in_any_order_have_the_same_result() {
    let scene = scene();
    let mut expected = 0;
    let mut orders = Vec::new();
    permute(&mut vec![0, 1, 2, 3, 4], 5, &mut orders);
    let step = if in_workerd() { 23 } else { 1 };
    for order in orders.iter().step_by(step) {
        let (made, intent) = scene.pending();
        let id = |number: u8| format!("re_{number}_{}", intent["id"].as_str().unwrap());
        let events = [
            succeeded(&intent),
            refunded(&intent, 840),
            refund(&intent, "refund.failed", &id(1), 840, "failed"),
            refund(&intent, "refund.created", &id(2), 420, "succeeded"),
            refunded(&intent, 420),
        ];
        for index in order {
            scene.send_event(&events[*index]);
        }
        assert_eq!(
            scene.state(&made),
            ("succeeded".to_owned(), 420),
            "{order:?}"
        );
        expected += TOKENS / 10 * 9;
        assert_eq!(scene.balance(), expected, "{order:?}");
    }
}

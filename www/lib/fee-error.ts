// The error of an account that cannot pay for the permission to take fees and for its orders. A module of its own, because workers know no language for its sentence.

/** Amounts in base units. `cost` includes `permission`. */
export class FeeError extends Error {
  readonly amounts: { readonly cost: bigint; readonly permission: bigint; readonly balance: bigint };

  constructor(amounts: FeeError['amounts']) {
    super('too few tokens');
    this.amounts = amounts;
  }
}

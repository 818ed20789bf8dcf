// The secrets that settings need. Only the platform has the secrets, so the Worker starts on this machine with placeholders.

/** Secrets, each with a placeholder. */
export type Secrets = (readonly [name: string, placeholder: string])[];

/** Secrets that a setting needs for some of its values. */
const NEEDED: { setting: string; isFor: (value: string) => boolean; secrets: Secrets }[] = [
  {
    setting: "DEPOSITS",
    isFor: (value) => value === "stripe",
    secrets: [
      ["STRIPE_SECRET_KEY", "sk_live_placeholder000000000000"],
      ["STRIPE_WEBHOOK_SECRET", "whsec_cGxhY2Vob2xkZXIwMDAwMDAwMDAwMDAw"],
    ],
  },
  {
    setting: "LEDGER",
    isFor: (value) => value === "evm",
    secrets: [
      // The maximum number of addresses that the service allows, so that every quorum is valid.
      ["RPC_URLS", Array.from({ length: 8 }, (_, index) => `https://${index + 1}.invalid`).join(",")],
      ["RELAYER_KEY", `0x${"1".padStart(64, "0")}`],
    ],
  },
  { setting: "SEND_PRIVATE", isFor: (value) => value === "only", secrets: [["RPC_SEND_URLS", "https://private.invalid"]] },
  { setting: "BACKUP_HOUR", isFor: (value) => !["", "off"].includes(value), secrets: [["BACKUP_TOKEN", "placeholder0000000000"]] },
];

/** Secrets that no setting requires. */
const OPTIONAL = ["ALERT_URL", "METRICS_TOKEN", "STATUS_KEY"];

/** Returns the secrets that settings need. `setting` returns the value of a setting. */
export function neededSecrets(setting: (name: string) => string): Secrets {
  return NEEDED.filter(({ setting: name, isFor }) => isFor(setting(name))).flatMap(({ secrets }) => secrets);
}

export const isSecret = (name: string): boolean => OPTIONAL.includes(name) || NEEDED.some(({ secrets }) => secrets.some(([secret]) => secret === name));

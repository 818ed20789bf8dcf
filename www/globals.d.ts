// Names that other programs give to pages.

interface Window {
  /** A wallet that does not announce itself (EIP-1193). */
  ethereum?: unknown;
}

interface WindowEventMap {
  /** The announcement of a wallet (EIP-6963). */
  'eip6963:announceProvider': CustomEvent<unknown>;
}

/** A connection that was admitted and is open. */
export interface Relay {
  /** Whether it would be refused now. What throws counts as refused. */
  isRefused(): boolean;
  /** Ends it at once. */
  cut(): void;
}

/** The open connections of all sandboxes, to be judged again when rules or sessions change. */
export interface RelayTable {
  add(relay: Relay): void;
  remove(relay: Relay): void;
  /** Cuts what would be refused now. */
  recheck(): void;
}

/** Makes an empty table. */
export function createRelayTable(): RelayTable {
  const open = new Set<Relay>();
  return {
    add: (relay) => void open.add(relay),
    remove: (relay) => void open.delete(relay),
    recheck() {
      for (const relay of open) if (isRefused(relay)) relay.cut();
    },
  };
}

function isRefused(relay: Relay): boolean {
  try {
    return relay.isRefused();
  } catch {
    // Such as a session that is closed: nothing allows it any more.
    return true;
  }
}

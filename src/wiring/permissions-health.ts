import type { Permissions } from "../config/permissions.ts";
import type { HealthPart } from "../server/health.ts";

/** The rule files as a detail of health, `sallyport.permissions`: not well while one of them is broken. `changed` is to be called after each reload. */
export function permissionsHealth(permissions: () => Permissions): HealthPart & { changed(): void } {
  const listeners = new Set<() => void>();
  return {
    name: "sallyport.permissions",
    well: () => permissions().faults().length === 0,
    follow(listener, signal) {
      listeners.add(listener);
      signal.addEventListener("abort", () => listeners.delete(listener), { once: true });
    },
    changed() {
      for (const listener of listeners) listener();
    },
  };
}

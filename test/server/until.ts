/** Resolves when the condition holds, looking each time the event loop comes round. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

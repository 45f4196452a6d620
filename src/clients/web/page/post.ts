/** A status with the JSON object that came with it; status 0 where nothing answered. */
export interface Posted {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts to the server of this page. Never rejects. */
export async function post(path: string, body: object, key: string): Promise<Posted> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key === "" ? {} : { "x-sallyport-key": key }) },
      body: JSON.stringify(body),
      credentials: "same-origin",
      redirect: "error",
    });
    const value: unknown = await response.json().catch(() => ({}));
    return { status: response.status, body: typeof value === "object" && value !== null ? { ...value } : {} };
  } catch {
    return { status: 0, body: {} };
  }
}

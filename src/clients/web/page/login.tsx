import { useState } from "preact/hooks";
import { logIn } from "./visit.ts";

/** Asks for the password. */
export function Login() {
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const password = new FormData(form).get("password");
    setBusy(true);
    setFault(undefined);
    const wrong = await logIn(typeof password === "string" ? password : "");
    setBusy(false);
    setFault(wrong);
    if (wrong !== undefined) form.reset();
  };
  return (
    <main class="login">
      <h1>Sallyport</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          maxLength={200}
          aria-describedby="hint"
        />
        <button class="strong" type="submit" disabled={busy}>
          {busy ? "Checking…" : "Log in"}
        </button>
        <p role="alert" class="fault">
          {fault}
        </p>
        <p id="hint" class="quiet">
          It was shown once, when Sallyport first started. To make another, type{" "}
          <code>sallyport web password --reset</code> in a terminal.
        </p>
      </form>
    </main>
  );
}

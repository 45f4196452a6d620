import { useEffect, useState } from "preact/hooks";
import { exhausted } from "../../text/exhausted.ts";
import { AgentsPage } from "./agents-page.tsx";
import { AuditPage } from "./audit/audit-page.tsx";
import { HealthPage } from "./health-page.tsx";
import { Login } from "./login.tsx";
import { followAddress, hrefOf, type PageName, pages, place } from "./place.ts";
import { questionCount, questionsConnected, followQuestions } from "./questions/question-store.ts";
import { QuestionsPage } from "./questions/questions-page.tsx";
import { RulesPage } from "./rules/rules-page.tsx";
import { SessionsPage } from "./sessions/sessions-page.tsx";
import { loggedIn, logOut, resumeVisit, shareVisit } from "./visit.ts";

/** The whole page: the login, or the menu with what it leads to. */
export function App() {
  useEffect(() => {
    followAddress();
    let timer: number | undefined;
    const resume = (): void => {
      resumeVisit().catch(() => {
        timer = setTimeout(resume, 1000);
      });
    };
    resume();
    const stop = new AbortController();
    shareVisit(stop.signal);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, []);
  if (loggedIn.value === undefined)
    return (
      <main class="login">
        <p role="status">Reaching Sallyport…</p>
      </main>
    );
  return loggedIn.value ? <Inside /> : <Login />;
}

function Inside() {
  const { page, about } = place.value;
  useEffect(() => {
    const stop = new AbortController();
    void followQuestions(stop.signal);
    return () => stop.abort();
  }, []);
  const waiting = questionCount.value;
  useEffect(() => {
    document.title = `${waiting === 0 ? "" : `(${waiting}) `}${pages[page]} · Sallyport`;
  }, [waiting, page]);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <strong class="brand">Sallyport</strong>
        <nav aria-label="Pages">
          <ul>
            {(Object.keys(pages) as PageName[]).map((name) => (
              <li key={name}>
                <a href={hrefOf(name)} aria-current={name === page ? "page" : undefined}>
                  {pages[name]}
                  {name === "questions" && waiting > 0 && <span class="count">{waiting}</span>}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Connection />
        <LogOut />
      </header>
      <main id="content" tabIndex={-1}>
        <Page page={page} about={about} />
      </main>
    </>
  );
}

function Page({ page, about }: { readonly page: PageName; readonly about: string }) {
  switch (page) {
    case "questions":
      return <QuestionsPage />;
    case "sessions":
      return <SessionsPage />;
    case "rules":
      return <RulesPage />;
    case "audit":
      return <AuditPage about={about} />;
    case "agents":
      return <AgentsPage />;
    case "health":
      return <HealthPage />;
    default:
      return exhausted(page);
  }
}

function Connection() {
  const connected = questionsConnected.value;
  return (
    <p role="status" class={connected ? "connection on" : "connection off"}>
      {connected ? "Live" : "Not connected"}
    </p>
  );
}

function LogOut() {
  const [open, setOpen] = useState(false);
  return (
    <div class="logout">
      <button type="button" class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
        Log out
      </button>
      {open && (
        <div class="menu" role="group" aria-label="Log out">
          <button type="button" onClick={() => void logOut(false)}>
            This browser
          </button>
          <button type="button" onClick={() => void logOut(true)}>
            Every browser
          </button>
        </div>
      )}
    </div>
  );
}

import { AnswerKind, type Question, RulesFile } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { Drafts } from "./drafts.tsx";
import { EditAndAllow } from "./edit-and-allow.tsx";
import type { Reply } from "./reply.ts";

/** What the menu of further answers is about. */
interface AnswerMenuProps {
  readonly question: Question;
  readonly kinds: ReadonlySet<AnswerKind>;
  readonly file: RulesFile;
  readonly onFile: (file: RulesFile) => void;
  readonly waits: boolean;
  readonly onAllow: (reply: Reply) => void;
  readonly onDeny: (reply: Reply) => void;
}

const quarterHour = 900;
const longestMessage = 1000;

/** The answers beyond the usual three; only those that the question offers. */
export function AnswerMenu({ question, kinds, file, onFile, waits, onAllow, onDeny }: AnswerMenuProps) {
  const always = kinds.has(AnswerKind.ALWAYS_ALLOW) || kinds.has(AnswerKind.ALWAYS_DENY);
  return (
    <div class="more" role="group" aria-label="More answers">
      {!kinds.has(AnswerKind.ALWAYS_ALLOW) && (
        <p class="quiet">It cannot be allowed for always: no rule would cover it without covering more.</p>
      )}
      <div class="answers">
        {kinds.has(AnswerKind.ALLOW_SESSION) && (
          <button type="button" aria-disabled={waits} onClick={() => onAllow({ answer: AnswerKind.ALLOW_SESSION })}>
            Allow for this session
          </button>
        )}
        {kinds.has(AnswerKind.ALLOW_FOR) && (
          <button
            type="button"
            aria-disabled={waits}
            onClick={() => onAllow({ answer: AnswerKind.ALLOW_FOR, forSeconds: quarterHour })}
          >
            Allow for 15 minutes
          </button>
        )}
        {kinds.has(AnswerKind.ALWAYS_DENY) && (
          <button
            type="button"
            class="deny"
            aria-disabled={waits}
            onClick={() => onDeny({ answer: AnswerKind.ALWAYS_DENY, file })}
          >
            Always deny
          </button>
        )}
      </div>
      {kinds.has(AnswerKind.ALWAYS_DENY) && (
        <Drafts heading="Always deny writes to" question={question} drafts={question.denyDrafts} file={file} />
      )}
      {always && question.places.length > 1 && (
        <fieldset>
          <legend>Where “always” writes</legend>
          {question.places.map((place) => (
            <label key={place.file}>
              <input
                type="radio"
                name={`file-${question.id}`}
                checked={place.file === file}
                onChange={() => onFile(place.file)}
              />
              <span>
                {place.file === RulesFile.WORKSPACE ? "This workspace only" : "Everywhere"}{" "}
                <code class="quiet">
                  <ShownLine text={place.path} />
                </code>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {kinds.has(AnswerKind.DENY) && (
        <form
          class="message"
          onSubmit={(event) => {
            event.preventDefault();
            const text = new FormData(event.currentTarget).get("message");
            onDeny({ answer: AnswerKind.DENY, message: typeof text === "string" ? text : "" });
          }}
        >
          <label for={`message-${question.id}`}>Deny, and tell the agent</label>
          <div class="row">
            <input id={`message-${question.id}`} name="message" maxLength={longestMessage} required />
            <button type="submit" class="deny" aria-disabled={waits}>
              Deny with this message
            </button>
          </div>
        </form>
      )}
      {kinds.has(AnswerKind.EDIT_AND_ALLOW) && question.editable !== "" && (
        <EditAndAllow question={question} waits={waits} onAllow={onAllow} />
      )}
    </div>
  );
}

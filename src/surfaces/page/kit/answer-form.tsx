/** Answers a question in place. What was typed stays until the answer has been sent. */
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { EventId, RoomId } from "../../../core/ids.ts";
import { freshName } from "../browser.ts";
import { usePage } from "../page-context.ts";
import { sendOnKeys } from "./send-keys.ts";
import { useDraft } from "./use-draft.ts";

interface AnswerFormProps {
  readonly roomId: RoomId;
  readonly messageId: EventId;
  /** Who is answered. */
  readonly name: string;
  /** Closes the form: the answer was sent, or Escape was pressed. Without it the form stays. */
  readonly onDone?: () => void;
}

export function AnswerForm({ roomId, messageId, name, onDone }: AnswerFormProps): ReactNode {
  const { run, tell } = usePage();
  const [body, setBody, sentBody] = useDraft(`answer ${messageId}`);
  const field = useRef<HTMLTextAreaElement>(null);
  const [isSending, setSending] = useState(false);
  const tried = useRef<{ readonly body: string; readonly msgId: string } | null>(null);

  const send = async () => {
    if (body.trim() === "" || isSending) return;
    setSending(true);
    // A repeated send of the same answer is one message. Another text is another one.
    if (tried.current?.body !== body) tried.current = { body, msgId: freshName() };
    const { msgId } = tried.current;
    const sent = await run("reply_to_message", { room_id: roomId, message_id: messageId, body, msg_id: msgId });
    setSending(false);
    if (sent === null) return;
    tried.current = null;
    sentBody(body);
    tell(`${name} was answered.`);
    onDone?.();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
    field.current?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape" && onDone) onDone();
    else sendOnKeys(send)(event);
  };
  return (
    <form className="writing" onSubmit={submit}>
      <textarea
        ref={field}
        className="field"
        rows={1}
        autoFocus={onDone !== undefined}
        value={body}
        aria-label={`Your answer to ${name}`}
        placeholder={`Your answer to ${name}`}
        onChange={(event) => setBody(event.target.value)}
        onKeyDown={pressed}
      />
      <button type="submit" className="button primary" aria-disabled={isSending || body.trim() === ""}>
        {isSending ? "Sending …" : "Answer"}
      </button>
    </form>
  );
}
